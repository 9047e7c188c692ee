// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/warm_start.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/train.hpp"

namespace mlp {

namespace {

Params params_of(std::vector<Index> layers, bool batch_norm = false) {
  Params params;
  params.layers = std::move(layers);
  params.batch_norm = batch_norm;
  params.solver = Solver::kAdam;
  params.seed = 3;
  return params;
}

/// A model whose weights and statistics no start has.
Model model_of(const Params& params) {
  const Topology topology = topology_of(params);
  Model model(topology,
              Vector::LinSpaced(topology.num_weights(), 100.0, 200.0));
  model.set_statistics(
      Vector::LinSpaced(topology.num_statistics(), 300.0, 400.0));
  return model;
}

StartWeights start(const Params& params, const Model* model) {
  return start_weights(topology_of(params), params, model);
}

Params regression_of(std::vector<Index> layers) {
  Params params = params_of(std::move(layers));
  params.task = Task::kRegression;
  params.max_iter = 0;
  return params;
}

/// Two targets with the means 4.75 and 5e6 by their weights.
datasets::Dataset make_targets() {
  datasets::Dataset data;
  data.features = Matrix{{1, 2, 3}, {0, 1, 0}};
  data.targets = Matrix{{1, 2, 6}, {-1e7, 0, 1e7}};
  data.weights = Vector{{1, 0, 3}};
  return data;
}

/// Where a training begins, which is all that one without steps has.
Vector start_of(const Params& params, const datasets::Dataset& data,
                const FitOptions& options = {}) {
  return train(topology_of(params), params, data, options).weights;
}

/// The weights from the seed: what is not learnt from the targets.
Vector drawn(const Params& params) { return start(params, nullptr).weights; }

}  // namespace

TEST_SUITE("mlp/training/warm_start") {
  TEST_CASE("draws by the seed where there is no model") {
    const Params params = params_of({2, 3, 2}, true);
    const Topology topology = topology_of(params);

    const StartWeights drawn = start(params, nullptr);

    CHECK(drawn.weights == draw_initial_weights(topology, 3));
    CHECK(drawn.statistics == BatchNorm::initial_statistics(topology));
  }

  TEST_CASE("takes the initial weights that are given") {
    Params params = params_of({2, 3, 2});
    params.initial_weights = Vector::LinSpaced(17, -1.0, 1.0);

    CHECK(start(params, nullptr).weights == *params.initial_weights);
  }

  TEST_CASE("takes all of a model of the same layers") {
    const Params params = params_of({2, 3, 4, 2}, true);
    const Model model = model_of(params);

    const StartWeights taken = start(params, &model);

    CHECK(taken.weights == model.weights());
    CHECK(taken.statistics == model.statistics());
  }

  TEST_CASE("draws a last layer of another size") {
    // W 6, b 3, scales and shifts 6: 15 weights and 6 statistics are shared.
    const Model model = model_of(params_of({2, 3, 2}, true));
    const Params params = params_of({2, 3, 5}, true);

    const StartWeights taken = start(params, &model);

    CHECK(taken.weights.head(15) == model.weights().head(15));
    CHECK(taken.weights.tail(20) == start(params, nullptr).weights.tail(20));
    CHECK(taken.statistics == model.statistics());
  }

  TEST_CASE("draws everything behind the first layer that differs") {
    const Model model = model_of(params_of({2, 3, 4, 2}, true));
    const Params params = params_of({2, 3, 5, 2}, true);

    const StartWeights taken = start(params, &model);
    const StartWeights drawn = start(params, nullptr);

    CHECK(taken.weights.head(15) == model.weights().head(15));
    CHECK(taken.weights.tail(42) == drawn.weights.tail(42));
    CHECK(taken.statistics.head(6) == model.statistics().head(6));
    CHECK(taken.statistics.tail(10) == drawn.statistics.tail(10));
  }

  TEST_CASE("counts layers with the same sizes and the same parts") {
    const Topology plain({2, 3, 3, 2});
    const Topology normalised(
        {2, 3, 3, 2}, {},
        {HiddenLayer{{}, false, true, 0.0}, HiddenLayer{{}, false, true, 0.0}});
    const HiddenLayer residual{{}, true, false, 0.0};
    const Topology second_residual({2, 3, 3, 2}, {}, {{}, residual});
    const Topology first_residual({2, 3, 3, 2}, {}, {residual, {}});

    CHECK(count_shared_layers(plain, plain) == 3);
    CHECK(count_shared_layers(plain, Topology({2, 3, 3})) == 2);
    CHECK(count_shared_layers(plain, normalised) == 0);
    // A residual connection of equal sizes has no weights.
    CHECK(count_shared_layers(plain, second_residual) == 3);
    CHECK(count_shared_layers(plain, first_residual) == 0);
  }

  TEST_CASE("starts the outputs of a regression at their weighted means") {
    for (const Solver solver :
         {Solver::kLbfgs, Solver::kGradientDescent, Solver::kAdam}) {
      Params params = regression_of({2, 3, 2});
      params.solver = solver;
      Vector expected = drawn(params);
      expected.tail(2) << 4.75, 5e6;

      CHECK(start_of(params, make_targets()) == expected);
    }
  }

  TEST_CASE("averages the targets of equal weights") {
    datasets::Dataset data = make_targets();
    data.weights.resize(0);
    data.labels = data.targets.row(0).transpose();
    data.targets.resize(0, 0);

    CHECK(start_of(regression_of({2, 1}), data)[2] == 3.0);
  }

  TEST_CASE(
      "starts a new output of a model at the mean, and keeps a given one") {
    const Model other = model_of(regression_of({2, 3, 4}));
    const Model same = model_of(regression_of({2, 3, 2}));
    const Params params = regression_of({2, 3, 2});
    FitOptions options;

    options.warm_start = &other;
    CHECK(start_of(params, make_targets(), options).tail(2) ==
          Vector{{4.75, 5e6}});
    options.warm_start = &same;
    CHECK(start_of(params, make_targets(), options) == same.weights());
  }

  TEST_CASE("leaves biases that are given, frozen or of scaled targets") {
    Params params = regression_of({2, 3, 2});
    const Vector from_seed = drawn(params);

    params.freeze = {1, 2};
    CHECK(start_of(params, make_targets()) == from_seed);
    params.freeze = {1};
    CHECK(start_of(params, make_targets()) != from_seed);
    params.freeze.clear();
    params.initial_weights = Vector::LinSpaced(17, -1.0, 1.0);
    CHECK(start_of(params, make_targets()) == *params.initial_weights);
    params.initial_weights.reset();
    FitOptions options;
    options.label_scale = LabelScale{Vector::Zero(2), Vector::Ones(2)};
    CHECK(start_of(params, make_targets(), options) == from_seed);
  }

  TEST_CASE("leaves the biases of classes, and where a mean overflows") {
    Params params = params_of({2, 3, 2});
    params.max_iter = 0;
    datasets::Dataset data = make_targets();
    data.targets.resize(0, 0);
    data.labels = Vector{{0, 1, 1}};
    CHECK(start_of(params, data) == drawn(params));

    params = regression_of({2, 3, 1});
    params.solver = Solver::kLbfgs;
    data.labels = Vector::Constant(3, 1.7e308);
    CHECK(start_of(params, data) == drawn(params));
  }

  TEST_CASE("rejects a model that shares no layer") {
    const Model model = model_of(params_of({2, 3, 2}));

    CHECK_THROWS_WITH_AS(start(params_of({2, 4, 2}), &model),
                         "layers must begin with the layers of the model that "
                         "training starts from, [2, 3, 2]; got [2, 4, 2]",
                         ParamError);
  }

  TEST_CASE("rejects initial weights and a model at once") {
    Params params = params_of({2, 3, 2});
    const Model model = model_of(params);
    params.initial_weights = Vector::Zero(17);

    CHECK_THROWS_WITH_AS(start(params, &model),
                         "initialWeights must be empty if training starts from "
                         "a model; use only one of them",
                         ParamError);
  }
}

}  // namespace mlp
