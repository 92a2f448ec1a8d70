// Golden files: what a format's output must be, byte for byte. FA3PROF_UPDATE_GOLDEN=1 in the
// environment rewrites them; the change then shows in the commit.
#pragma once

#include "tests/catch.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace fa3prof::tests {

[[nodiscard]] inline std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Fails the test unless `actual` is what tests/golden/<name> holds.
inline void check_golden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(FA3PROF_GOLDEN_DIR) + "/" + name;
  const char* update = std::getenv("FA3PROF_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << actual;
  }
  INFO("golden file " << path << "; FA3PROF_UPDATE_GOLDEN=1 rewrites it");
  CHECK(actual == read_text(path));
}

}  // namespace fa3prof::tests
