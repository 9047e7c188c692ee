// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/update_range.hpp"

#include <doctest/doctest.h>

namespace mlp::optim {

TEST_SUITE("optim/update_range") {
  TEST_CASE("does not decay unless it is told to") {
    CHECK_FALSE(UpdateRange{3, 4}.decays);
  }

  TEST_CASE("loads a short chunk with zeros behind it") {
    const Vector numbers = Vector::LinSpaced(4, 1.0, 4.0);

    const auto whole = detail::load_chunk(numbers.data(), 4);
    const auto part = detail::load_chunk(numbers.data(), 3);

    CHECK((whole == numbers.array()).all());
    CHECK((part.head(3) == numbers.head(3).array()).all());
    CHECK(part[3] == 0.0);
  }

  TEST_CASE("stores as many numbers as it is told to") {
    const detail::UpdateChunk<double> ones =
        detail::UpdateChunk<double>::Ones();
    Vector part = Vector::Zero(4);
    Vector whole = Vector::Zero(4);

    detail::store_chunk(ones, 3, part.data());
    detail::store_chunk(ones, 4, whole.data());

    CHECK(part == Eigen::Vector4d(1.0, 1.0, 1.0, 0.0));
    CHECK(whole == Vector::Ones(4));
  }
}

}  // namespace mlp::optim
