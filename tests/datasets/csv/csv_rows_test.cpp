// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_rows.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace mlp::datasets::detail {

namespace {

/// Two features and the label.
CsvLayout make_layout() {
  CsvLayout layout;
  layout.slots = {0, 1, kLabelSlot};
  layout.num_features = 2;
  return layout;
}

CsvInstances make_room(Index num_instances) {
  CsvInstances instances;
  instances.data.source = "f.csv";
  instances.data.features = Matrix::Constant(2, num_instances, 9.0);
  return instances;
}

}  // namespace

TEST_SUITE("datasets/csv/csv_rows") {
  TEST_CASE("stores elements where they belong and grows by one at most") {
    std::vector<int> values = {1};

    store(values, 0, 2);
    store(values, 1, 3);

    CHECK(values == std::vector<int>{2, 3});
  }

  TEST_CASE("reads rows one by one until the end") {
    const CsvLayout layout = make_layout();
    CsvInstances instances = make_room(2);
    const std::string text = "1,2,0\n3,4,1\n\n";
    CsvRowReader rows(TextPiece{text}, layout, instances, 0);

    CHECK(rows.read_row());
    CHECK(rows.next_line() == 2);
    CHECK(rows.next_byte() == text.data() + 6);
    CHECK(rows.read_row());
    CHECK_FALSE(rows.read_row());

    CHECK(rows.next_row() == 2);
    CHECK(instances.data.features == Matrix{{1, 3}, {2, 4}});
    CHECK(instances.labels == std::vector<double>{0, 1});
    CHECK(instances.data.lines == std::vector<Index>{1, 2});
  }

  TEST_CASE("writes into the middle of instances that have room") {
    const CsvLayout layout = make_layout();
    CsvInstances instances = make_room(3);
    instances.labels_are_texts = true;
    instances.data.label_texts.resize(3);
    instances.data.lines.resize(3);
    CsvRowReader rows(TextPiece{"5,6,x\n", 7, 1}, layout, instances, 1);

    CHECK(rows.read_row());

    CHECK(instances.data.features == Matrix{{9, 5, 9}, {9, 6, 9}});
    CHECK(instances.data.label_texts == std::vector<std::string>{"", "x", ""});
    CHECK(instances.data.lines == std::vector<Index>{0, 7, 0});
  }

  TEST_CASE("stops at the first label that is no number") {
    const CsvLayout layout = make_layout();
    CsvInstances instances = make_room(2);
    CsvRowReader rows(TextPiece{"1,2,0\n3,4,x\n"}, layout, instances, 0);

    CHECK(rows.read_row());
    CHECK_FALSE(rows.has_odd_label());
    CHECK_FALSE(rows.read_row());

    CHECK(rows.has_odd_label());
    CHECK(rows.next_row() == 1);
  }

  TEST_CASE("leaves out the header and columns without a use") {
    CsvLayout layout = make_layout();
    layout.slots = {kIgnoredSlot, 1, 0};
    CsvInstances instances = make_room(1);
    CsvRowReader rows(TextPiece{"a,b,c\nx,2,1\n"}, layout, instances, 0);

    rows.skip_record();

    CHECK(rows.read_row());
    CHECK(instances.data.features == Matrix{{1}, {2}});
  }

  TEST_CASE("writes weights where the column has them") {
    CsvLayout layout = make_layout();
    layout.slots = {0, kWeightSlot, 1};
    layout.weight_column = 1;
    CsvInstances instances = make_room(2);
    instances.weights.resize(2);
    instances.data.lines.resize(2);
    CsvRowReader rows(TextPiece{"1,\"0.5\",2\n"}, layout, instances, 1);

    CHECK(rows.read_row());

    CHECK(instances.data.features == Matrix{{9, 1}, {9, 2}});
    CHECK(instances.weights == std::vector<double>{0, 0.5});
  }

  TEST_CASE("refuses a row without room that is too short") {
    const CsvLayout layout = make_layout();
    CsvInstances instances = make_room(0);
    CsvRowReader rows(TextPiece{"1\n"}, layout, instances, 0);

    CHECK_THROWS_WITH_AS(
        rows.read_row(),
        "f.csv:1:1: expected 3 fields as in the first row, got 1", DataError);
  }
}

}  // namespace mlp::datasets::detail
