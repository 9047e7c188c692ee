// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/store_libsvm.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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

    const auto bytes = store.measure();
    REQUIRE(bytes.has_value());
    CHECK(bytes->features == 8.0 * 500 * 7 + 16.0 * 250);
    CHECK(bytes->without_zeros == 12.0 * (500 + 250 + 100) + 8.0 * 500);
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

  TEST_CASE("features stay sparse if they fit into memory without zeros") {
    const test::ScratchFolder folder;
    const std::vector<std::string> paths = {
        folder.write("a.libsvm", make_lines(0, 300)),
        folder.write("b.libsvm", make_lines(300, 500))};
    const Dataset expected = load(paths, {}).dataset;
    // Pairs have 12 bytes, and 500 rows of 7 features 28,000.
    const double sparse_bytes = 12.0 * (500 + 250 + 100) + 8.0 * 500;
    LoadOptions options;
    options.store = {folder.path(), sparse_bytes};

    const LoadedData loaded = load(paths, options);
    const Dataset& data = loaded.dataset;

    REQUIRE(data.stored != nullptr);
    CHECK_FALSE(data.stored->is_in_file());
    CHECK(loaded.stored->sparse_bytes == sparse_bytes);
    CHECK(data.first_features(500) == expected.features);
    CHECK(data.labels == expected.labels);
    CHECK(data.lines == expected.lines);
    CHECK(data.stored_zeros == expected.stored_zeros);
    options.store.memory_bytes = sparse_bytes - 1.0;
    CHECK(load(paths, options).dataset.stored->is_in_file());
  }

  TEST_CASE("features that are nearly all zeros stay sparse") {
    const test::ScratchFolder folder;
    std::string text;
    for (int i = 0; i < 40; ++i) {
      text += std::to_string(i % 2) + ' ' + std::to_string(1 + i) + ":1 " +
              std::to_string(262144 - i) + ":0.5\n";
    }
    const std::string path = folder.write("hashed.libsvm", text);
    LoadOptions options;
    options.store.folder = folder.path();

    const Dataset data = load(path, options).dataset;

    REQUIRE(data.stored != nullptr);
    CHECK_FALSE(data.stored->is_in_file());
    CHECK(data.num_features() == 262144);
    const Matrix features = data.first_features(40);
    CHECK(features.sum() == 60.0);
    CHECK(features(39, 39) == 1.0);
    CHECK(features(262143 - 39, 39) == 0.5);
  }

  TEST_CASE("a long line does not make large blocks of short ones") {
    const test::ScratchFolder folder;
    std::string text = "1";
    for (int i = 1; i <= 300000; ++i) text += ' ' + std::to_string(i) + ":1";
    text += '\n';
    for (int i = 0; i < 30; ++i) text += "0 7:" + std::to_string(i) + ".5\n";
    LibsvmStore store({folder.write("skew.libsvm", text)}, "skew", 0);

    static_cast<void>(store.measure());
    const Dataset data = store.read_sparse();

    CHECK(data.num_instances() == 31);
    CHECK(data.lines.back() == 31);
    const Matrix features = data.first_features(31);
    CHECK(features.col(0).sum() == 300000.0);
    CHECK(features(6, 30) == 29.5);
    CHECK(features.col(30).sum() == 29.5);
  }

  TEST_CASE("files of a byte order mark alone have no rows") {
    const test::ScratchFolder folder;
    const std::vector<std::string> paths = {
        folder.write("a.libsvm", make_lines(0, 50)),
        folder.write("b.libsvm", "\xEF\xBB\xBF"),
        folder.write("c.libsvm", make_lines(50, 90))};
    LoadOptions options;
    options.store = {folder.path(), 1.0};

    const Dataset data = load(paths, options).dataset;

    REQUIRE(data.stored != nullptr);
    CHECK(data.first_features(90) == load(paths, {}).dataset.features);
  }

  TEST_CASE("lines that end with CR alone are those in memory") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("a.libsvm", "1 1:2 2:3\r0 1:4 2:5\r");
    LoadOptions options;
    options.store = {folder.path(), 1.0};

    const Dataset data = load(path, options).dataset;

    CHECK(data.stored == nullptr);
    CHECK(data.num_instances() == 2);
    CHECK(data.features == load(path, {}).dataset.features);
  }

  TEST_CASE("explicit zeros are counted") {
    CHECK(count_explicit_zeros("1 1:0 2:-0.0 3:0e5 4:+.0\n") == 4);
    CHECK(count_explicit_zeros("1 1:10 2:0.01 3:1e0 4:-2\n0 1:5 2:0") == 1);
    CHECK(count_explicit_zeros("1:") == 0);
    CHECK(count_explicit_zeros("") == 0);
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
