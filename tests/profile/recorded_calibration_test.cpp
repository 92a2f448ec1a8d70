// The committed machine file of the H200 is what calibrate makes of the series recorded there.
#include "src/core/json_reader.h"
#include "src/profile/machine_numbers.h"
#include "tests/catch.h"

#include <fstream>
#include <iterator>

using namespace fa3prof;
using namespace fa3prof::tests;

namespace {

core::Json read_json(const std::string& path) {
  std::ifstream file(std::string(FA3PROF_SOURCE_DIR) + "/" + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return core::parse_json(text, path);
}

std::vector<profile::Series> recorded_series() {
  const core::Json recording = read_json("configs/calibrations/h200_sxm.json");
  std::vector<profile::Series> all;
  for (const core::Json& entry : recording["series"]) {
    profile::Series& series = all.emplace_back();
    series.name = entry["name"];
    for (const core::Json& point : entry["points"]) {
      series.points.push_back({.x = point.value("x", 0.0),
                               .value = point["value"],
                               .low = point["low"],
                               .high = point["high"]});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("the H200's machine file follows from its recorded calibration", "[profile]") {
  const core::Json machine = read_json("configs/machines/h200_sxm.json");
  const std::vector<profile::MachineNumber> numbers = profile::machine_numbers(recorded_series());
  CHECK(numbers.size() > 40);
  for (const profile::MachineNumber& number : numbers) {
    CAPTURE(number.key);
    REQUIRE(machine.contains(number.key));
    // The file has four digits.
    CHECK_THAT(machine[number.key]["value"].get<double>(),
               WithinRel(number.value, 6e-4) || WithinAbs(number.value, 1e-9));
    CHECK_THAT(machine[number.key]["source"].get<std::string>(), contains(number.how));
  }
}
