// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/libsvm/libsvm_piece.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace mlp::datasets::detail {

namespace {

const std::string kSource = "f.svm";

/// Room for three instances, with what was there before.
Dataset make_room(Index num_features) {
  Dataset data;
  data.features = Matrix::Constant(num_features, 3, 9.0);
  data.labels = Eigen::Vector3d::Constant(9.0);
  data.lines.assign(3, 9);
  return data;
}

}  // namespace

TEST_SUITE("datasets/libsvm/libsvm_piece") {
  TEST_CASE("measures the instances and the largest last index") {
    const TextPiece piece{"1 7:1\n# 9:1\n\n0 8:1 3:1\n1\n"};

    const LibsvmSize size = LibsvmPieceReader(piece, kSource).measure();

    CHECK(size.num_instances == 3);
    CHECK(size.largest_index == 7);
  }

  TEST_CASE("writes its own instances and leaves the others alone") {
    const TextPiece piece{"# x\n2 1:5 3:0\n", 11, 2};
    Dataset data = make_room(3);

    const auto zeros = LibsvmPieceReader(piece, kSource).read(data, 1);

    CHECK(data.features == Matrix{{9, 5, 9}, {9, 0, 9}, {9, 0, 9}});
    CHECK(data.labels == Eigen::Vector3d(9, 2, 9));
    CHECK(data.lines == std::vector<Index>{9, 12, 9});
    CHECK(zeros == std::vector<StoredZero>{{1, 2}});
  }

  TEST_CASE("reads pairs of every form the same near the end and far from it") {
    for (const std::size_t num_spaces : {0u, 30u}) {
      std::string text = "1 1:2 +2:-3.5\t003:1e2 4:0.12345678901234567\r";
      text.append(num_spaces, ' ');
      Dataset data = make_room(5);

      const TextPiece piece{text};
      static_cast<void>(LibsvmPieceReader(piece, kSource).read(data, 0));

      CHECK(data.features.col(0) ==
            Eigen::Vector<double, 5>(2, -3.5, 100, 0.12345678901234567, 0));
    }
  }

  TEST_CASE("refuses with the line and the byte of the file") {
    const TextPiece piece{"1 1:2\n0 1:2 2:x                          \n", 40,
                          2};
    Dataset data = make_room(2);

    CHECK_THROWS_WITH_AS(LibsvmPieceReader(piece, kSource).read(data, 0),
                         "f.svm:41:9: expected a number, got 'x'", DataError);
  }

  TEST_CASE("refuses the first label that is no number") {
    const TextPiece piece{"1\nx\n", 5, 2};

    CHECK_THROWS_WITH_AS(LibsvmPieceReader(piece, kSource).check_labels(),
                         "f.svm:6:1: expected a number as the label, got 'x'",
                         DataError);
  }
}

}  // namespace mlp::datasets::detail
