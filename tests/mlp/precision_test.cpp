// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/precision.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp {

TEST_SUITE("mlp/precision") {
  TEST_CASE("is called as numpy calls it") {
    CHECK(std::string(precision_name(Precision::kFloat64)) == "float64");
    CHECK(std::string(precision_name(Precision::kFloat32)) == "float32");
  }
}

}  // namespace mlp
