#include "src/report/table.h"

#include "tests/catch.h"

using namespace fa3prof::report;

TEST_CASE("Numbers are grouped by thousands", "[report]") {
  CHECK(grouped(0.0, 0) == "0");
  CHECK(grouped(999.0, 0) == "999");
  CHECK(grouped(1434112.4, 0) == "1,434,112");
  CHECK(grouped(-123456.78, 1) == "-123,456.8");
  CHECK(grouped(-123.0, 0) == "-123");
}

TEST_CASE("Ratios are shown as percent with a sign only where asked for", "[report]") {
  CHECK(percent(0.6432) == "64.3 %");
  CHECK(signed_percent(0.031) == "+3.1 %");
  CHECK(signed_percent(-0.031) == "-3.1 %");
  CHECK(signed_percent(-0.0001) == "0.0 %");
  CHECK(times(2.4545) == "2.45x");
}

TEST_CASE("Columns align and empty ones are left out", "[report]") {
  Table table(
      {{"", Table::Align::kLeft}, {"time us"}, {"cycles"}, {"limited by", Table::Align::kLeft}});
  table.add_line("a heading that is wider than the whole table will ever be");
  table.add_row({"fa2", "1.0", "", "tensor"});
  table.add_row({"fa3_long", "12,345.0", "", "mufu"});
  table.add_note("fa1", "a note over the other columns, of any length that it likes to have");
  CHECK(table.text(Colour::kNever) ==
        "           time us  limited by\n"
        "a heading that is wider than the whole table will ever be\n"
        "fa2            1.0  tensor\n"
        "fa3_long  12,345.0  mufu\n"
        "fa1       a note over the other columns, of any length that it likes to have\n");
}

TEST_CASE("Colour does not change the alignment and is absent unless told", "[report]") {
  Table table({{"a"}, {"b"}});
  table.add_row({"1", "2"}, Tone::kBad);
  CHECK(table.text(Colour::kNever) == "a  b\n1  2\n");
  CHECK(table.text(Colour::kAlways) == "\x1b[1ma  b\x1b[0m\n\x1b[1;31m1  2\x1b[0m\n");
}
