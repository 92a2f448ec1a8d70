// The values of a machine or pipeline file by name: which there are, and how one is changed.
#pragma once

#include "src/core/json_reader.h"
#include "src/core/what_if.h"

#include <string>
#include <string_view>
#include <vector>

namespace fa3prof::sim {

/// A value in a document that outlives it.
struct FoundValue {
  std::string pointer;  ///< RFC 6901
  std::string key;      ///< the last one that names it; decides its unit
  core::Json* value = nullptr;
};

/// The numbers, flags, words and sizes that `path` names. It is a JSON pointer ("/tiles/1/stages")
/// or dotted ("roles.consumer.loop.mask.per_element.select"): keys, places in a list, names of
/// roles and steps (all of that name), "*" for every member. A sourced number goes by its key
/// alone.
[[nodiscard]] std::vector<FoundValue> find_values(core::Json& document, std::string_view path);

/// A name that find_values() knows, and what it finds.
struct NamedValue {
  std::string name;                ///< dotted
  std::vector<std::string> texts;  ///< each value once
  std::string unit;                ///< empty: none
};

/// All of a document, in its order, but names, descriptions, sources and what ties steps together.
[[nodiscard]] std::vector<NamedValue> named_values(const core::Json& document);

/// `stated` for a value under `key` that is `present` now: a factor ("2x", "-10%"), a number with a
/// unit ("1.4GHz") or in the key's own, a flag, or a word. Factors of sizes become part of the
/// product. Throws UsageError naming `flag` for what is none of these.
[[nodiscard]] core::Json changed_value(const core::Json& present, std::string_view key,
                                       std::string_view stated);

/// Whether it is "2x" or "+10%".
[[nodiscard]] bool is_factor(std::string_view stated);

/// A value as reports hold it.
[[nodiscard]] core::ConfigValue config_value(const core::Json& value);

}  // namespace fa3prof::sim
