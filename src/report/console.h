// Reports as text for people: aligned tables, units in the headings. Not: where the text goes.
#pragma once

#include "src/analysis/validation.h"
#include "src/core/report.h"
#include "src/report/table.h"

#include <string>
#include <vector>

namespace fa3prof::report {

/// What `fa3prof run` prints: per problem a line per kernel (measured beside simulated, with the
/// signed deviation) and a line of each kernel over the first; then how it was verified, timed and
/// counted, the clocks, the model and every warning.
///
///                                      time us  TFLOPS  % of peak     cycles  ...  deviation
///   fp16 b2 h16 sq8192 skv8192 d128
///     fa2                             1,532.1   358.9     36.3 %  2,543,210  ...     -4.4 %
///     fa3                               864.2   636.3     64.3 %  1,434,112  ...     -3.1 %
///     fa3 over fa2               1.77x +-0.3 %                       1.77x  ...     -1.3 %
[[nodiscard]] std::string run_text(const core::Report& report, Colour colour);

/// What `fa3prof run` adds for traced kernels: where the cycles went by their stamps, where they go
/// in the model and the difference in points, and what tracing cost. Empty without one.
///
///   where the cycles go  fa3 measured  simulated  difference
///     tensor busy              83.1 %     86.0 %       +2.9
[[nodiscard]] std::string breakdown_text(const core::Report& report, Colour colour);

/// What `fa3prof run --ablation` adds: for each problem what each mechanism of fa3 brings,
/// measured, simulated and, on the paper's problem, published. Empty where no two schedules were
/// run.
///
///   what it brings                              measured        simulated  paper
///   a producer warp      fa3-ws / fa3-serial    1.06x +-0.2 %       1.00x
[[nodiscard]] std::string ablation_text(const core::Report& report, Colour colour);

/// What `fa3prof run --device all` adds: for each kernel and problem every GPU of the host beside
/// the median one, with the 95 % interval, and which lags. Empty for a run on one GPU.
///
///   fa3 fp16 b2 h16 ...  time us  beside the median GPU  in cycles             SM MHz  watts   C
///     GPU 0 GPU-0123     1,500.0                                                1,590    598  59
///     median GPU 1 GPU-89ab     1,560.0  +4.0 % (+3.8 to +4.2)  +0.1 % (0.0 to +0.2)   1,530 598
///     71  lags: ...
[[nodiscard]] std::string fleet_text(const core::Report& report, Colour colour);

/// What `fa3prof run --generations` adds: a column for each generation of FlashAttention, what was
/// measured and counted of it above what the FlashAttention-3 guide says, and where both contradict
/// each other. Empty where fa1 was not to be measured.
///
///   fp16 b2 h16 sq8192 ...   FlashAttention-1      FlashAttention-2      FlashAttention-3  ...
///     memory transfer        LDG, STS              cp.async              TMA
///       guide                synchronous cp.async  synchronous cp.async  asynchronous TMA
[[nodiscard]] std::string generations_text(const core::Report& report, Colour colour);

/// How much of a simulation is shown.
enum class Detail {
  kSummary,    ///< one line per pipeline and problem
  kBreakdown,  ///< also where the cycles go, and the terms of the formula
};

/// What `fa3prof simulate` prints; measured results in the report stand beside the simulated ones.
[[nodiscard]] std::string simulation_text(const core::Report& report, Detail detail, Colour colour);

/// What `fa3prof simulate --against` adds: how far the model is off, per kernel and in all, and the
/// measured rows that were not compared.
///
///   cycles, simulated over counted  rows  mean error  mean |error|  largest error  of
///     fa2                             12      -0.9 %         1.8 %         -3.3 %  fp16 b2 h16 ...
[[nodiscard]] std::string validation_text(const analysis::Validation& validation, Colour colour);

/// Why a comparison has failed: a line for each limit that is exceeded, or that nothing was
/// compared. Empty where all is well.
[[nodiscard]] std::vector<std::string> validation_failures(const analysis::Validation& validation);

/// What `fa3prof simulate --what-if` prints: each result beside the changed one, and what was
/// changed.
///
///                                            cycles  time us  ...  time over base
///     fa3_fp16 on h200_sxm                2,300,041  1,474.4
///     fa3_fp16 on h200_sxm with mufu=2x   2,231,876  1,430.7            0.970x
[[nodiscard]] std::string what_if_text(const core::Report& report, Colour colour);

/// What `fa3prof simulate --sensitivity` adds: for each result the machine's numbers, those that
/// its time follows most first.
[[nodiscard]] std::string sensitivity_text(const core::Report& report, Colour colour);

/// Lines "warning  text" for the report and for each of its results, each text once.
[[nodiscard]] std::string warnings_text(const core::Report& report, Colour colour);

}  // namespace fa3prof::report
