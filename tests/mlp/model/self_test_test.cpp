// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/self_test.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "../model_file/sample_document.hpp"

namespace mlp {

namespace {

// One layer: z0 = 2 x + 0, z1 = 0 x + 1.
Model one_layer() { return {Topology({1, 2}), Vector{{2.0, 0.0, 0.0, 1.0}}}; }

}  // namespace

TEST_SUITE("mlp/model/self_test") {
  TEST_CASE("keeps what the model makes of an instance") {
    const auto instances = make_self_test(one_layer(), Matrix{{1.5}}, 3);

    REQUIRE(instances.size() == 1);
    CHECK(instances[0].features == Vector{{1.5}});
    CHECK(instances[0].raw_prediction == Vector{{3.0, 1.0}});
    // e^3 / (e^3 + e^1) = 1 / (1 + e^-2)
    CHECK(std::abs(instances[0].probability[0] - 1.0 / (1.0 + std::exp(-2.0))) <
          kSelfTestTolerance);
    CHECK(instances[0].prediction == 0);
  }

  TEST_CASE("keeps the number of a regressor and no class") {
    // z = 2 x + 1.
    const Model model(Topology({1, 1}, Loss::kSquaredError),
                      Vector{{2.0, 1.0}});

    const auto instances = make_self_test(model, Matrix{{1.5}}, 3);

    REQUIRE(instances.size() == 1);
    CHECK(instances[0].raw_prediction == Vector{{4.0}});
    CHECK(instances[0].probability.size() == 0);
    CHECK(instances[0].prediction == 0);
    CHECK(verify_self_test(model, instances).is_passed());
  }

  TEST_CASE("reports running statistics that differ") {
    const ModelDocument document = mlp::tests::network_document();
    Model other = document.model;
    other.set_statistics(2.0 * document.model.statistics());

    CHECK(verify_self_test(document).is_passed());
    CHECK_FALSE(verify_self_test(other, document.self_test).is_passed());
  }

  TEST_CASE("takes the first instances that are finite") {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const Matrix features{{kNaN, 1.0, 1e308, 2.0, 3.0}};  // 2e308 is infinite

    const auto instances = make_self_test(one_layer(), features, 2);

    REQUIRE(instances.size() == 2);
    CHECK(instances[0].features[0] == 1.0);
    CHECK(instances[1].features[0] == 2.0);
    CHECK(make_self_test(one_layer(), features, 0).empty());
  }

  TEST_CASE("passes what it made") {
    const auto document = mlp::tests::full_document();

    const SelfTestReport report =
        verify_self_test(document.model, document.self_test);

    CHECK(report.is_passed());
    CHECK(report.num_instances == 1);
    CHECK(report.difference == "");
  }

  TEST_CASE("passes differences within the tolerance of the largest number") {
    auto instances = make_self_test(one_layer(), Matrix{{500.0}}, 1);
    instances[0].raw_prediction[1] += 900.0 * kSelfTestTolerance;

    CHECK(verify_self_test(one_layer(), instances).is_passed());
    instances[0].raw_prediction[1] += 200.0 * kSelfTestTolerance;
    CHECK_FALSE(verify_self_test(one_layer(), instances).is_passed());
  }

  TEST_CASE("reports the first number that differs") {
    auto instances = make_self_test(one_layer(), Matrix{{1.0, 2.0}}, 2);
    instances[1].raw_prediction[1] = 1.25;
    instances[1].prediction = 1;

    const SelfTestReport report = verify_self_test(one_layer(), instances);

    CHECK(report.num_instances == 2);
    CHECK(report.difference ==
          "$.selfTest[1].rawPrediction[1] is 1.25; this program computes 1, "
          "and they may differ by 4e-09");
  }

  TEST_CASE("reports a probability and a prediction that differ") {
    auto instances = make_self_test(one_layer(), Matrix{{0.5}}, 1);

    instances[0].prediction = 1;
    CHECK(verify_self_test(one_layer(), instances).difference ==
          "$.selfTest[0].prediction is 1; this program computes 0");
    instances[0].probability[0] = 0.75;
    CHECK(verify_self_test(one_layer(), instances).difference ==
          "$.selfTest[0].probability[0] is 0.75; this program computes 0.5, "
          "and they may differ by 1e-09");
  }
}

}  // namespace mlp
