// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/store_wide.hpp"

#include <doctest/doctest.h>

#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets {

namespace {

Dataset make_data() {
  Dataset data;
  data.features = Matrix{{1, 2, 3}, {4, 5, 6}};
  return data;
}

}  // namespace

TEST_SUITE("datasets/load/store_wide") {
  TEST_CASE("moves features whose encoding is too large to a file") {
    const test::ScratchFolder folder;
    Dataset data = make_data();

    const auto note = store_wide(data, 100, {folder.path(), 1000.0});

    REQUIRE(note.has_value());
    CHECK(note->needed_bytes == 2400.0);
    CHECK(data.features.size() == 0);
    CHECK(data.first_features(3) == make_data().features);
  }

  TEST_CASE("leaves features whose encoding fits into memory") {
    const test::ScratchFolder folder;
    Dataset data = make_data();

    CHECK_FALSE(store_wide(data, 100, {folder.path(), 3000.0}).has_value());
    CHECK_FALSE(store_wide(data, 100, {folder.path(), 0.0}).has_value());
    CHECK_FALSE(store_wide(data, 100, {"", 1.0}).has_value());
    CHECK(data.features == make_data().features);
  }

  TEST_CASE("refuses a folder in memory if a size is given") {
    Dataset data = make_data();

    CHECK_FALSE(test::thrown_message<ResourceError>([&] {
                  return store_wide(data, 100, {"/dev/shm", 1.0});
                }).empty());
    CHECK(data.features == make_data().features);
  }
}

}  // namespace mlp::datasets
