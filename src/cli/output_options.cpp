#include "src/cli/output_options.h"

#include "src/core/error.h"

namespace fa3prof::cli {
namespace {

constexpr const char* kGroup = "Output";

}  // namespace

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_option_function<std::string>(
         "--json",
         [&options](const std::string& path) {
           if (path.empty()) throw core::UsageError("--json needs a file, or - for stdout");
           options.json = path;
         },
         "write the JSON document to a file, or - for stdout (the table then moves to stderr)")
      ->type_name("FILE|-")
      ->group(kGroup);
  app.add_flag("--quiet", options.is_quiet, "no table and no progress, only errors")->group(kGroup);
}

}  // namespace fa3prof::cli
