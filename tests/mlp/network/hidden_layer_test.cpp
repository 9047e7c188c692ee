// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/network/hidden_layer.hpp"

#include <doctest/doctest.h>

namespace mlp {

TEST_SUITE("mlp/network/hidden_layer") {
  TEST_CASE("is Spark's unless told otherwise") {
    const HiddenLayer layer;

    CHECK(layer.activation == *Activation::find("sigmoid"));
    CHECK_FALSE(layer.is_residual);
    CHECK_FALSE(layer.has_batch_norm);
    CHECK(layer.dropout == 0.0);
  }

  TEST_CASE("differs where one part does") {
    const HiddenLayer spark;

    CHECK(spark == HiddenLayer{});
    CHECK(spark != HiddenLayer{*Activation::find("relu")});
    CHECK(spark != HiddenLayer{Activation(), true});
    CHECK(spark != HiddenLayer{Activation(), false, true});
    CHECK(spark != HiddenLayer{Activation(), false, false, 0.5});
  }
}

}  // namespace mlp
