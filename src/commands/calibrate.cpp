#include "src/commands/calibrate.h"

#include "sim/builtin_configs.h"
#include "sim/machine.h"
#include "sim/machine_match.h"
#include "src/cli/output_target.h"
#include "src/cli/text_list.h"
#include "src/commands/machine_file.h"
#include "src/commands/output.h"
#include "src/core/version.h"
#include "src/profile/machine_numbers.h"
#include "src/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

namespace fa3prof::commands {
namespace {

using core::Json;
using profile::MachineNumber;
using profile::Series;

constexpr int kSchemaVersion = 1;

/// What a calibration found.
struct Calibration {
  core::Environment environment;
  std::vector<Series> series;
  std::vector<MachineNumber> numbers;
  Json base = Json::object();
  Json machine;
};

/// The stated base, else the built-in machine of this GPU, else nothing. A file is read before
/// anything is measured, and refused as `simulate` would.
Json load_base(const CalibrateOptions& options, const std::optional<core::Gpu>& gpu) {
  std::string name = options.base;
  if (name.empty() && gpu) name = sim::machine_for(*gpu).value_or("");
  if (name.empty()) return Json::object();
  sim::ConfigDocument document = sim::load_config(sim::ConfigKind::kMachine, name);
  static_cast<void>(sim::read_machine({document.json, document.file}));
  return std::move(document.json);
}

/// The file's name without its ending, else the GPU's.
std::string name_of_machine(const CalibrateOptions& options, const core::Gpu& gpu) {
  const std::string stem = std::filesystem::path(options.machine_file).stem().string();
  return stem.empty() ? gpu.name : stem;
}

/// "measured by fa3prof calibrate 0.1.0 on NVIDIA H200, driver 580.95.05, 2026-11-30".
std::string measured_by(const core::Environment& environment, const Context& context) {
  constexpr std::size_t kDateLength = 10;
  return fmt::format("measured by fa3prof calibrate {} on {}, driver {}, {}", core::tool_version(),
                     environment.gpu->name, environment.driver,
                     context.created_at.substr(0, kDateLength));
}

Calibration calibrate(const CalibrateOptions& options, const Context& context,
                      bool shows_progress) {
  Calibration found;
  found.environment = context.make_profiler()->environment(options.request.device);
  found.base = load_base(options, found.environment.gpu);
  {
    cli::ProgressLine line(context.err, shows_progress);
    found.series = context.measure_machine(
        options.request, [&line](std::size_t done, std::size_t total, const std::string& what) {
          line.show(cli::progress_text(done, total, "measuring " + what));
        });
  }
  found.numbers = profile::machine_numbers(found.series);
  const core::Gpu& gpu = found.environment.gpu.value();
  found.machine = machine_document(found.base, found.numbers,
                                   {.name = name_of_machine(options, gpu),
                                    .description = fmt::format("{}, calibrated", gpu.name),
                                    .measured_by = measured_by(found.environment, context)},
                                   gpu);
  // What simulate would refuse must not be written.
  static_cast<void>(sim::read_machine({found.machine, "the calibrated machine"}));
  return found;
}

std::string text_of_value(double value) { return fmt::format("{:.4g}", value); }

std::string numbers_table(const Calibration& found, report::Colour colour) {
  using enum report::Table::Align;
  report::Table table({{"number", kLeft},
                       {"measured", kRight},
                       {"spread", kRight},
                       {"base", kRight},
                       {"how", kLeft}});
  for (const MachineNumber& number : found.numbers) {
    const auto base = found.base.find(number.key);
    table.add_row({number.key, text_of_value(number.value),
                   number.is_exact ? "" : "+-" + report::percent(number.spread_ratio),
                   base == found.base.end() ? "" : text_of_value(base->at("value").get<double>()),
                   number.how});
  }
  return table.text(colour);
}

/// One line a series: its points, and how far they spread where that is above a per cent.
std::string series_text(const std::vector<Series>& all) {
  std::string text;
  std::string benchmark;
  for (const Series& series : all) {
    if (series.benchmark != benchmark) text += "\n" + series.benchmark + "\n";
    benchmark = series.benchmark;
    text += fmt::format("  {} [{}]{}", series.name, series.unit,
                        series.axis.empty() ? "" : " by " + series.axis);
    for (const profile::MeasuredPoint& point : series.points) {
      text += series.axis.empty() ? "  " : fmt::format("  {:g}:", point.x);
      text += fmt::format("{:.5g}", point.value);
      if (point.high - point.low > 0.02 * std::abs(point.value)) {
        text += fmt::format("({:.5g}..{:.5g})", point.low, point.high);
      }
    }
    text += "\n";
  }
  return text;
}

std::string text_of(const Calibration& found, bool has_details, report::Colour colour) {
  std::string text = numbers_table(found, colour);
  if (has_details) text += series_text(found.series);
  return text;
}

Json to_json(const Series& series) {
  Json points = Json::array();
  for (const profile::MeasuredPoint& point : series.points) {
    points.push_back(
        {{"x", point.x}, {"value", point.value}, {"low", point.low}, {"high", point.high}});
  }
  return {{"benchmark", series.benchmark},
          {"name", series.name},
          {"axis", series.axis},
          {"unit", series.unit},
          {"points", std::move(points)}};
}

Json to_json(const Calibration& found, const Context& context) {
  Json numbers = Json::array();
  for (const MachineNumber& number : found.numbers) {
    numbers.push_back({{"key", number.key},
                       {"value", number.value},
                       {"spread_ratio", number.spread_ratio},
                       {"how", number.how}});
  }
  Json all_series = Json::array();
  for (const Series& series : found.series) all_series.push_back(to_json(series));
  return {{"schema_version", kSchemaVersion},   {"tool_version", core::tool_version()},
          {"tool_commit", core::tool_commit()}, {"created_at", context.created_at},
          {"gpu", found.environment.gpu->name}, {"driver", found.environment.driver},
          {"numbers", std::move(numbers)},      {"machine", found.machine},
          {"series", std::move(all_series)}};
}

}  // namespace

void add_calibrate(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* verb = app.add_subcommand(
      "calibrate", "Microbenchmarks on the GPU, written as a machine file for simulate");
  verb->add_option("--output", options->machine_file, "machine file to write [none]")
      ->type_name("FILE");
  verb->add_option("--base", options->base,
                   "machine whose numbers stay where nothing is measured [that of the GPU]")
      ->type_name("NAME|FILE");
  verb->add_option_function<std::string>(
          "--only",
          [options = options.get()](const std::string& text) {
            options->request.benchmarks = cli::split_list(text, "--only");
            for (const std::string& name : options->request.benchmarks) {
              profile::require_benchmark(name);
            }
          },
          fmt::format("some of the benchmarks: {} [all]",
                      fmt::join(profile::benchmark_names(), ", ")))
      ->type_name("NAMES");
  verb->add_option("--device", options->request.device, "GPU index [0]")
      ->check(CLI::NonNegativeNumber);
  verb->add_flag("--details", options->has_details, "print every series behind the numbers");
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_calibrate(*options, context); };
  });
}

core::ExitCode run_calibrate(const CalibrateOptions& options, const Context& context) {
  Output output(options.output, context);
  std::optional<cli::AtomicFile> file;
  if (!options.machine_file.empty()) file.emplace(options.machine_file);
  const Calibration found = calibrate(options, context, output.shows_progress());
  deliver({[&] {
             if (file) file->commit(machine_text(found.machine));
           },
           [&] { output.write([&] { return to_json(found, context); }); },
           [&] {
             output.print([&](report::Colour colour) {
               return text_of(found, options.has_details, colour);
             });
           }});
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
