// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/select_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "../../../core/spark_random.hpp"
#include "../../../datasets/select.hpp"
#include "../../../mlp/model/scorer.hpp"
#include "../../../mlp/params/preset.hpp"
#include "../../../mlp/selection/selection_budget.hpp"
#include "../../../mlp/training/fit/fit_model.hpp"
#include "../../thrown_message.hpp"
#include "modern_training.hpp"

namespace mlp {

using test::modern_params;
using test::standardizing;

namespace {

/// Of SelectionPlan::max_multiple_per_fold.
constexpr double kNoLimit = 1e6;

/// Two features, whose sum says the class; a share of the labels is random.
datasets::Dataset make_table(Index num_instances, double noise) {
  SparkRandom random(11, SeedHash::kSpark3);
  datasets::Dataset data;
  data.features.resize(2, num_instances);
  data.labels.resize(num_instances);
  for (Index i = 0; i < num_instances; ++i) {
    data.features(0, i) = random.next_double();
    data.features(1, i) = 100.0 * random.next_double();
    const double sum = data.features(0, i) + data.features(1, i) / 100.0;
    const bool is_random = random.next_double() < noise;
    data.labels[i] =
        (is_random ? random.next_double() < 0.5 : sum > 1.0) ? 1 : 0;
  }
  return data;
}

/// A line with noise from -100 to 100.
datasets::Dataset make_regression(Index num_instances) {
  datasets::Dataset data = make_table(num_instances, 0.0);
  SparkRandom random(12, SeedHash::kSpark3);
  for (Index i = 0; i < num_instances; ++i) {
    data.labels[i] =
        50.0 * data.features(0, i) + 200.0 * random.next_double() - 100.0;
  }
  return data;
}

std::vector<Index> numbers_from(Index first, Index end) {
  std::vector<Index> numbers(static_cast<std::size_t>(end - first));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Trains one network, with one penalty.
SelectionPlan only_folds(Index num_folds) {
  return {.num_folds = num_folds,
          .num_networks = 1,
          .encodings = {{}},
          .penalties = {1.0}};
}

/// Returns how many networks read no bins.
Index num_without_bins(const SelectionReport& report) {
  return report.encoding.is_quantile() ? report.num_linear
                                       : report.num_networks;
}

/// Asks a selection to stop after so many trainings.
FitResult select_and_stop(const Params& params, const datasets::Dataset& data,
                          SelectionPlan plan, Index num_trainings) {
  std::atomic<bool> is_stopping = false;
  FitOptions options = standardizing();
  options.is_stopping = &is_stopping;
  Index count = 0;
  plan.on_training = [&] { is_stopping = ++count == num_trainings; };
  return select_model(params, data, options, plan);
}

}  // namespace

TEST_SUITE("mlp/selection/select_model") {
  TEST_CASE("merges the networks, whose penalty the folds choose") {
    const auto data = make_table(120, 0.0);
    const Params params = modern_params(data);

    const auto selected = select_model(params, data, standardizing(),
                                       {.num_folds = 5,
                                        .num_networks = 3,
                                        .encodings = {{}},
                                        .penalties = {0.1, 1.0, 10.0}});

    CHECK(selected.model.layers()[1] == 3 * params.layers[1]);
    CHECK(selected.model.scaler().has_value());
    CHECK(selected.selection->num_folds == 5);
    CHECK(selected.selection->num_networks == 3);
    CHECK(selected.selection->reg_param <= params.reg_param);
    CHECK(selected.selection->unseen.num_instances == 120);
    CHECK(selected.selection->unseen.accuracy > 0.9);
  }

  TEST_CASE("noisy labels get a larger penalty than labels without noise") {
    const auto penalty = [](double noise) {
      const auto data = make_table(120, noise);
      const Params params = modern_params(data);
      return select_model(params, data, standardizing(), {})
                 .selection->reg_param /
             params.reg_param;
    };
    CHECK(penalty(0.6) > penalty(0.0));
  }

  TEST_CASE("bands get quantile bins, a plane hardly any") {
    auto data = make_table(200, 0.3);
    const Params params = modern_params(data);
    const auto plane = select_model(params, data, standardizing(), {});
    for (Index i = 0; i < data.num_instances(); ++i) {
      data.labels[i] = std::floor(5.0 * data.features(0, i)) == 2.0 ||
                               std::floor(data.features(1, i) / 20.0) == 4.0
                           ? 1.0
                           : 0.0;
    }

    const auto bands = select_model(params, data, standardizing(), {});

    CHECK(num_without_bins(*plane.selection) >= 3);
    CHECK(num_without_bins(*bands.selection) <= 2);
    CHECK(bands.selection->encoding == NumericEncoding{8});
    CHECK(bands.model.encoder()->num_bins() == 8);
    CHECK(bands.model.num_features() == 2);
    CHECK((bands.model.predict(data.features) - data.labels).cwiseAbs().mean() <
          0.05);
  }

  TEST_CASE("networks with bins and without stand side by side") {
    const auto data = make_table(200, 0.3);
    const Params params = modern_params(data);

    const auto selected = select_model(params, data, standardizing(), {});

    const SelectionReport& report = *selected.selection;
    REQUIRE(report.num_linear > 0);
    CHECK(report.num_networks == 5);
    CHECK(report.encoding == NumericEncoding{8});
    const Topology& topology = selected.model.topology();
    const auto first =
        view_layer(topology, 0, selected.model.weights().data()).weights;
    const Index num_bins = topology.num_features() - 2;
    Index num_without = 0;
    for (Index unit = 0; unit < first.rows(); ++unit) {
      num_without += first.row(unit).tail(num_bins).isZero(0.0) ? 1 : 0;
      CHECK_FALSE(first.row(unit).head(2).isZero(0.0));
    }
    CHECK(num_without == report.num_linear * params.layers[1]);
  }

  TEST_CASE("features without bins are tried once") {
    auto data = make_table(60, 0.2);
    data.features = (data.features.array() > 0.5).cast<double>();
    const Params params = modern_params(data);
    SelectionPlan linear;
    linear.encodings = {{}};

    const auto both = select_model(params, data, standardizing(), {});
    const auto one = select_model(params, data, standardizing(), linear);

    CHECK(both.selection->num_multiplications ==
          one.selection->num_multiplications);
    CHECK(both.model.weights() == one.model.weights());
  }

  TEST_CASE("counts the multiplications of all trainings") {
    const auto data = make_table(60, 0.2);
    Params params = modern_params(data);
    params.max_iter = 0;
    const double num_weights =
        static_cast<double>(topology_of(params).num_weights());

    const auto selected =
        select_model(params, data, standardizing(), only_folds(3));

    // One evaluation of each of the folds, on two thirds, and of the network.
    CHECK(selected.selection->num_multiplications == 3.0 * 60.0 * num_weights);
  }

  TEST_CASE("the number of threads changes no bit") {
    const auto data = make_table(60, 0.2);
    const Params params = modern_params(data);

    const auto one = select_model(params, data, standardizing(1), {});
    const auto three = select_model(params, data, standardizing(3), {});

    CHECK(one.model.weights() == three.model.weights());
    CHECK(one.selection->temperature == three.selection->temperature);
    CHECK(one.selection->unseen.loss == three.selection->unseen.loss);
  }

  TEST_CASE("the temperature divides the output of the model") {
    const auto data = make_table(60, 0.5);
    const Params params = modern_params(data);
    const auto selected =
        select_model(params, data, standardizing(), only_folds(3));

    const auto fit = fit_model(params, data, standardizing());

    const Matrix raw = fit.model.predict_raw(data.features);
    const Matrix divided = raw / selected.selection->temperature;
    CHECK(selected.selection->temperature != 1.0);
    CHECK((selected.model.predict_raw(data.features) - divided)
              .cwiseAbs()
              .maxCoeff() < 1e-12);
  }

  TEST_CASE("a regression is chosen by its squared error") {
    auto data = make_table(120, 0.0);
    data.labels = 1000.0 + 10.0 * data.features.row(0).transpose().array();
    const Params params = modern_params(data, 1, Task::kRegression);

    const auto selected = select_model(params, data, standardizing(), {});

    const Vector predicted = selected.model.predict(data.features);
    CHECK((predicted - data.labels).cwiseAbs().mean() < 0.3);
    CHECK(selected.selection->temperature == 1.0);
    CHECK(selected.selection->unseen.loss < 0.05);
  }

  TEST_CASE("the intervals of a regression cover the labels of other rows") {
    constexpr double kCoverage = 0.8;
    // Three deviations: 120 rows give the interval, and 120 are covered.
    constexpr double kTolerance = 0.155;
    const auto data = make_regression(240);
    const Params params = modern_params(data, 1, Task::kRegression);
    SelectionPlan plan = only_folds(5);
    plan.coverage = kCoverage;

    const auto selected =
        select_model(params, datasets::select(data, numbers_from(0, 120)),
                     standardizing(), plan);

    const auto others = datasets::select(data, numbers_from(120, 240));
    const PredictionInterval& interval = *selected.model.prediction_interval();
    const Coverage& unseen = *selected.selection->unseen.coverage;
    const Coverage covered =
        measure_coverage(interval, selected.model.predict_raw(others.features),
                         others.target_matrix());
    CHECK(interval.coverage == kCoverage);
    CHECK(std::abs(covered.share - kCoverage) < kTolerance);
    CHECK(std::abs(unseen.share - kCoverage) < kTolerance);
    // 80 % of labels whose noise is from -100 to 100
    CHECK(std::abs(unseen.mean_size - 160.0) < 30.0);
  }

  TEST_CASE("the sets of a classifier cover the labels of other rows") {
    // A fifth of the labels is wrong, so that sets of one class cover 0.8.
    constexpr double kCoverage = 0.9;
    // Three deviations: 120 rows give the sets, and 120 are covered.
    constexpr double kTolerance = 0.12;
    const auto data = make_table(240, 0.4);
    const Params params = modern_params(data);
    SelectionPlan plan = only_folds(5);
    plan.coverage = kCoverage;

    const auto selected =
        select_model(params, datasets::select(data, numbers_from(0, 120)),
                     standardizing(), plan);

    const auto others = datasets::select(data, numbers_from(120, 240));
    const auto covered = measure_coverage(
        selected.model, selected.model.predict_raw(others.features),
        others.target_matrix());
    CHECK(std::abs(covered->share - kCoverage) < kTolerance);
    CHECK(std::abs(selected.selection->unseen.coverage->share - kCoverage) <
          kTolerance);
    CHECK(covered->mean_size > 1.1);
    CHECK(covered->mean_size < 1.9);
  }

  TEST_CASE("intervals and sets change nothing else") {
    const auto data = make_table(60, 0.2);
    const Params params = modern_params(data);
    SelectionPlan plan;
    const auto without = select_model(params, data, standardizing(), plan);
    plan.coverage = 0.8;

    const auto with = select_model(params, data, standardizing(3), plan);

    CHECK(with.model.weights() == without.model.weights());
    CHECK(with.selection->unseen.loss == without.selection->unseen.loss);
    CHECK_FALSE(without.model.prediction_set().has_value());
    CHECK_FALSE(without.selection->unseen.coverage.has_value());
  }

  TEST_CASE("refuses a coverage that the rows cannot give") {
    const auto data = make_table(20, 0.2);
    SelectionPlan plan;
    plan.coverage = 0.99;
    CHECK(test::thrown_message<ParamError>([&] {
            static_cast<void>(
                select_model(modern_params(data), data, standardizing(), plan));
          }) ==
          "coverage 0.99 needs more rows; expected at least 99 in all folds "
          "but one, got 16; ask for a smaller one");
  }

  TEST_CASE("the unit of a label changes no choice") {
    const auto table = make_table(120, 0.4);
    const auto penalty = [&](double unit) {
      datasets::Dataset data = table;
      data.targets.resize(2, data.num_instances());
      data.targets.row(0) = data.features.row(0);
      data.targets.row(1) = unit * table.labels.transpose();
      data.labels.resize(0);
      const Params params = modern_params(data, 2, Task::kRegression);
      return select_model(params, data, standardizing(), {})
          .selection->reg_param;
    };
    CHECK(penalty(1.0) == penalty(1024.0));
  }

  TEST_CASE("class weights weigh the choice as weights of the rows do") {
    auto data = make_table(120, 0.4);
    Params params = modern_params(data);
    params.class_weights = {3.0, 1.0};
    const auto by_class = select_model(params, data, standardizing(), {});

    data.weights = 1.0 + 2.0 * (1.0 - data.labels.array());
    params.class_weights.clear();
    FitOptions options = standardizing();
    options.is_standardizing = false;
    CHECK(by_class.selection->temperature ==
          doctest::Approx(select_model(params, data, standardizing(), {})
                              .selection->temperature)
              .epsilon(0.2));
  }

  TEST_CASE("chooses the width by the folds, and counts each training") {
    auto data = make_table(120, 0.0);
    for (Index i = 0; i < data.num_instances(); ++i) {
      data.labels[i] = std::floor(3.0 * data.features(0, i)) == 1.0 ? 1.0 : 0.0;
    }
    const Params params = modern_params(data);
    Index num_trainings = 0;
    const SelectionPlan plan{.num_folds = 3,
                             .num_networks = 2,
                             .encodings = {{}},
                             .widths = {0.01, 1.0},
                             .penalties = {1.0},
                             .max_multiple_per_fold = kNoLimit,
                             .on_training = [&] { ++num_trainings; }};

    const auto selected = select_model(params, data, standardizing(2), plan);

    // One unit cannot tell a band from both of its sides.
    CHECK(selected.model.layers()[1] == 2 * params.layers[1]);
    CHECK(num_trainings == max_trainings(plan));
    CHECK(num_trainings == 1 + 3 * 3 + 2);
  }

  TEST_CASE("a group is predicted by the trainings of others") {
    auto data = make_table(60, 1.0);  // by chance
    std::vector<Index> twice;
    for (Index i = 0; i < 60; ++i) twice.insert(twice.end(), {i, i, i});
    data = datasets::select(data, twice);
    const Params params = modern_params(data);
    const double alone = select_model(params, data, standardizing(), {})
                             .selection->unseen.accuracy;
    data.groups = twice;

    const double together = select_model(params, data, standardizing(), {})
                                .selection->unseen.accuracy;

    CHECK(alone > together + 0.1);
  }

  TEST_CASE("a table of one row per class has no folds") {
    datasets::Dataset data;
    data.features = Matrix{{0.0, 1.0}};
    data.labels = Vector{{0, 1}};

    const auto selected =
        select_model(modern_params(data), data, standardizing(), {});

    CHECK(selected.selection->num_folds == 0);
    CHECK(selected.model.predict(data.features) == data.labels);
  }

  TEST_CASE("stopped before the folds have chosen, it is one training") {
    const auto data = make_table(60, 0.2);
    const Params params = modern_params(data);
    const auto fit = fit_model(params, data, standardizing());
    for (const Index num_trainings : {1, 2, 6, 11}) {
      const auto stopped =
          select_and_stop(params, data, SelectionPlan(), num_trainings);

      CHECK_FALSE(stopped.selection.has_value());
      CHECK(stopped.model.weights() == fit.model.weights());
      CHECK(stopped.model.scaler()->mean == fit.model.scaler()->mean);
    }
  }

  TEST_CASE("stopped while it trains the networks, it joins those it has") {
    const auto data = make_table(60, 0.2);
    const Params params = modern_params(data);
    SelectionPlan plan = only_folds(2);
    plan.num_networks = 4;
    plan.max_multiple_per_fold = kNoLimit;
    // The first network and the folds twice, then two of the other three networks.
    const Index num_trainings = 1 + 2 * plan.num_folds + 2;

    const auto stopped = select_and_stop(params, data, plan, num_trainings);

    plan.num_networks = 3;
    const auto three = select_model(params, data, standardizing(), plan);
    CHECK(stopped.selection->num_networks == 3);
    CHECK(stopped.model.weights() == three.model.weights());
    CHECK(stopped.selection->temperature == three.selection->temperature);
  }

  TEST_CASE("stopped at the start, it has the initial weights") {
    const auto data = make_table(60, 0.2);
    const std::atomic<bool> is_stopping = true;
    FitOptions options = standardizing(2);
    options.is_stopping = &is_stopping;

    const auto stopped = select_model(modern_params(data), data, options, {});

    CHECK(stopped.summary.total_iterations() == 0);
    CHECK_FALSE(stopped.selection.has_value());
  }
}

}  // namespace mlp
