#include "src/commands/list.h"

#include "sim/machine.h"
#include "sim/pipeline.h"
#include "sim/scenario.h"
#include "sim/transformer.h"
#include "src/commands/output.h"
#include "src/core/attention_kernel.h"
#include "src/profile/cudnn.h"
#include "src/profile/kernel_instances.h"
#include "src/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace fa3prof::commands {
namespace {

using core::Json;

constexpr int kSchemaVersion = 1;

/// One heading with its entries, ready for both forms of output.
struct Section {
  std::string name;
  Json entries = Json::array();
};

/// The peer that needs no plugin: whether it is here, too.
Json cudnn() {
  std::string needs;
  try {
    const profile::Cudnn cudnn = profile::Cudnn::open();
    needs = fmt::format("libcudnn.so.9: {} at {}", cudnn.version(), cudnn.path());
  } catch (const core::UnavailableError& error) {
    needs = error.what();
  }
  return {{"name", core::kCudnn},
          {"description", "NVIDIA cuDNN's fused attention, measured beside ours"},
          {"needs", needs},
          {"head_dims", Json::array()},
          {"dtypes", {"fp16", "bf16"}},
          {"pipeline", ""}};
}

Section kernels() {
  Section section{.name = "kernels"};
  for (const core::AttentionKernel& kernel : core::attention_kernels()) {
    Json dtypes = Json::array();
    for (const core::DataType dtype : kernel.dtypes) {
      dtypes.push_back(std::string(core::name_of(dtype)));
    }
    section.entries.push_back(
        {{"name", kernel.name},
         {"description", kernel.description},
         {"needs",
          fmt::format("compute capability {}.{}{}", kernel.min_capability.major,
                      kernel.min_capability.minor, kernel.needs_exact_major ? "" : " or newer")},
         {"head_dims", std::vector<std::int64_t>(kernel.head_dims.begin(), kernel.head_dims.end())},
         {"dtypes", std::move(dtypes)},
         {"pipeline", kernel.pipeline}});
  }
  section.entries.push_back(cudnn());
  return section;
}

Section instances() {
  Section section{.name = "instances"};
  for (const profile::KernelInstance& instance : profile::kernel_instances()) {
    section.entries.push_back({{"kernel", instance.kernel},
                               {"head_dim", instance.head_dim},
                               {"tile_m", instance.tile_m},
                               {"tile_n", instance.tile_n},
                               {"stages", instance.stages},
                               {"threads", instance.threads},
                               {"ctas_per_sm", instance.ctas_per_sm},
                               {"registers", instance.registers},
                               {"shared_memory_bytes", instance.shared_memory_bytes}});
  }
  return section;
}

Section metrics() {
  Section section{.name = "metrics"};
  for (const profile::MetricDescription& metric : profile::describe_metrics()) {
    section.entries.push_back(
        {{"name", metric.key}, {"description", metric.meaning}, {"source", metric.source}});
  }
  return section;
}

Section configs(const std::string& name, const std::vector<std::string>& names, auto load) {
  Section section{.name = name};
  for (const std::string& config : names) {
    section.entries.push_back({{"name", config}, {"description", load(config).description}});
  }
  return section;
}

std::vector<Section> all_sections() {
  return {kernels(),
          instances(),
          configs("machines", sim::builtin_machines(), sim::load_machine),
          configs("models", sim::builtin_transformers(), sim::load_transformer),
          configs("pipelines", sim::builtin_pipelines(), sim::load_pipeline),
          configs("scenarios", sim::builtin_scenarios(), sim::load_scenario),
          metrics()};
}

std::string text_of_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::vector<std::string> parts;
  for (const Json& item : value) {
    parts.push_back(item.is_string() ? item.get<std::string>() : item.dump());
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// A table whose first heading is the section's name, the others the keys of its entries.
std::string text_of(const Section& section, report::Colour colour) {
  std::vector<report::Table::Column> columns;
  for (const auto& field : section.entries.at(0).items()) {
    std::string heading = columns.empty() ? section.name : field.key();
    std::ranges::replace(heading, '_', ' ');
    columns.push_back({.heading = std::move(heading), .align = report::Table::Align::kLeft});
  }
  report::Table table(columns);
  for (const Json& entry : section.entries) {
    std::vector<std::string> cells;
    for (const auto& field : entry.items()) cells.push_back(text_of_value(field.value()));
    cells.front().insert(0, "  ");
    table.add_row(std::move(cells));
  }
  return table.text(colour);
}

}  // namespace

void add_list(CLI::App& app, Verb& chosen) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* verb =
      app.add_subcommand("list", "Kernels, machines, models, pipelines, scenarios, metrics");
  for (const std::string name :
       {"kernels", "machines", "models", "pipelines", "scenarios", "metrics"}) {
    verb->add_flag_callback("--" + name,
                            [options = options.get(), name] { options->sections.push_back(name); })
        ->description("only these; may be combined");
  }
  cli::add_output_options(*verb, options->output);
  verb->callback([options, &chosen] {
    chosen = [options](const Context& context) { return run_list(*options, context); };
  });
}

core::ExitCode run_list(const ListOptions& options, const Context& context) {
  Output output(options.output, context);
  std::vector<Section> sections = all_sections();
  std::erase_if(sections, [&options](const Section& section) {
    // The instances of the kernels belong to them.
    const std::string flag = section.name == "instances" ? "kernels" : section.name;
    return !options.sections.empty() &&
           std::ranges::find(options.sections, flag) == options.sections.end();
  });
  output.print([&](report::Colour colour) {
    std::string text;
    for (const Section& section : sections) {
      text += (text.empty() ? "" : "\n") + text_of(section, colour);
    }
    return text;
  });
  output.write([&] {
    Json document{{"schema_version", kSchemaVersion}};
    for (const Section& section : sections) document[section.name] = section.entries;
    return document;
  });
  return core::ExitCode::kDone;
}

}  // namespace fa3prof::commands
