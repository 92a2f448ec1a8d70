#include "sim/placement.h"

#include "sim/tile_sequence.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace fa3prof::sim {
namespace {

/// Who is free first, and among equals the first.
struct Turn {
  double at = 0.0;
  std::size_t who = 0;

  [[nodiscard]] bool is_after(const Turn& other) const {
    return at != other.at ? at > other.at : who > other.who;
  }
};

bool is_later(const Turn& a, const Turn& b) { return a.is_after(b); }

class Turns {
 public:
  void push(const Turn& turn) {
    turns_.push_back(turn);
    std::ranges::push_heap(turns_, is_later);
  }

  Turn pop() {
    std::ranges::pop_heap(turns_, is_later);
    const Turn turn = turns_.back();
    turns_.pop_back();
    return turn;
  }

  [[nodiscard]] bool is_empty() const { return turns_.empty(); }

  [[nodiscard]] double next_at() const { return turns_.front().at; }

 private:
  std::vector<Turn> turns_;
};

/// The end and the composition of what each server did, to the chip's.
PlacedTiles averaged(const std::vector<double>& ends, const Breakdown& sum, std::int64_t tiles) {
  PlacedTiles placed;
  placed.tiles = tiles;
  placed.makespan_cycles = ends.empty() ? 0.0 : *std::ranges::max_element(ends);
  const auto count = static_cast<double>(ends.size());
  placed.mean.add(1.0 / count, sum);
  placed.mean[Category::kTail] += std::max(0.0, placed.makespan_cycles - placed.mean.sum());
  return placed;
}

/// A persistent CTA and its tiles so far.
struct Cta {
  std::int64_t tiles = 0;
  const TileCost* latest = nullptr;
  double end_cycles = 0.0;
};

/// Tiles of a persistent CTA follow each other; its first and last ones cost something else.
PlacedTiles place_persistent(const PlacementRequest& request, const CostOf& cost_of) {
  const auto slots = static_cast<std::size_t>(request.pipeline.ctas_per_sm);
  std::vector<Cta> ctas(static_cast<std::size_t>(request.sm_count) * slots);
  Turns turns;
  for (std::size_t i = 0; i < ctas.size(); ++i) turns.push({.who = i});
  Breakdown sum;
  TileSequence sequence(request.pipeline, request.problem, request.row_blocks);
  for (std::size_t number = 0; !sequence.is_over(); ++number) {
    const TileCost* cost = cost_of(sequence.draw(), slots);
    if (cost == nullptr) continue;
    const Turn turn =
        request.pipeline.takes_strided_tiles ? Turn{.who = number % ctas.size()} : turns.pop();
    Cta& cta = ctas[turn.who];
    const Moment& part = cta.tiles == 0 ? cost->first : cost->middle;
    sum.add(1.0, part.parts);
    cta.end_cycles += to_cycles(part.at);
    cta.latest = cost;
    ++cta.tiles;
    if (!request.pipeline.takes_strided_tiles) {
      turns.push({.at = cta.end_cycles, .who = turn.who});
    }
  }
  std::vector<double> ends;
  for (Cta& cta : ctas) {
    if (cta.tiles > 0) {
      const Moment& assumed = cta.tiles == 1 ? cta.latest->first : cta.latest->middle;
      const Moment& actual = cta.tiles == 1 ? cta.latest->alone : cta.latest->last;
      sum.add(1.0, actual.parts);
      sum.add(-1.0, assumed.parts);
      cta.end_cycles += to_cycles(actual.at) - to_cycles(assumed.at);
    }
    ends.push_back(cta.end_cycles);
  }
  return averaged(ends, sum, sequence.tiles());
}

/// An SM whose CTAs come and go.
class SharedSm {
 public:
  void launch(std::int64_t row_block) { running_.push_back({.row_block = row_block}); }

  [[nodiscard]] std::size_t running() const { return running_.size(); }

  [[nodiscard]] double next_end(const CostOf& cost_of) const {
    double left = std::numeric_limits<double>::infinity();
    for (const Running& cta : running_) {
      left = std::min(left, cta.remaining_ratio * cycles(*cost_of(cta.row_block, running())));
    }
    return now_ + left;
  }

  /// Lets time pass, books it, and removes the CTAs that end.
  void pass_until(double until, const CostOf& cost_of, Breakdown& sum) {
    const auto count = static_cast<double>(running());
    for (Running& cta : running_) {
      const TileCost& cost = *cost_of(cta.row_block, running());
      const double done = std::min(cta.remaining_ratio, (until - now_) / cycles(cost));
      cta.remaining_ratio -= done;
      sum.add(done / count, cost.middle.parts);
    }
    constexpr double kRounding = 1e-9;
    std::erase_if(running_, [](const Running& cta) { return cta.remaining_ratio < kRounding; });
    now_ = until;
  }

  [[nodiscard]] double now() const { return now_; }

 private:
  struct Running {
    std::int64_t row_block = 0;
    double remaining_ratio = 1.0;
  };

  static double cycles(const TileCost& cost) {
    return std::max(1.0 / static_cast<double>(kTicksPerCycle), to_cycles(cost.middle.at));
  }

  std::vector<Running> running_;
  double now_ = 0.0;
};

/// CTAs of one tile each. Those that share an SM slow each other for as long as they do.
PlacedTiles place_launched(const PlacementRequest& request, const CostOf& cost_of) {
  std::vector<SharedSm> sms(static_cast<std::size_t>(request.sm_count));
  TileSequence sequence(request.pipeline, request.problem, request.row_blocks);
  const auto launch_next = [&](SharedSm& sm) {
    while (!sequence.is_over()) {
      const std::int64_t row_block = sequence.draw();
      if (cost_of(row_block, 1) == nullptr) continue;
      sm.launch(row_block);
      return;
    }
  };
  const auto slots = static_cast<std::size_t>(request.pipeline.ctas_per_sm);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (SharedSm& sm : sms) launch_next(sm);
  }
  Turns turns;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    if (sms[i].running() > 0) turns.push({.at = sms[i].next_end(cost_of), .who = i});
  }
  Breakdown sum;
  while (!turns.is_empty()) {
    const double now = turns.next_at();
    std::vector<std::size_t> freed;
    while (!turns.is_empty() && turns.next_at() <= now) freed.push_back(turns.pop().who);
    for (const std::size_t who : freed) sms[who].pass_until(now, cost_of, sum);
    // Those with the fewest CTAs come first: the last of a grid have SMs to themselves.
    for (std::size_t running = 0; running < slots; ++running) {
      for (const std::size_t who : freed) {
        if (sms[who].running() == running) launch_next(sms[who]);
      }
    }
    for (const std::size_t who : freed) {
      if (sms[who].running() > 0) turns.push({.at = sms[who].next_end(cost_of), .who = who});
    }
  }
  std::vector<double> ends;
  ends.reserve(sms.size());
  for (const SharedSm& sm : sms) ends.push_back(sm.now());
  return averaged(ends, sum, sequence.tiles());
}

}  // namespace

PlacedTiles place_tiles(const PlacementRequest& request, const CostOf& cost_of) {
  return request.pipeline.is_persistent ? place_persistent(request, cost_of)
                                        : place_launched(request, cost_of);
}

}  // namespace fa3prof::sim
