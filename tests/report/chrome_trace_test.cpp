// The trace against the rules of the Trace Event Format, by a reader that is not the writer.
#include "src/report/chrome_trace.h"

#include "src/report/console_timeline.h"
#include "tests/catch.h"
#include "tests/golden/golden.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace fa3prof;
using namespace fa3prof::report;
using namespace fa3prof::tests;
using nlohmann::json;

namespace {

/// Two processes: one with everything, and one that begins later.
core::Timeline example() {
  core::Process process{
      .name = R"(fa3 "measured": CTA 0)",
      .clock_mhz = 1500.0,
      .begin_us = 0.0,
      .tracks =
          {{.name = "producer", .overlaps = false, .spans = {{"load K", 0.0, 100.0}}},
           {.name = "consumer 1",
            .overlaps = false,
            .spans = {{"wait K", 0.0, 700.0}, {"issue", 700.0, 900.5}, {"softmax", 900.5, 2000.0}}},
           {.name = "consumer 1 WGMMA",
            .overlaps = true,
            .spans = {{"scores", 700.0, 1300.0}, {"output", 900.0, 1900.0}}},
           {.name = "TMA", .overlaps = true, .spans = {{"K", 99.0, 700.0}}}},
      .flows = {{.name = "K", .from = {.track = 0, .at = 99.0}, .to = {.track = 1, .at = 700.0}},
                // Begins after the last span of its track.
                {.name = "V", .from = {.track = 0, .at = 400.0}, .to = {.track = 1, .at = 900.5}}}};
  core::Process later = process;
  later.name = "fa3 simulated";
  later.begin_us = 0.75;
  return {.processes = {process, later}};
}

/// What every event of a phase must have besides ph and pid.
const std::map<std::string, std::vector<std::string>>& required_keys() {
  static const std::map<std::string, std::vector<std::string>> keys{
      {"M", {"name", "args"}},
      {"X", {"tid", "ts", "dur", "name"}},
      {"b", {"ts", "id", "cat", "name"}},
      {"e", {"ts", "id", "cat", "name"}},
      {"s", {"tid", "ts", "id", "cat", "name"}},
      {"f", {"tid", "ts", "id", "cat", "name", "bp"}}};
  return keys;
}

/// Complete events of one thread must nest: none reaches beyond the end of the one around it.
void check_nesting(const json& events) {
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> open;
  for (const json& event : events) {
    if (event["ph"] != "X") continue;
    const double begin = event["ts"];
    const double end = begin + event["dur"].get<double>();
    auto& stack = open[{event["pid"], event["tid"]}];
    while (!stack.empty() && stack.back().second <= begin + 1e-9) stack.pop_back();
    if (!stack.empty()) CHECK(end <= stack.back().second + 1e-9);
    stack.emplace_back(begin, end);
  }
}

/// Each pair of `begin` and `end` events has one id, which no other pair has.
void check_pairs(const json& events, const std::string& begin, const std::string& end) {
  std::map<std::tuple<int, std::string, int>, double> begun;
  std::set<std::tuple<int, std::string, int>> ended;
  for (const json& event : events) {
    if (event["ph"] != begin && event["ph"] != end) continue;
    const std::tuple key{event["pid"].get<int>(), event["cat"].get<std::string>(),
                         event["id"].get<int>()};
    if (event["ph"] == begin) {
      CHECK(begun.emplace(key, event["ts"].get<double>()).second);
      continue;
    }
    REQUIRE(begun.contains(key));
    CHECK(event["ts"].get<double>() >= begun[key]);
    CHECK(ended.insert(key).second);
  }
  CHECK(begun.size() == ended.size());
}

/// Perfetto draws an arrow between two slices: each end must lie within one of its thread.
void check_bound(const json& events) {
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> slices;
  for (const json& event : events) {
    if (event["ph"] != "X") continue;
    const double begin = event["ts"];
    slices[{event["pid"], event["tid"]}].emplace_back(begin, begin + event["dur"].get<double>());
  }
  for (const json& event : events) {
    if (event["ph"] != "s" && event["ph"] != "f") continue;
    const double at = event["ts"];
    const bool is_bound = std::ranges::any_of(
        slices[{event["pid"], event["tid"]}],
        [at](const auto& slice) { return slice.first <= at + 1e-9 && at <= slice.second + 1e-9; });
    INFO(event.dump());
    CHECK(is_bound);
  }
}

}  // namespace

TEST_CASE("A trace keeps the rules of the Trace Event Format", "[report]") {
  const json document = json::parse(chrome_trace(example()));
  CHECK(document["displayTimeUnit"] == "ns");
  const json& events = document["traceEvents"];
  REQUIRE(events.is_array());
  for (const json& event : events) {
    const std::string phase = event.at("ph");
    INFO(event.dump());
    REQUIRE(required_keys().contains(phase));
    CHECK(event.at("pid").is_number_integer());
    for (const std::string& key : required_keys().at(phase)) CHECK(event.contains(key));
    if (event.contains("ts")) CHECK(event["ts"].get<double>() >= 0.0);
    if (event.contains("dur")) CHECK(event["dur"].get<double>() >= 0.0);
  }
  check_nesting(events);
  check_pairs(events, "b", "e");
  check_pairs(events, "s", "f");
  check_bound(events);
}

TEST_CASE("Every process and every track without overlaps is named once", "[report]") {
  const json document = json::parse(chrome_trace(example()));
  std::multiset<std::string> names;
  for (const json& event : document["traceEvents"]) {
    if (event["name"] == "process_name" || event["name"] == "thread_name") {
      names.insert(event["args"]["name"]);
    }
  }
  CHECK(names == std::multiset<std::string>{R"(fa3 "measured": CTA 0)", "fa3 simulated", "producer",
                                            "producer", "consumer 1", "consumer 1"});
}

TEST_CASE("Cycles become microseconds by the clock, after the process's beginning", "[report]") {
  const std::string text = chrome_trace(example());
  // 900.5 cycles at 1500 MHz are 600.3 ns.
  CHECK_THAT(text, contains(R"("tid":2,"ts":0.600,"dur":0.733,"name":"softmax")"));
  CHECK_THAT(text, contains(R"("pid":2,"tid":2,"ts":1.350,"dur":0.733,"name":"softmax")"));
}

TEST_CASE("An empty timeline is a trace without events", "[report]") {
  CHECK(json::parse(chrome_trace({}))["traceEvents"].empty());
}

TEST_CASE("A timeline in text is the golden one", "[report]") {
  check_golden("timeline.txt", timeline_text(example().processes[0],
                                             {.end_cycles = 2000.0, .width = 80}, Colour::kNever));
}

TEST_CASE("Without colour a timeline is plain ASCII within its width", "[report]") {
  const std::string text =
      timeline_text(example().processes[0], {.end_cycles = 2000.0, .width = 60}, Colour::kNever);
  std::size_t length = 0;
  for (const char c : text) {
    CHECK((c == '\n' || (c >= ' ' && c <= '~')));
    length = c == '\n' ? 0 : length + 1;
    CHECK(length <= 60 + 20);
  }
}
