// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_parts.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../../../core/thread_pool.hpp"
#include "arrow_file.hpp"
#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

namespace {

using test::ArrowColumn;

/// What the parts of a pass have.
struct Pass {
  std::vector<double> numbers;
  std::string text;
  std::vector<std::size_t> first_lines;

  explicit Pass(ArrowParts& parts) {
    ThreadPool pool(1);
    Matrix features(1, 2);
    parts.restart();
    while (const FileInPieces* const part = parts.next(pool)) {
      parts.copy_numbers(features, pool);
      for (Index i = 0; i < parts.num_rows(); ++i) {
        numbers.push_back(features(0, i));
      }
      text += part->text;
      first_lines.push_back(part->pieces.front().first_line);
    }
  }
};

}  // namespace

TEST_SUITE("datasets/arrow/arrow_parts") {
  TEST_CASE("gives all rows of all files, and begins again") {
    const auto batch = [](double first) {
      return test::ArrowTable{
          ArrowColumn::doubles("x", {first, first + 1, first + 2}),
          ArrowColumn::texts("y", {"a", "b", "c"})};
    };
    const std::vector<ArrowFile> files{
        test::arrow_file("one", {batch(0), batch(3)}),
        test::arrow_file("two", {batch(6)})};
    const ArrowColumns columns(files, "both", table_options({}));
    ArrowParts parts(files, columns, 2);

    for (int i = 0; i < 2; ++i) {
      const Pass pass(parts);
      CHECK(pass.numbers == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8});
      CHECK(pass.text == "0\na\nb\nc\na\nb\nc\n0\na\nb\nc\n");
      CHECK(pass.first_lines == std::vector<std::size_t>{0, 3, 4, 6, 0, 3});
      REQUIRE(parts.sources().size() == 2);
      CHECK(parts.sources()[1].name == "two");
      CHECK(parts.sources()[1].lines_before == 6);
    }
  }
}

}  // namespace mlp::datasets::detail
