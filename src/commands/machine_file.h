// A machine file made of measured numbers and of what a base file knows besides.
#pragma once

#include "src/core/json_reader.h"
#include "src/core/report.h"
#include "src/profile/machine_numbers.h"

#include <string>
#include <vector>

namespace fa3prof::commands {

/// What a machine file says of itself and of its numbers.
struct MachineOrigin {
  std::string name;         ///< of the machine
  std::string description;  ///< of the machine
  std::string measured_by;  ///< before every number's own source: program, GPU, driver, date
};

/// `base` with every number of `numbers` in its place or, where it has none, at the end; all other
/// numbers of the base keep their sources. Measured values are rounded to four digits. `base` may
/// be an empty object.
[[nodiscard]] core::Json machine_document(const core::Json& base,
                                          const std::vector<profile::MachineNumber>& numbers,
                                          const MachineOrigin& origin, const core::Gpu& gpu);

/// Text of a machine file, one number a line.
[[nodiscard]] std::string machine_text(const core::Json& document);

/// 63.9876 -> 63.99, 4859.7 -> 4860, 43210000 -> 43210000.
[[nodiscard]] double rounded_to_four_digits(double value);

}  // namespace fa3prof::commands
