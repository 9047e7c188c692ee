// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "../../../core/spark_random.hpp"
#include "../../../mlp/selection/select_model.hpp"
#include "../../../mlp/selection/selection_budget.hpp"
#include "../../../mlp/training/fit/fit_model.hpp"
#include "modern_training.hpp"

namespace mlp {

using test::modern_params;
using test::standardizing;

namespace {

/// A table of numbers. Some of them help to predict the label.
struct Shape {
  Index num_instances;
  Index num_features;
  Index num_classes;  ///< 1 for a regression
  double noise;       ///< share of the labels that are random
  Solver solver = Solver::kLbfgs;
};

constexpr auto kShapes = std::to_array<Shape>({
    {12, 2, 2, 0.0},
    {60, 3, 2, 0.3},
    {150, 4, 3, 0.0},
    {300, 10, 2, 0.2},
    {30, 5, 1, 0.0},
    {200, 4, 1, 0.0},
    {200, 10, 1, 0.5},
    {100, 3, 2, 0.2, Solver::kAdam},
    {100, 3, 2, 0.2, Solver::kGradientDescent},
});

datasets::Dataset make_shape(const Shape& shape) {
  SparkRandom random(13, SeedHash::kSpark3);
  datasets::Dataset data;
  data.features.resize(shape.num_features, shape.num_instances);
  data.labels.resize(shape.num_instances);
  for (Index i = 0; i < shape.num_instances; ++i) {
    for (double& value : data.features.col(i)) value = random.next_double();
    const bool is_random = random.next_double() < shape.noise;
    const double value =
        is_random ? random.next_double()
                  : std::abs(std::sin(6.0 * data.features(0, i) *
                                      (1.0 + data.features.col(i).mean())));
    const auto num_classes = static_cast<double>(shape.num_classes);
    data.labels[i] =
        shape.num_classes == 1
            ? value
            : std::min(std::floor(num_classes * value), num_classes - 1.0);
  }
  return data;
}

/// Returns the multiplications of a selection, in those of one training.
double multiple_of_one(const Params& params, const datasets::Dataset& data,
                       const SelectionPlan& plan) {
  const auto one = fit_model(params, data, standardizing());
  const auto selected = select_model(params, data, standardizing(), plan);
  return selected.selection->num_multiplications /
         count_multiplications(one, params.solver, data.num_instances());
}

}  // namespace

TEST_SUITE("mlp/selection/selection_limit") {
  TEST_CASE("all trainings take at most a multiple of what one takes") {
    SelectionPlan plan;
    plan.max_multiple_per_fold = 3.2;  // less than these tables need
    double largest = 0.0;
    for (const Shape& shape : kShapes) {
      const auto data = make_shape(shape);
      const bool is_regression = shape.num_classes == 1;
      Params params = modern_params(
          data, shape.num_classes,
          is_regression ? Task::kRegression : Task::kClassification);
      params.solver = shape.solver;

      const double multiple = multiple_of_one(params, data, plan);

      CHECK(multiple <= max_multiple(plan));
      largest = std::max(largest, multiple);
    }
    // Otherwise the limit would not have been tried.
    CHECK(largest > 0.9 * max_multiple(plan));
  }
}

}  // namespace mlp
