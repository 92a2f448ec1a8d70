#include "src/commands/compare.h"

#include "src/analysis/regression.h"
#include "src/cli/choice.h"
#include "src/cli/output_target.h"
#include "src/cli/ratio.h"
#include "src/cli/text_list.h"
#include "src/commands/output.h"
#include "src/commands/report_files.h"
#include "src/report/regression_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace fa3prof::commands {
namespace {

using analysis::Condition;
using report::NamedReport;

NamedReport load(const std::string& path) { return std::move(load_reports({path}).front()); }

/// Leaves only the chosen kernels, which must be there.
void choose_kernels(NamedReport& named, const std::vector<std::string>& kernels) {
  if (kernels.empty()) return;
  auto& results = named.report.results;
  std::erase_if(results, [&kernels](const core::Result& result) {
    return std::ranges::find(kernels, result.kernel) == kernels.end();
  });
  if (!results.empty()) return;
  throw core::UsageError("--kernel: " + named.name + " has none of these kernels");
}

/// As in a sentence.
std::string_view words_for(Condition condition) {
  return condition == Condition::kGpu ? "GPU" : analysis::name_of(condition);
}

/// What the reports do not share and need not; throws for what they must share.
std::vector<std::string> differences_of(const NamedReport& base, const NamedReport& fresh,
                                        const std::set<Condition>& may_differ) {
  std::vector<std::string> warnings;
  for (const auto& [condition, text] : analysis::condition_differences(base.report, fresh.report)) {
    const std::string what = fmt::format("another {}: {}", words_for(condition), text);
    if (!may_differ.contains(condition)) {
      throw core::UsageError(
          fmt::format("the reports are of {}; to compare them all the same, "
                      "give --allow-different-{}",
                      what, analysis::name_of(condition)));
    }
    warnings.push_back(what);
  }
  for (const NamedReport* named : {&base, &fresh}) {
    const std::string unknown = analysis::conditions_unknown(named->report, named->name);
    if (!unknown.empty()) warnings.push_back(unknown);
    for (const std::string& warning : named->report.warnings) {
      warnings.push_back(named->name + ": " + warning);
    }
  }
  return warnings;
}

bool has_other_gpu(const NamedReport& base, const NamedReport& fresh) {
  const auto differences = analysis::condition_differences(base.report, fresh.report);
  return std::ranges::any_of(differences, [](const analysis::ConditionDifference& difference) {
    return difference.condition == Condition::kGpu;
  });
}

std::string text_of(const report::RegressionView& view, CompareFormat format,
                    report::Colour colour) {
  switch (format) {
    case CompareFormat::kTable:
      return report::regression_text(view, colour);
    case CompareFormat::kMarkdown:
      return report::regression_markdown(view);
    case CompareFormat::kJunit:
      return report::regression_junit(view);
  }
  throw core::UsageError("unknown format");
}

core::ExitCode exit_code_of(const analysis::Regression& regression, bool is_strict) {
  if (regression.has_regression()) return core::ExitCode::kCheckFailed;
  if (is_strict && regression.is_undecided()) return core::ExitCode::kUnavailable;
  return core::ExitCode::kDone;
}

void add_conditions(CLI::App& verb, std::set<Condition>& may_differ) {
  const auto add = [&](Condition condition, const char* meaning) {
    verb.add_flag_callback(
        fmt::format("--allow-different-{}", analysis::name_of(condition)),
        [condition, &may_differ] { may_differ.insert(condition); }, meaning);
  };
  add(Condition::kGpu, "compare reports of two kinds of GPU, each in units of its tensor peak");
  add(Condition::kCache, "compare warm with cold L2");
  add(Condition::kInputs, "compare other distributions of Q, K and V");
  add(Condition::kMethod, "compare other ways of timing");
}

void add_output(CLI::App& verb, CompareOptions& options) {
  cli::add_choice<CompareFormat>(verb, "--format", options.format,
                                 {{"table", CompareFormat::kTable},
                                  {"markdown", CompareFormat::kMarkdown},
                                  {"junit", CompareFormat::kJunit}})
      ->description("table, a comment for a pull request, or a test case per row [table]");
  verb.add_option("-o,--output", options.text_file, "file for the format [stdout]")
      ->type_name("FILE");
  cli::add_output_options(verb, options.output);
}

}  // namespace

void add_compare(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "Whether a build is slower than another");
  verb->add_option("base", options->base, "report of the build to compare with")
      ->type_name("BASE")
      ->required();
  verb->add_option("new", options->fresh, "report of the build in question")
      ->type_name("NEW")
      ->required();
  verb->add_option_function<std::string>(
          "--max-regression",
          [options = options.get()](const std::string& text) {
            options->max_regression_ratio = cli::parse_ratio(text, "--max-regression");
          },
          "slower by more than this fails [3%]")
      ->type_name("RATIO");
  verb->add_flag("--strict", options->is_strict,
                 "exit with 3 where a row is missing or no verdict could be reached");
  verb->add_option_function<std::string>(
          "--kernel",
          [options = options.get()](const std::string& text) {
            options->kernels = cli::split_list(text, "--kernel");
          },
          "compare only these [all]")
      ->type_name("NAMES");
  add_conditions(*verb, options->may_differ);
  add_output(*verb, *options);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_compare(*options, context); };
  });
}

core::ExitCode run_compare(const CompareOptions& options, const Context& context) {
  for (const std::string& file : {options.output.json, options.text_file}) {
    refuse_to_replace(file, {options.base, options.fresh},
                      file == options.text_file ? "--output" : "--json");
  }
  Output output(options.output, context);
  std::optional<cli::AtomicFile> text_file;
  if (!options.text_file.empty()) text_file.emplace(options.text_file);
  NamedReport base = load(options.base);
  NamedReport fresh = load(options.fresh);
  if (base.name == fresh.name) {
    base.name = options.base;
    fresh.name = options.fresh;
  }
  for (NamedReport* named : {&base, &fresh}) choose_kernels(*named, options.kernels);
  const auto warnings = differences_of(base, fresh, options.may_differ);
  const auto regression =
      analysis::find_regressions(base.report, fresh.report,
                                 {.max_regression_ratio = options.max_regression_ratio,
                                  .normalises_by_peak = has_other_gpu(base, fresh)});
  const report::RegressionView view{
      .base = base, .fresh = fresh, .regression = regression, .warnings = warnings};
  deliver({[&] { output.write([&view] { return report::regression_json(view); }); },
           [&] {
             if (text_file) {
               text_file->commit(text_of(view, options.format, report::Colour::kNever));
             } else {
               output.print(
                   [&](report::Colour colour) { return text_of(view, options.format, colour); });
             }
           }});
  return exit_code_of(regression, options.is_strict);
}

}  // namespace fa3prof::commands
