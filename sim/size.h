// Sizes in pipeline files: products of numbers and of names from the tile and the problem, such as
// "tile_n * head_dim * element_bytes" or "tile_m / 2".
#pragma once

#include "src/core/json_reader.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace fa3prof::sim {

/// The names that a size may contain, in the order of kSizeNames.
enum class SizeName {
  kTileM,
  kTileN,
  kHeadDim,
  kValueChannels,  ///< head_dim, or what the tile says
  kElementBytes,
  kStages,
  kWarpgroups,  ///< four warps each, of all roles of a CTA
  kSeqlenQ,
  kSeqlenKv,
};

inline constexpr std::array<std::string_view, 9> kSizeNames{
    "tile_m", "tile_n",     "head_dim", "value_channels", "element_bytes",
    "stages", "warpgroups", "seqlen_q", "seqlen_kv"};

inline constexpr double kWarpsOfGroup = 4.0;

/// Values of the names.
class SizeScope {
 public:
  double& operator[](SizeName name) { return values_[static_cast<std::size_t>(name)]; }

  double operator[](SizeName name) const { return values_[static_cast<std::size_t>(name)]; }

 private:
  std::array<double, kSizeNames.size()> values_{};
};

class Size {
 public:
  Size() = default;

  explicit Size(double constant) : factors_{{.constant = constant}} {}

  /// Reads a number >= 0 or a product; throws ConfigError that lists the names.
  [[nodiscard]] static Size read(const core::JsonReader& reader);

  /// Left to right; 0 when default-constructed.
  [[nodiscard]] double value(const SizeScope& scope) const;

  /// With numbers in place of names: "64 * 176".
  [[nodiscard]] std::string formula(const SizeScope& scope) const;

  [[nodiscard]] bool names(SizeName name) const;

 private:
  struct Factor {
    double constant = 0.0;
    int name = -1;  ///< index into kSizeNames, or -1: the constant
    bool divides = false;

    [[nodiscard]] double value(const SizeScope& scope) const;
  };

  static Factor read_factor(const core::JsonReader& reader, std::string_view word);

  std::vector<Factor> factors_;
};

}  // namespace fa3prof::sim
