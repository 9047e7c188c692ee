// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/assembled_document.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "../../../core/error.hpp"
#include "../../../mlp/model_json.hpp"
#include "../../../mlp/network/initial_weights.hpp"
#include "../../thrown_message.hpp"
#include "sample_document.hpp"

namespace mlp {

namespace {

Params xor_params() {
  Params params;
  params.layers = {2, 3, 2};
  params.solver = Solver::kGradientDescent;
  params.max_iter = 7;
  params.thresholds = {0.25, 0.75};
  return params;
}

Vector xor_weights() { return draw_initial_weights(Topology({2, 3, 2}), 5); }

}  // namespace

TEST_SUITE("mlp/model_file/assembled_document") {
  TEST_CASE("makes a file of given weights that reads back with its params") {
    const ModelDocument made = document_of_weights(xor_params(), xor_weights());

    const ModelDocument read = from_json(to_json(made), "m.json");

    CHECK(read.model.weights() == xor_weights());
    CHECK(read.model.thresholds() == xor_params().thresholds);
    CHECK(read.params.solver == Solver::kGradientDescent);
    CHECK(read.params.max_iter == 7);
    CHECK(read.summary.objective_history.empty());
    CHECK(read.self_test.size() == 3);
    CHECK(verify_self_test(read).is_passed());
  }

  TEST_CASE("makes the self-test of a scaled model near its means") {
    ModelDocument document = mlp::tests::full_document();
    document.self_test.clear();

    const ModelDocument made = assemble_document(document, "model");

    REQUIRE(made.self_test.size() == 3);
    CHECK(made.self_test[0].features == document.model.scaler()->mean);
  }

  TEST_CASE("keeps the instances of a self-test and computes its outputs") {
    ModelDocument document = mlp::tests::plain_document();
    const Vector features = document.self_test[1].features;
    document.self_test[1].raw_prediction.setZero();

    const ModelDocument made = assemble_document(document, "model");

    CHECK(made.self_test[1].features == features);
    CHECK(verify_self_test(made).is_passed());
  }

  TEST_CASE("refuses weights of another number, or that are not finite") {
    Vector bad = xor_weights();
    bad[4] = std::numeric_limits<double>::infinity();

    CHECK(test::thrown_message<ShapeError>([] {
            return document_of_weights(xor_params(), Vector::Ones(3));
          }) == "weights must be 17 numbers for layers [2, 3, 2]; got 3");
    const std::string sentence = test::thrown_message<ModelError>(
        [&] { return document_of_weights(xor_params(), bad); });
    CHECK(sentence.find("model: $.weights.data[4]") == 0);
  }

  TEST_CASE("refuses params that no network has, or that need data") {
    Params quantile = xor_params();
    quantile.numeric_encoding = {4};
    Params none;

    CHECK(
        test::thrown_message<ParamError>(
            [&] { return document_of_weights(quantile, xor_weights()); }) ==
        "numericEncoding must be linear for weights without a training, which "
        "makes the bins from the data");
    CHECK_THROWS_AS(static_cast<void>(document_of_weights(none, xor_weights())),
                    ParamError);
  }
}

}  // namespace mlp
