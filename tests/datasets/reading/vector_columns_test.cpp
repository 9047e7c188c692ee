// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/vector_columns.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace mlp::datasets {

TEST_SUITE("datasets/reading/vector_columns") {
  TEST_CASE("each column is a field if there are no vectors") {
    const VectorColumns none;

    CHECK(none.empty());
    CHECK(none.field_of(3) == 3);
    CHECK(none.column_of(3) == 3);
    CHECK_FALSE(none.is_element(3));
  }

  TEST_CASE("counts a vector as one column and as many fields") {
    // The fields are a, v_0, v_1, w_0, b.
    const VectorColumns columns({{1, 2}, {2, 1}});
    const std::vector<Index> column_of{0, 1, 1, 2, 3};
    const std::vector<Index> field_of{0, 1, 3, 4};

    for (Index field = 0; field < 5; ++field) {
      const Index column = column_of[static_cast<std::size_t>(field)];
      CHECK(columns.column_of(field) == column);
      CHECK(columns.is_element(field) == (column == 1 || column == 2));
    }
    for (Index column = 0; column < 4; ++column) {
      CHECK(columns.field_of(column) ==
            field_of[static_cast<std::size_t>(column)]);
    }
    CHECK(columns.find(1)->size == 2);
    CHECK(columns.find(3) == nullptr);
  }
}

}  // namespace mlp::datasets
