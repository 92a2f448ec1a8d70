#include "src/core/error.h"
#include "src/report/json.h"
#include "src/report/json_fields.h"
#include "src/report/json_what_if_fields.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

namespace fa3prof::report {
namespace {

using core::JsonReader;

constexpr core::IntegerRange kFromZero{.min = 0};

/// Runs `parse`, turning its UsageError into an error at this value's place in the file.
auto at_place(const JsonReader& reader, auto parse) {
  try {
    return parse();
  } catch (const core::UsageError& error) {
    reader.fail(error.what());
  }
}

template <std::integral T>
void read(const JsonReader& reader, T& number) {
  constexpr std::int64_t kLargest = sizeof(T) < sizeof(std::int64_t)
                                        ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                        : std::numeric_limits<std::int64_t>::max();
  number = static_cast<T>(reader.integer({.min = 0, .max = kLargest}));
}

void read(const JsonReader& reader, double& number) { number = reader.number(); }

void read(const JsonReader& reader, bool& flag) { flag = reader.boolean(); }

void read(const JsonReader& reader, std::string& text) { text = reader.string(); }

void read(const JsonReader& reader, core::DataType& dtype) {
  dtype = at_place(reader, [&] { return core::parse_data_type(reader.string()); });
}

void read(const JsonReader& reader, core::ResultSource& source) {
  source = at_place(reader, [&] { return core::parse_result_source(reader.string()); });
}

void read(const JsonReader& reader, core::Counters::Status& status) {
  status = at_place(reader, [&] { return parse_status(reader.string()); });
}

void read(const JsonReader& reader, core::ConfigValue& value) {
  if (reader.is_string()) {
    value = reader.string();
  } else if (reader.is_number()) {
    value = reader.number();
  } else {
    value = reader.boolean();
  }
}

void read(JsonReader reader, std::map<std::string, double>& values) {
  for (const std::string& key : reader.keys()) values[key] = reader.at(key).number();
}

template <typename T>
void read(const JsonReader& reader, std::vector<T>& list);

template <typename T>
requires std::is_class_v<T>
void read(JsonReader reader, T& fields);

template <typename T>
void read(const JsonReader& reader, std::optional<T>& value) {
  read(reader, value.emplace());
}

/// Walks a struct's fields out of an object.
class Filler {
 public:
  explicit Filler(JsonReader& reader) : reader_(reader) {}

  void required(const char* key, auto& value) { read(reader_.at(key), value); }

  void optional(const char* key, auto& value) {
    if (const auto member = reader_.find(key)) read(*member, value);
  }

  void finite(const char* key, double& value) {
    value = std::numeric_limits<double>::quiet_NaN();
    optional(key, value);
  }

  void derived(const char* key, const auto&) {
    if (const auto member = reader_.find(key)) static_cast<void>(member->number());
  }

  void derived_text(const char* key, const auto&) {
    if (const auto member = reader_.find(key)) static_cast<void>(member->string());
  }

 private:
  JsonReader& reader_;
};

template <typename T>
void read(const JsonReader& reader, std::vector<T>& list) {
  for (const JsonReader& item : reader.items()) read(item, list.emplace_back());
}

template <typename T>
requires std::is_class_v<T>

void read(JsonReader reader, T& fields) {
  Filler filler(reader);
  walk(filler, fields);
  reader.finish();
  if constexpr (std::is_same_v<T, core::AttentionProblem> || std::is_same_v<T, core::PackedTrack>) {
    at_place(reader, [&fields] { core::validate(fields); });
  }
}

/// Throws for another version. True for a minor version that is newer than this program's.
bool is_newer(JsonReader& root) {
  const JsonReader reader = root.at("schema_version");
  const std::int64_t version = reader.integer();
  if (version != core::kReportSchemaVersion) {
    reader.fail(
        fmt::format("is {}, but this fa3prof reads version {}; use the fa3prof that wrote "
                    "the report, or write it anew",
                    version, core::kReportSchemaVersion));
  }
  const auto minor = root.find("schema_minor");
  return minor && minor->integer(kFromZero) > core::kReportSchemaMinor;
}

std::string newer_warning(JsonReader& root) {
  return fmt::format(
      "{}: written by a newer fa3prof (schema {}.{}, this one knows {}.{}): what that adds is "
      "ignored",
      root.file(), core::kReportSchemaVersion, root.at("schema_minor").integer(),
      core::kReportSchemaVersion, core::kReportSchemaMinor);
}

void check_shard(const core::Report& report, JsonReader& root) {
  if (!report.shard) return;
  const auto [index, count] = *report.shard;
  if (index >= 1 && index <= count) return;
  root.at("shard").fail(fmt::format("is {} of {}; shards count from 1", index, count));
}

core::Report read_root(const core::Json& document, const std::string& file) {
  JsonReader root(document, file);
  const bool has_unknown_keys = is_newer(root);
  if (has_unknown_keys) root.set_unknown_keys(core::UnknownKeys::kIgnored);
  core::Report report;
  Tool tool;
  Filler filler(root);
  filler.required("tool", tool);
  filler.required("created_at", report.created_at);
  filler.required("command", report.command);
  filler.required("environment", report.environment);
  filler.optional("seed", report.seed);
  filler.optional("shard", report.shard);
  check_shard(report, root);
  filler.optional("what_if", report.what_if);
  filler.required("results", report.results);
  filler.required("warnings", report.warnings);
  for (const char* derived : {"deviations", "speedups", "fleet", "generations", "what_if_ratios"}) {
    if (const auto list = root.find(derived)) static_cast<void>(list->items());
  }
  if (auto derived = root.find("validation")) static_cast<void>(derived->keys());
  root.finish();
  if (has_unknown_keys) report.warnings.push_back(newer_warning(root));
  report.environment.tool_version = tool.version;
  report.environment.tool_commit = tool.commit;
  report.environment.compiler = tool.compiler;
  report.environment.cuda_toolkit = tool.cuda_toolkit;
  return report;
}

}  // namespace

core::Report parse_report(std::string_view text, const std::string& file) {
  return read_root(core::parse_json(text, file), file);
}

core::Report load_report(const std::string& path) { return read_root(core::load_json(path), path); }

}  // namespace fa3prof::report
