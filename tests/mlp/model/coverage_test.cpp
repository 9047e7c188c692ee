// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model/coverage.hpp"

#include <doctest/doctest.h>

namespace mlp {

TEST_SUITE("mlp/model/coverage") {
  TEST_CASE("counts the labels inside of intervals, by their weights") {
    const PredictionInterval interval{0.9, Vector{{-1.0}}, Vector{{2.0}}};
    const Matrix predictions{{10.0, 10.0, 10.0, 10.0}};
    const Matrix labels{{8.9, 9.0, 12.0, 12.1}};

    const Coverage plain = measure_coverage(interval, predictions, labels);
    const Coverage weighted = measure_coverage(interval, predictions, labels,
                                               Vector{{1.0, 1.0, 5.0, 1.0}});

    CHECK(plain.share == 0.5);
    CHECK(plain.mean_size == 3.0);
    CHECK(weighted.share == 0.75);
  }

  TEST_CASE("the coverage of several numbers is the mean of theirs") {
    const PredictionInterval interval{0.5, Vector{{-1.0, -1.0}},
                                      Vector{{1.0, 3.0}}};
    const Matrix predictions = Matrix::Zero(2, 2);
    const Matrix labels{{0.0, 5.0}, {2.0, 3.0}};

    const Coverage coverage = measure_coverage(interval, predictions, labels);

    CHECK(coverage.share == 0.75);
    CHECK(coverage.mean_size == 3.0);
  }

  TEST_CASE("counts the labels inside of sets, and the classes of these") {
    const PredictionSet set{0.9, 0.3};
    const Matrix probability{{0.6, 0.4, 0.2}, {0.3, 0.4, 0.2}, {0.1, 0.2, 0.6}};
    const Matrix labels{{1.0, 2.0, 2.0}};

    const Coverage plain = measure_coverage(set, probability, labels);
    const Coverage weighted =
        measure_coverage(set, probability, labels, Vector{{1.0, 2.0, 1.0}});

    CHECK(plain.share == doctest::Approx(2.0 / 3.0));  // 0.2 is not in the set
    CHECK(plain.mean_size == doctest::Approx(5.0 / 3.0));
    CHECK(weighted.share == 0.5);
    CHECK(weighted.mean_size == 1.75);
  }

  TEST_CASE("a model is measured with the regions that it has") {
    const Topology topology({1, 2});
    Model model(topology, Vector::Zero(4));
    const Matrix raw{{1.0, -1.0}, {-1.0, 1.0}};
    const Matrix labels{{0.0, 0.0}};
    const auto without = measure_coverage(model, raw, labels);
    model.set_prediction_set({0.9, 0.2});

    const auto with = measure_coverage(model, raw, labels);

    CHECK_FALSE(without.has_value());
    CHECK(with->share == 0.5);
    CHECK(with->mean_size == 1.0);
  }
}

}  // namespace mlp
