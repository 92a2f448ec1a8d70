#include "src/commands/doctor.h"

#include "src/commands/output.h"
#include "src/core/attention_kernel.h"
#include "src/report/table.h"

#include <algorithm>
#include <memory>

namespace fa3prof::commands {
namespace {

using profile::Finding;
using Severity = Finding::Severity;

constexpr int kSchemaVersion = 1;

const char* word_of(Severity severity) {
  switch (severity) {
    case Severity::kOk:
      return "ok";
    case Severity::kWarning:
      return "warning";
    case Severity::kMissing:
      return "missing";
  }
  return "";
}

report::Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::kOk:
      return report::Tone::kGood;
    case Severity::kWarning:
      return report::Tone::kWarning;
    case Severity::kMissing:
      return report::Tone::kBad;
  }
  return report::Tone::kPlain;
}

std::string text_of(const std::vector<Finding>& findings, bool can_run, report::Colour colour) {
  using enum report::Table::Align;
  report::Table table({{"", kLeft}, {"", kLeft}, {"", kLeft}});
  for (const Finding& finding : findings) {
    table.add_row({word_of(finding.severity), finding.topic, finding.detail},
                  tone_of(finding.severity));
    if (!finding.cure.empty()) table.add_row({"", "", "-> " + finding.cure});
  }
  return table.text(colour) + "\n" +
         (can_run ? "fa3prof run works here.\n"
                  : "fa3prof run cannot work here; fa3prof simulate needs none of this.\n");
}

core::Json to_json(const std::vector<Finding>& findings, bool can_run) {
  core::Json list = core::Json::array();
  for (const Finding& finding : findings) {
    core::Json entry{{"severity", word_of(finding.severity)},
                     {"topic", finding.topic},
                     {"detail", finding.detail}};
    if (!finding.cure.empty()) entry["cure"] = finding.cure;
    list.push_back(std::move(entry));
  }
  return {{"schema_version", kSchemaVersion}, {"can_run", can_run}, {"findings", list}};
}

/// Missing counters do not keep `run` from working; a missing or old GPU does.
bool runs_a_kernel(const core::Environment& environment) {
  if (!environment.gpu) return false;
  return std::ranges::any_of(core::attention_kernels(),
                             [&environment](const core::AttentionKernel& kernel) {
                               return !core::why_unsupported(kernel, environment.gpu->capability);
                             });
}

}  // namespace

void add_doctor(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* verb = app.add_subcommand("doctor", "What this machine has and lacks for run");
  verb->add_option("--device", options->device, "GPU index [0]")->check(CLI::NonNegativeNumber);
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_doctor(*options, context); };
  });
}

core::ExitCode run_doctor(const DoctorOptions& options, const Context& context) {
  Output output(options.output, context);
  const auto profiler = context.make_profiler();
  const std::vector<Finding> findings = profiler->diagnose(options.device);
  const bool can_run = runs_a_kernel(profiler->environment(options.device));
  output.print([&](report::Colour colour) { return text_of(findings, can_run, colour); });
  output.write([&] { return to_json(findings, can_run); });
  return can_run ? core::ExitCode::kDone : core::ExitCode::kUnavailable;
}

}  // namespace fa3prof::commands
