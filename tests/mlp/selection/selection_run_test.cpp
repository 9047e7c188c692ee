// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/selection_run.hpp"

#include <doctest/doctest.h>

#include "../../../core/spark_random.hpp"
#include "../../../mlp/model/scorer.hpp"

namespace mlp {

namespace {

/// One feature. Its sign is the class, except for some noise.
datasets::Dataset make_rows(Index num_instances) {
  SparkRandom random(5, SeedHash::kSpark3);
  datasets::Dataset data;
  data.features.resize(1, num_instances);
  data.labels.resize(num_instances);
  for (Index i = 0; i < num_instances; ++i) {
    data.features(0, i) = random.next_double() - 0.5;
    const double noise = 0.2 * (random.next_double() - 0.5);
    data.labels[i] = data.features(0, i) + noise > 0.0 ? 1.0 : 0.0;
  }
  return data;
}

Params make_params() {
  Params params;
  params.layers = {1, 2, 2};
  params.seed = 1;
  params.max_iter = 20;
  params.reg_param = 0.01;
  return params;
}

const SelectionRun::Folds kFolds = {{0, 3, 6}, {1, 4, 7}};

}  // namespace

TEST_SUITE("mlp/selection/selection_run") {
  TEST_CASE("the rows of a fold are predicted by a training without them") {
    const auto data = make_rows(12);
    const SelectionTable table(make_params(), data, {}, {});
    const SelectionPlan plan;
    ThreadPool pool(2);
    SelectionBudget budget;
    SelectionRun run(table, kFolds, plan, pool, budget);
    const std::vector<Index> others = {1, 2, 4, 5, 7, 8, 9, 10, 11};
    const Model expected =
        fit_model(make_params(), datasets::select(data, others), {}).model;

    const UnseenRows& rows = run.unseen(2, 2);

    CHECK(rows.raw.leftCols(3) ==
          expected.predict_raw(datasets::select(data, kFolds[0]).features));
    CHECK(rows.targets(0, 1) == data.labels[3]);
    CHECK(rows.models.size() == 2);
  }

  TEST_CASE("the scale of the weights changes no loss") {
    auto data = make_rows(12);
    data.weights = Vector::LinSpaced(12, 1.0, 3.0);
    UnseenRows rows;
    rows.raw = Matrix{{1.0, -2.0}, {0.5, 3.0}};
    rows.targets = Matrix{{0.0, 0.0}};
    rows.weights = Vector{{1.0, 3.0}};
    const double loss = unseen_loss(rows, Task::kClassification);
    rows.weights *= 16.0;
    CHECK(unseen_loss(rows, Task::kClassification) == loss);
  }

  TEST_CASE("class weights multiply the weights of the instances") {
    auto data = make_rows(2);
    data.labels = Vector{{1, 0}};
    data.weights = Vector{{2, 3}};
    Params params = make_params();
    params.class_weights = {5.0, 7.0};
    CHECK(training_weights(data, params) == Vector{{14, 15}});
  }

  TEST_CASE("the penalty in the middle is taken without folds") {
    const auto data = make_rows(4);
    const SelectionTable table(make_params(), data, {}, {});
    const SelectionPlan plan;
    ThreadPool pool(1);
    const SelectionRun::Folds none;
    SelectionBudget budget;
    SelectionRun run(table, none, plan, pool, budget);

    CHECK(run.choose_penalty() == 2);
    CHECK(run.with_penalty(2).reg_param == 0.01);
    CHECK(run.with_penalty(3).reg_param == 0.03);
    CHECK(budget.spent() == 0.0);
  }
}

}  // namespace mlp
