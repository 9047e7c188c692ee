// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_texts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "../../../datasets/csv/layout/csv_first_rows.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets::detail {

namespace {

/// A text that is read in pieces of few bytes.
struct SmallTable {
  explicit SmallTable(std::string rows, int num_threads = 2)
      : text(std::move(rows)), pool(num_threads) {
    const TextFile file{"t", text};
    files = make_pieces({&file, 1}, pool, {1, 4, 1});
    layout = find_layout({&file, 1}, options);
    instances.data.source = "t";
    instances.rules.set(layout, options, "t");
    instances.data.features.resize(layout.num_features, 100);
  }

  std::string text;
  ThreadPool pool;
  CsvOptions options;
  std::vector<FileInPieces> files;
  CsvLayout layout;
  CsvInstances instances;
};

const std::string kText = "x,y,label\n1,2,0\n3,4,1\n5,6,0\n";

}  // namespace

TEST_SUITE("datasets/csv/csv_texts") {
  TEST_CASE("reads the rows of a text") {
    for (const int num_threads : {1, 3}) {
      SmallTable table(kText, num_threads);
      CsvTextReader reader(table.layout, table.instances);

      CHECK(reader.read_all(table.files, table.pool));

      CHECK(reader.num_rows() == 3);
      CHECK(table.instances.data.features.leftCols(3) ==
            Matrix{{1, 3, 5}, {2, 4, 6}});
      CHECK(table.instances.labels == std::vector<double>{0, 1, 0});
      CHECK(table.instances.data.lines == std::vector<Index>{2, 3, 4});
    }
  }

  TEST_CASE("reads parts of a file behind each other") {
    SmallTable table(kText);
    CsvTextReader reader(table.layout, table.instances);
    FileInPieces part = table.files.front();
    REQUIRE(reader.read_part(part, table.pool));
    table.instances.num_stored = 3;
    const std::string text = "7,8,1\n\n9,10,0\n";
    part.is_continued = true;
    part.text = text;
    part.pieces = make_pieces(text, "t", table.pool, 4, 5);

    CHECK(reader.read_part(part, table.pool));

    CHECK(reader.num_rows() == 5);
    CHECK(reader.num_empty_lines() == 1);
    CHECK(table.instances.data.features.leftCols(2) == Matrix{{7, 9}, {8, 10}});
    // There is room for an empty line, too.
    table.instances.labels.resize(5);
    table.instances.data.lines.resize(5);
    CHECK(table.instances.labels == std::vector<double>{0, 1, 0, 1, 0});
    CHECK(table.instances.data.lines == std::vector<Index>{2, 3, 4, 5, 7});
  }

  TEST_CASE("tells that a label is a text, and names a wrong row") {
    SmallTable odd(kText + "7,8,no\n");
    SmallTable wrong(kText + "7,odd,0\n");

    CHECK_FALSE(
        CsvTextReader(odd.layout, odd.instances).read_all(odd.files, odd.pool));
    CHECK(test::thrown_message<DataError>([&] {
            return CsvTextReader(wrong.layout, wrong.instances)
                .read_all(wrong.files, wrong.pool);
          }).find("t:5:3: expected a number in column 'y', got 'odd'") == 0);
  }
}

}  // namespace mlp::datasets::detail
