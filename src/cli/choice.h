// Flags that take one of a few words: --cache cold|warm.
#pragma once

#include "src/core/error.h"

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace fa3prof::cli {

template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

/// "cold|warm"
template <typename T>
[[nodiscard]] std::string words_of(const Choices<T>& choices) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  return words;
}

/// Adds a flag that sets `target`; another word throws UsageError naming the choices.
template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, T& target,
                        const Choices<T>& choices) {
  const auto pick = [flag, &target, choices](const std::string& text) {
    for (const auto& [word, value] : choices) {
      if (word != text) continue;
      target = value;
      return;
    }
    throw core::UsageError(flag + ": '" + text + "' is no choice; write " + words_of(choices));
  };
  return app.add_option_function<std::string>(flag, pick)->type_name(words_of(choices));
}

}  // namespace fa3prof::cli
