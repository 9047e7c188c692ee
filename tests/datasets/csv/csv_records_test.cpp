// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_records.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../datasets/csv/csv.hpp"

namespace mlp::datasets {

namespace {

/// Selects rows by their number in the file.
std::string select(const std::string& text, const std::vector<int>& rows) {
  CsvOptions options;
  options.missing = MissingRule::kDrop;
  const CsvTable table = read_csv(text, "rows.csv", options);
  const Dataset& data = table.dataset;
  const CsvRecords records(text, data.lines, "rows.csv", ',', table.has_header);
  std::vector<Index> lines;
  for (const int row : rows) {
    lines.push_back(data.lines[static_cast<std::size_t>(row)]);
  }
  return records.select(lines);
}

}  // namespace

TEST_SUITE("datasets/csv/csv_records") {
  TEST_CASE("copies the header and rows as they are written") {
    const std::string text = "x, y\n1,a\r\n 2 ,\"b\"\n3,c\n";

    CHECK(select(text, {1, 0}) == "x, y\n 2 ,\"b\"\n1,a\r\n");
    CHECK(select(text, {}) == "x, y\n");
  }

  TEST_CASE("leaves out rows between those that are chosen") {
    CHECK(select("x,y\n,0\n1,0\n,1\n2,1\n,1\n", {1, 0}) == "x,y\n2,1\n1,0\n");
    CHECK(select(",0\n1,0\n,1\n2,1\n", {0}) == "1,0\n");
  }

  TEST_CASE("copies rows without a header") {
    CHECK(select("1,0\n2,1\n3,0\n", {2, 1}) == "3,0\n2,1\n");
  }

  TEST_CASE("leaves out a byte order mark") {
    CHECK(select("\xEF\xBB\xBF"
                 "1,0\n2,1\n",
                 {1, 0}) == "2,1\n1,0\n");
    CHECK(select("\xEF\xBB\xBFx,y\n1,0\n", {0}) == "x,y\n1,0\n");
  }

  TEST_CASE("copies rows of several lines") {
    CHECK(select("x,y\n1,\"a\nb\"\n2,c\n", {1, 0}) == "x,y\n2,c\n1,\"a\nb\"\n");
  }

  TEST_CASE("ends the last row of the file with a line end") {
    CHECK(select("x,y\n1,a\n2,b", {1, 0}) == "x,y\n2,b\n1,a\n");
    CHECK(select("x,y\n1,a\n2,b\n\n  \r\n", {1, 0}) == "x,y\n2,b\n1,a\n");
  }

  TEST_CASE("refuses a text that became shorter") {
    CHECK_THROWS_WITH_AS(
        CsvRecords("x,y\n1,a\n", {2, 3}, "rows.csv", ',', false),
        "rows.csv: has fewer lines than before; expected 3 or more; do not "
        "change it while it is used",
        DataError);
  }
}

}  // namespace mlp::datasets
