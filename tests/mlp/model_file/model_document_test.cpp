// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/model_document.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../core/error.hpp"
#include "sample_document.hpp"

namespace mlp {

TEST_SUITE("mlp/model_file/model_document") {
  TEST_CASE("takes layers and thresholds from the model") {
    const auto document = mlp::tests::full_document();

    CHECK(document.params.layers == document.model.layers());
    CHECK(document.params.thresholds == document.model.thresholds());
    CHECK(document.params.max_iter == 20);
    CHECK(document.identity.uid == "");
  }

  TEST_CASE("has the hyper-parameters with which a fit makes its bins") {
    const auto document = mlp::tests::encoding_document();

    CHECK(document.model.layers() == std::vector<Index>{6, 2, 2});
    CHECK(document.params.layers == std::vector<Index>{2, 2, 2});
    CHECK(document.params.numeric_encoding == NumericEncoding{5});
  }

  TEST_CASE("counts all instances and keeps the first 3 as a self-test") {
    const auto document = mlp::tests::plain_document();

    CHECK(document.num_instances == 4);
    REQUIRE(document.self_test.size() == 3);
    CHECK(document.self_test[2].features == Vector{{-1.5, 0.1}});
    CHECK(verify_self_test(document).is_passed());
    CHECK(verify_self_test(document).num_instances == 3);
  }

  TEST_CASE("stands without data") {
    const Topology topology({2, 3});
    datasets::Dataset data;
    data.features.resize(2, 0);

    const auto document =
        make_model_document(Model(topology, Vector::Zero(9)), {}, {}, data);

    CHECK(document.num_instances == 0);
    CHECK(document.self_test.empty());
    CHECK(verify_self_test(document).is_passed());
  }

  TEST_CASE("refuses data of another width than the model") {
    datasets::Dataset data;
    data.features.setZero(3, 1);

    CHECK_THROWS_WITH_AS(
        make_model_document(Model(Topology({2, 3}), Vector::Zero(9)), {}, {},
                            data),
        "instances must have 2 features for layers [2, 3]; got 3", ShapeError);
  }
}

}  // namespace mlp
