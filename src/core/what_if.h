// What a what-if changed in machine and pipeline files, and how a result follows one number.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fa3prof::core {

/// A number, a flag, or a word or size such as "64 * tile_n".
using ConfigValue = std::variant<double, bool, std::string>;

/// One value of a file that was changed.
struct ValueChange {
  std::string stated;               ///< as on the command line: "mufu=2x"
  std::string file;                 ///< "machine h200_sxm", "pipeline fa3_fp16"
  std::string pointer;              ///< RFC 6901, in the file: "/mufu_per_cycle/value"
  std::optional<ConfigValue> from;  ///< absent: the file did not state it
  ConfigValue to;
};

/// A machine's number moved to one side, and what came of it.
struct MovedNumber {
  double value = 0.0;
  std::optional<double> time_ratio;  ///< new time / old, of cycles where no clock is known
  std::string unsupported_reason;    ///< why the kernel cannot run with it
};

/// How a simulated result follows one number of the machine.
struct Sensitivity {
  std::string number;  ///< its key in the machine file: "mufu_per_cycle"
  double value = 0.0;
  MovedNumber lower;  ///< by the step, or as far as the number may go
  MovedNumber upper;
};

}  // namespace fa3prof::core
