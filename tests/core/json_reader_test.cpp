#include "src/core/json_reader.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <filesystem>
#include <fstream>

namespace fa3prof::tests {
namespace {

/// The ConfigError that reading `text` by `read` ends in; fails the test if there is none.
template <typename Read>
core::ConfigError error_of(std::string_view text, Read read) {
  const core::Json json = core::parse_json(text, "a.json");
  try {
    read(core::JsonReader(json, "a.json"));
  } catch (const core::ConfigError& error) {
    return error;
  }
  FAIL("no ConfigError for " << text);
  throw std::logic_error("unreachable");
}

}  // namespace

TEST_CASE("values of every type are read", "[core]") {
  const core::Json json = core::parse_json(
      R"({"s": "x", "n": 2.5, "i": 3, "b": true, "a": [1, 2], "o": {"k": 1},
          "q": {"value": 0.5, "source": "here"}})",
      "a.json");
  core::JsonReader reader(json, "a.json");
  CHECK(reader.at("s").string() == "x");
  CHECK(reader.at("n").number() == 2.5);
  CHECK(reader.at("i").integer() == 3);
  CHECK(reader.at("i").number() == 3.0);
  CHECK(reader.at("b").boolean());
  CHECK(reader.at("a").items().size() == 2);
  CHECK(reader.at("o").at("k").pointer() == "/o/k");
  CHECK(reader.at("q").sourced_number().value == 0.5);
  CHECK_FALSE(reader.find("absent").has_value());
  CHECK_NOTHROW(reader.finish());
}

TEST_CASE("an unknown key is refused with the key that was probably meant", "[core]") {
  const auto error = error_of(R"({"o": {"titel_m": 1}})", [](core::JsonReader reader) {
    core::JsonReader inner = reader.at("o");
    (void)inner.find("tile_m");
    (void)inner.find("stages");
    inner.finish();
  });
  CHECK(error.file() == "a.json");
  CHECK(error.pointer() == "/o/titel_m");
  CHECK_THAT(error.what(), contains("did you mean tile_m?"));
  CHECK_THAT(error.what(), contains("tile_m, stages"));
}

TEST_CASE("a wrong value is refused with file and pointer", "[core]") {
  struct Case {
    std::string_view text;
    void (*read)(const core::JsonReader&);
    std::string_view says;
  };

  const auto wrong = GENERATE(
      Case{R"({"k": 1})", [](const core::JsonReader& r) { (void)r.string(); }, "must be a string"},
      Case{R"({"k": "1"})", [](const core::JsonReader& r) { (void)r.number(); },
           "must be a number"},
      Case{R"({"k": 1.0})", [](const core::JsonReader& r) { (void)r.integer(); },
           "must be an integer"},
      Case{R"({"k": 18446744073709551615})",
           [](const core::JsonReader& r) { (void)r.integer({.min = 0}); }, "must be >= 0"},
      Case{R"({"k": 0})", [](const core::JsonReader& r) { (void)r.number(core::kPositive); },
           "must be > 0"},
      Case{R"({"k": 2})", [](const core::JsonReader& r) { (void)r.number(core::kRatio); },
           "between 0 and 1"},
      Case{R"({"k": 0})", [](const core::JsonReader& r) { (void)r.boolean(); }, "true or false"},
      Case{R"({"k": {}})", [](const core::JsonReader& r) { (void)r.items(); }, "must be an array"},
      Case{R"({"k": 5})", [](const core::JsonReader& r) { (void)r.sourced_number(); }, "source"},
      Case{R"({"k": {"value": 5, "source": ""}})",
           [](const core::JsonReader& r) { (void)r.sourced_number(); }, "comes from"});
  const auto error =
      error_of(wrong.text, [&](core::JsonReader reader) { wrong.read(reader.at("k")); });
  CHECK_THAT(error.what(), contains("a.json at /k"));
  CHECK_THAT(error.what(), contains(std::string(wrong.says)));
}

TEST_CASE("a tree where a number belongs is refused by its kind", "[core]") {
  const auto error =
      error_of(R"({"k": [1, 2]})", [](core::JsonReader reader) { (void)reader.at("k").integer(); });
  CHECK_THAT(error.what(), contains("a.json at /k: is array, must be an integer"));
}

TEST_CASE("what is nested too deeply is refused, however deep it goes", "[core]") {
  const auto nested = [](std::size_t depth) {
    return R"({"k": 1, "l": )" + std::string(depth, '[') + std::string(depth, ']') +
           R"(, "m": 1, "n": 1})";
  };
  CHECK_NOTHROW((void)core::parse_json(nested(999), "a.json"));
  for (const std::size_t depth : {std::size_t{1000}, std::size_t{1'000'000}}) {
    CHECK_THROWS_WITH((void)core::parse_json(nested(depth), "a.json"),
                      contains("a.json: is nested more than 1000 deep"));
  }
}

TEST_CASE("a missing key and a value that is no object name the object", "[core]") {
  const auto missing =
      error_of(R"({"o": {}})", [](core::JsonReader reader) { (void)reader.at("o").at("k"); });
  CHECK(missing.pointer() == "/o");
  CHECK_THAT(missing.what(), contains("'k' is missing"));
  const auto number =
      error_of(R"({"o": 1})", [](core::JsonReader reader) { (void)reader.at("o").find("k"); });
  CHECK_THAT(number.what(), contains("must be an object"));
}

TEST_CASE("unknown keys are ignored where they may be, at any depth", "[core]") {
  const core::Json json = core::parse_json(R"({"new": 1, "list": [{"new": 2}]})", "a.json");
  core::JsonReader reader(json, "a.json");
  reader.set_unknown_keys(core::UnknownKeys::kIgnored);
  CHECK_NOTHROW(reader.at("list").items().front().finish());
  CHECK_NOTHROW(reader.finish());
}

TEST_CASE("malformed JSON is refused with line and column", "[core]") {
  try {
    (void)core::parse_json("{\"a\": 1,\n \"b\" 2}", "a.json");
    FAIL("no error");
  } catch (const core::ConfigError& error) {
    CHECK_THAT(error.what(), contains("a.json"));
    CHECK_THAT(error.what(), contains("line 2, column 6"));
  }
  CHECK_THROWS_AS(core::parse_json("", "a.json"), core::ConfigError);
  CHECK_THROWS_AS(core::parse_json("{\"a\": NaN}", "a.json"), core::ConfigError);
  CHECK_THROWS_AS(core::parse_json("{\"a\": 1e999}", "a.json"), core::ConfigError);
  CHECK_THROWS_AS(core::parse_json("{} {}", "a.json"), core::ConfigError);
}

TEST_CASE("a key that an object has twice is refused at its pointer", "[core]") {
  try {
    (void)core::parse_json(R"({"list": [{"k": 1}, {"k": 1, "a/b": 2, "a/b": 3}]})", "a.json");
    FAIL("no error");
  } catch (const core::ConfigError& error) {
    CHECK(error.pointer() == "/list/1/a~1b");
  }
  CHECK_NOTHROW(core::parse_json(R"([{"k": 1}, {"k": [{"k": 2}]}])", "a.json"));
}

TEST_CASE("a file that cannot be read is refused by its path", "[core]") {
  const auto folder = std::filesystem::temp_directory_path();
  for (const std::string& path : {std::string("/no/such/file.json"), folder.string()}) {
    try {
      (void)core::load_json(path);
      FAIL("no error for " << path);
    } catch (const core::ConfigError& error) {
      CHECK(error.file() == path);
    }
  }
}

}  // namespace fa3prof::tests
