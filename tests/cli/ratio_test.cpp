#include "src/cli/ratio.h"

#include "src/core/error.h"
#include "tests/catch.h"

#include <string>

using namespace fa3prof;
using namespace fa3prof::tests;

TEST_CASE("A ratio is a number from 0 to 1 or a percentage", "[cli]") {
  CHECK(cli::parse_ratio("0.03", "--max-mape") == 0.03);
  CHECK(cli::parse_ratio("3%", "--max-mape") == 0.03);
  CHECK(cli::parse_ratio("0", "--max-mape") == 0.0);
  CHECK(cli::parse_ratio("100%", "--max-mape") == 1.0);
}

TEST_CASE("What may be a ratio or a percentage, or is neither, is refused", "[cli]") {
  const std::string text =
      GENERATE("3", "1.01", "101%", "-0.1", "nan", "inf", "", "%", "3 %", "0.03x", "a");
  CHECK_THROWS_WITH(cli::parse_ratio(text, "--max-mape"),
                    contains("--max-mape: '" + text + "'") && contains("0.03 or 3%"));
}
