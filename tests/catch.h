// The only door to Catch2: v2.13 (Debian 12) and v3 both build through it. Use TEST_CASE, SECTION,
// GENERATE, CHECK*/REQUIRE*, WithinRel/WithinAbs and contains(); nothing else of Catch2.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

namespace fa3prof::tests {
using Catch::Matchers::ContainsSubstring;

inline auto contains(const std::string& text) { return ContainsSubstring(text); }
}  // namespace fa3prof::tests
#else
#include <catch2/catch.hpp>

namespace fa3prof::tests {

inline auto contains(const std::string& text) { return Catch::Matchers::Contains(text); }
}  // namespace fa3prof::tests
#endif

namespace fa3prof::tests {
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
}  // namespace fa3prof::tests
