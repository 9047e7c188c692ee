// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/store_libsvm.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../datasets/load/load.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets::detail {

namespace {

/// Lines with comments, a quote that is none, and zeros.
std::string make_lines(int first, int last) {
  std::string text = "# it's \" a comment\n";
  for (int i = first; i < last; ++i) {
    text += std::to_string(i % 3) + " 1:" + std::to_string(i) + ".5";
    if (i % 2 == 0) text += " 3:0";
    if (i % 5 == 0) text += " 7:-2e1";
    text += i % 9 == 0 ? "\n\n" : "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("datasets/load/store_libsvm") {
  TEST_CASE("files read in parts are those read into memory") {
    const test::ScratchFolder folder;
    const std::vector<std::string> paths = {
        folder.write("a.libsvm", make_lines(0, 300)),
        folder.write("b.libsvm", make_lines(300, 500))};
    const Dataset expected = load(paths, {}).dataset;
    LibsvmStore store({paths[0], paths[1]}, expected.source, 0, 500);

    CHECK(store.measure() == 8.0 * 500 * 7);
    const Dataset data = store.read(folder.path());

    REQUIRE(data.stored != nullptr);
    CHECK(data.first_features(500) == expected.features);
    CHECK(data.labels == expected.labels);
    CHECK(data.lines == expected.lines);
    CHECK(data.stored_zeros == expected.stored_zeros);
    CHECK(data.vector_kind == expected.vector_kind);
    CHECK(data.place_of(400).file == paths[1]);
    CHECK(data.place_of(400).position.line ==
          expected.place_of(400).position.line);
  }

  TEST_CASE("a wrong line is refused by its number") {
    const test::ScratchFolder folder;
    const std::string path =
        folder.write("a.libsvm", make_lines(0, 300) + "1 3:1 2:1\n");
    LoadOptions options;
    options.store = {folder.path(), 1.0};

    CHECK(
        test::thrown_message<DataError>([&] { return load(path, options); }) ==
        test::thrown_message<DataError>([&] { return load(path, {}); }));
  }
}

}  // namespace mlp::datasets::detail
