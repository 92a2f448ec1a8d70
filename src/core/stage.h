// What an attention kernel stamps while it runs: the stages of its pipeline, as each role comes to
// them. Plain C++: device code writes these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fa3prof::core {

/// A moment in the life of a role.
enum class Stage : std::uint8_t {
  // A consumer warpgroup, in this order for each key block.
  kKeysWait,     ///< about to wait for K
  kKeysReady,    ///< K (and Q) is there; value: the buffer
  kTurnTaken,    ///< the warpgroup may issue its GEMMs
  kFirstIssued,  ///< the first GEMM of the turn, Q K^T where the schedule overlaps, is issued
  kValuesReady,  ///< V is there; value: the buffer. Without overlap before kFirstIssued
  kTurnGiven,    ///< all GEMMs are issued, the next warpgroup may issue
  kScoresDone,   ///< Q K^T has been waited for: the softmax begins
  kOutputWait,   ///< about to wait for P V
  kOutputDone,   ///< P V has been waited for
  kSoftmaxDone,  ///< the probabilities are ready
  kTileStored,   ///< the epilogue has written a tile
  kTile,         ///< the block that follows is the first of a tile; value: the tile's number
  // The producer.
  kLoadK,  ///< the copy of K has been started; value: the buffer
  kLoadV,  ///< of V; value: the buffer
  kLoadQ,  ///< of Q, for all warpgroups
};

/// Stages that a consumer has a clock for, the first ones of Stage.
inline constexpr std::size_t kConsumerStages = 11;

inline constexpr std::array<std::string_view, 15> kStageNames{
    "keys_wait",   "keys_ready",  "turn_taken",  "first_issued", "values_ready",
    "turn_given",  "scores_done", "output_wait", "output_done",  "softmax_done",
    "tile_stored", "tile",        "load_k",      "load_v",       "load_q"};

[[nodiscard]] constexpr std::string_view name_of(Stage stage) {
  return kStageNames[static_cast<std::size_t>(stage)];
}

}  // namespace fa3prof::core
