// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/arrow/arrow_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "arrow_file.hpp"
#include "arrow_memory.hpp"

namespace mlp::datasets::detail {

TEST_SUITE("datasets/arrow/arrow_text") {
  TEST_CASE("writes the rows of all files, and the kind of lists") {
    using test::ArrowColumn;
    const auto batch = [](double first) {
      return test::ArrowTable{
          ArrowColumn::doubles("x", {first, std::nullopt}),
          ArrowColumn::of<std::int32_t>("day", "tdD", {1, 2}),
          ArrowColumn::lists<std::int32_t>("list", "i", {{1}, {}}),
          test::spark_vectors("v", {-1, 2}, {{}, {1}}, {{1, 2}, {5}}),
          ArrowColumn::texts("y", {"a,b", "c"})};
    };
    const std::vector<ArrowFile> files{test::arrow_file("one", {batch(0.5)}),
                                       test::arrow_file("two", {batch(7)})};
    const ArrowColumns columns(files, "both", table_options({}));

    CHECK(table_text(files, columns) ==
          "x,day,list,v_0,v_1,y\n"
          "0.5,1970-01-02,lists,1,2,\"a,b\"\n"
          "\"\",1970-01-03,lists,0,5,c\n"
          "7,1970-01-02,lists,1,2,\"a,b\"\n"
          "\"\",1970-01-03,lists,0,5,c\n");
  }
}

}  // namespace mlp::datasets::detail
