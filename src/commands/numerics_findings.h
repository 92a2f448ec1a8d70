// What `fa3prof numerics` found, as text for people and as JSON
// (configs/schemas/numerics.schema.json).
#pragma once

#include "src/commands/context.h"
#include "src/core/json_reader.h"
#include "src/numerics/accuracy.h"
#include "src/numerics/guide_experiment.h"
#include "src/numerics/published_table.h"
#include "src/numerics/rotation_check.h"
#include "src/report/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fa3prof::commands {

/// One problem with the accuracy of each kernel.
struct AttentionFindings {
  core::AttentionProblem problem;
  std::string input;  ///< the distribution's name, or the files'
  std::vector<numerics::KernelNumerics> kernels;
  std::vector<numerics::Accuracy> accuracies;
};

struct NumericsFindings {
  std::uint64_t seed = 1;
  std::optional<numerics::GuideExperiment> guide;
  std::vector<numerics::RotationError> rotation;
  std::optional<numerics::PublishedTable> paper;
  std::vector<AttentionFindings> attention;
};

[[nodiscard]] std::string to_text(const NumericsFindings& findings, report::Colour colour);

/// Throws core::Error with kCheckFailed where an error is infinite or NaN, which JSON cannot hold.
[[nodiscard]] core::Json to_json(const NumericsFindings& findings, const Context& context);

}  // namespace fa3prof::commands
