// From measured series to the numbers of a machine file. Pure arithmetic: the same in every build.
#pragma once

#include "src/profile/calibration.h"

#include <string>
#include <vector>

namespace fa3prof::profile {

/// One number of a machine file.
struct MachineNumber {
  std::string key;  ///< as in sim::Machine, the unit in its name
  double value = 0.0;
  double spread_ratio = 0.0;  ///< half of the middle 80 % of the samples over the value
  std::string how;            ///< benchmark and arithmetic, for the number's source
  bool is_exact = false;      ///< stated by the driver
};

/// Every number that the series give. Numbers whose series are absent are absent.
[[nodiscard]] std::vector<MachineNumber> machine_numbers(const std::vector<Series>& all);

}  // namespace fa3prof::profile
