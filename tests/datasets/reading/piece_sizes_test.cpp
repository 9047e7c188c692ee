// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"
#include "../../../datasets/binary/idx.hpp"
#include "../../../datasets/csv/csv.hpp"
#include "../../../datasets/libsvm/libsvm.hpp"
#include "../../../datasets/reading/reader_threads.hpp"

namespace mlp::datasets {

namespace {

/// Pieces of a few bytes: files of a few lines are read by all threads.
constexpr detail::PieceSizes kSmallPieces{1, 3, 1};

CsvTable read_csv_in_pieces(const std::string& text) {
  CsvOptions options;
  options.num_threads = 3;
  return detail::read_csv_text(text, "data.csv", options, kSmallPieces);
}

Dataset read_libsvm_in_pieces(const std::string& text) {
  return detail::read_libsvm_text(text, "data.svm", 0, 3, kSmallPieces);
}

}  // namespace

TEST_SUITE("datasets/reading/piece_sizes") {
  TEST_CASE("changes nothing in a CSV file of numbers or of texts") {
    for (const std::string last : {"1", "yes"}) {
      const std::string text = "x,y\n1,0\n2,1\n3,0\n4," + last + "\n";

      const Dataset whole = read_csv(text, "data.csv").dataset;
      const Dataset pieces = read_csv_in_pieces(text).dataset;

      CHECK(pieces.features == whole.features);
      CHECK(pieces.labels == whole.labels);
      CHECK(pieces.label_texts == whole.label_texts);
      CHECK(pieces.lines == whole.lines);
    }
  }

  TEST_CASE("names the same wrong line of a CSV file") {
    CHECK_THROWS_WITH_AS(read_csv_in_pieces("1,0\n2,1\nx,0\n4,y,\n"),
                         doctest::Contains("data.csv:3:1: "), DataError);
  }

  TEST_CASE("changes nothing in a LIBSVM file") {
    const std::string text = "0 1:1 3:0\n1 2:2\n# no row\n0 1:0\n1 3:4\n";

    const Dataset whole = read_libsvm(text, "data.svm");
    const Dataset pieces = read_libsvm_in_pieces(text);

    CHECK(pieces.features == whole.features);
    CHECK(pieces.labels == whole.labels);
    CHECK(pieces.lines == whole.lines);
    CHECK(pieces.stored_zeros == whole.stored_zeros);
  }

  TEST_CASE("changes nothing in a binary file") {
    const std::string bytes(
        "\0\0\x08\x02\0\0\0\x03\0\0\0\x02"
        "abcdef",
        18);

    const Matrix pieces = detail::read_idx_matrix(
        bytes, read_idx_header(bytes, "data.idx"), "data.idx", 3, kSmallPieces);

    CHECK(pieces == read_idx(bytes, "data.idx").features);
  }
}

}  // namespace mlp::datasets
