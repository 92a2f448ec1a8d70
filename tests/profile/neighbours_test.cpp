#include "src/profile/neighbours.h"

#include "tests/catch.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::tests {
namespace {

using profile::NeighbourWatch;
using Pids = std::vector<unsigned>;
using Sentences = std::vector<std::string>;

constexpr unsigned kOwn = 7;
constexpr std::chrono::milliseconds kNoPause{0};

/// What a process with number 7 says after it has seen these one after the other.
Sentences warnings_after(const std::vector<std::optional<Pids>>& looks) {
  std::size_t next = 0;
  NeighbourWatch watch([&] { return looks.at(next++); }, kOwn);
  while (next < looks.size()) watch.look(kNoPause);
  return watch.warnings();
}

TEST_CASE("the calling process is not another process", "[profile]") {
  CHECK(profile::count_other_processes({}, 7) == 0);
  CHECK(profile::count_other_processes({7}, 7) == 0);
  CHECK(profile::count_other_processes({5, 7, 9}, 7) == 2);
}

TEST_CASE("one process of a host's numbering is taken for the caller", "[profile]") {
  CHECK(profile::count_other_processes({4711}, 7) == 0);
  CHECK(profile::count_other_processes({4711, 4712}, 7) == 1);
}

TEST_CASE("a process alone on the GPU warns of nobody", "[profile]") {
  CHECK(warnings_after({Pids{7}, Pids{7}, Pids{7}}).empty());
  CHECK(warnings_after({Pids{}, Pids{}}).empty());
  CHECK(NeighbourWatch({}, kOwn).warnings().empty());
}

TEST_CASE("others on the GPU before timing are counted and named", "[profile]") {
  CHECK(warnings_after({Pids{5, 7}}) ==
        Sentences{"1 other process on the GPU before timing began: pid 5"});
  CHECK(warnings_after({Pids{5, 7, 9}, Pids{5, 7, 9}}) ==
        Sentences{"2 other processes on the GPU before timing began: pid 5, 9"});
}

TEST_CASE("others are not named where the caller cannot be told from them", "[profile]") {
  CHECK(warnings_after({Pids{4711, 4712}}) ==
        Sentences{"1 other process on the GPU before timing began"});
}

TEST_CASE("who comes and who leaves while timing is named once", "[profile]") {
  CHECK(warnings_after({Pids{7}, Pids{7, 12}, Pids{7, 12}, Pids{7}}) ==
        Sentences{"1 other process came to the GPU while timing: pid 12"});
  CHECK(warnings_after({Pids{5, 7}, Pids{7}, Pids{7}}) ==
        Sentences{"1 other process on the GPU before timing began: pid 5",
                  "1 other process left the GPU while timing: pid 5"});
}

TEST_CASE("a reading that fails is no change", "[profile]") {
  CHECK(warnings_after({Pids{7}, std::nullopt, Pids{7}}).empty());
  CHECK(NeighbourWatch([] { return std::optional<Pids>(); }, kOwn).warnings().empty());
}

TEST_CASE("looks that follow too soon are not taken", "[profile]") {
  int looks = 0;
  NeighbourWatch watch(
      [&looks] {
        ++looks;
        return Pids{7};
      },
      kOwn);
  for (int i = 0; i < 100; ++i) watch.look(std::chrono::hours(1));
  CHECK(looks == 1);
  watch.look(kNoPause);
  CHECK(looks == 2);
}

TEST_CASE("a GPU is busy only if it stays so", "[profile]") {
  const auto lowest = [](std::vector<std::optional<double>> readings) {
    std::size_t next = 0;
    return profile::lowest_busy_ratio([&] { return readings.at(next++ % readings.size()); },
                                      kNoPause);
  };
  CHECK(lowest({0.9, 0.5, 0.0}) == 0.0);
  CHECK(lowest({0.9, 0.8}) == 0.8);
  CHECK_FALSE(lowest({std::nullopt}).has_value());
}

TEST_CASE("a GPU that is busy before the first launch is a warning", "[profile]") {
  CHECK_FALSE(profile::busy_warning(std::nullopt).has_value());
  CHECK_FALSE(profile::busy_warning(0.01).has_value());
  CHECK_THAT(profile::busy_warning(0.87).value(), contains("was 87 % busy before this run"));
}

}  // namespace
}  // namespace fa3prof::tests
