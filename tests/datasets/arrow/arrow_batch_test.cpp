// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_batch.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/thread_pool.hpp"
#include "arrow_file.hpp"
#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

namespace {

using test::ArrowColumn;

CsvOptions filled() {
  CsvOptions options;
  options.missing = MissingRule::kMean;
  return options;
}

/// A table that is in memory as long as this object.
struct Table {
  explicit Table(const test::ArrowTable& batch)
      : files{test::arrow_file("table", {batch})},
        columns(files, "table", table_options(filled())),
        stream(files.front().open({})),
        array(*stream->next()) {}

  std::vector<ArrowFile> files;
  ArrowColumns columns;
  std::shared_ptr<ArrowStream> stream;
  const ArrowArray& array;
};

}  // namespace

TEST_SUITE("datasets/arrow/arrow_batch") {
  TEST_CASE("reads some rows of an array") {
    const Table table({ArrowColumn::doubles("x", {1.0, 2.0, std::nullopt}),
                       ArrowColumn::texts("kind", {"a", " b ", "c,d"}),
                       ArrowColumn::doubles("y", {0.5, 1.5, 2.5})});
    const ArrowBatch batch(table.columns,
                           {*table.stream, table.array, 1, 2, 7});
    Matrix features = Matrix::Constant(2, 3, -1.0);
    ThreadPool pool(2);
    std::string text;

    batch.copy_numbers(features, 1, pool);
    batch.append_texts(text);

    CHECK(features(0, 0) == -1.0);
    CHECK(features(0, 1) == 2.0);
    CHECK(std::isnan(features(0, 2)));
    CHECK(features(1, 1) == -1.0);
    CHECK(text == "b,1.5\n\"c,d\",2.5\n");
  }

  TEST_CASE("names the first wrong row, whatever the number of threads is") {
    std::vector<std::optional<double>> values(50000, 1.0);
    for (const std::size_t wrong : {30000U, 49999U, 20001U}) {
      values[wrong] = INFINITY;
    }
    const Table table(
        {ArrowColumn::doubles("x", values), ArrowColumn::doubles("y", values)});
    const ArrowBatch batch(table.columns,
                           {*table.stream, table.array, 0, 50000, 10});
    Matrix features(1, 50000);
    for (const int num_threads : {1, 4}) {
      ThreadPool pool(num_threads);
      CHECK_THROWS_WITH_AS(
          batch.copy_numbers(features, 0, pool),
          "table:20012: expected a number in column 'x', got 'Infinity'",
          DataError);
    }
  }
}

}  // namespace mlp::datasets::detail
