// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/param_rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../thrown_message.hpp"

namespace mlp {

namespace {

Params valid_params(Solver solver = Solver::kLbfgs) {
  Params params;
  params.layers = {2, 3, 4, 2};
  params.solver = solver;
  return params;
}

/// What validate() says; "" where it accepts.
std::string refusal(const Params& params) {
  return test::thrown_message<ParamError>([&] { validate(params); });
}

constexpr Solver kWholeSolvers[] = {Solver::kLbfgs, Solver::kGradientDescent};
constexpr Solver kBatchSolvers[] = {Solver::kSgd, Solver::kAdam,
                                    Solver::kAdamW};

}  // namespace

TEST_SUITE("mlp/params/param_rules") {
  TEST_CASE("makes Spark's network unless told otherwise") {
    CHECK(topology_of(valid_params()) == Topology({2, 3, 4, 2}));
  }

  TEST_CASE("gives one entry to all hidden layers and a list one to each") {
    Params params = valid_params();
    params.activation = {*Activation::find("relu")};
    params.dropout = {0.25, 0.5};

    const Topology topology = topology_of(params);

    CHECK(topology.hidden(0) ==
          HiddenLayer{*Activation::find("relu"), false, false, 0.25});
    CHECK(topology.hidden(1) ==
          HiddenLayer{*Activation::find("relu"), false, false, 0.5});
  }

  TEST_CASE("makes the loss of the task") {
    Params params = valid_params();
    params.label_smoothing = 0.1;
    CHECK(topology_of(params).loss_function() ==
          LossFunction(Loss::kSoftmaxNll, 0.1));

    params.task = Task::kRegression;

    CHECK(topology_of(params).loss_function() ==
          LossFunction(Loss::kSquaredError));
  }

  TEST_CASE("takes back the hyper-parameters that make a network") {
    Params params = valid_params(Solver::kAdam);
    params.activation = {*Activation::find("relu"), *Activation::find("tanh")};
    params.dropout = {0.5};
    params.residual = true;
    params.batch_norm = true;
    params.label_smoothing = 0.25;
    Params taken;

    take_network(topology_of(params), taken);

    CHECK(taken.layers == params.layers);
    CHECK(taken.activation == params.activation);
    CHECK(taken.dropout == params.dropout);
    CHECK(taken.residual);
    CHECK(taken.batch_norm);
    CHECK(taken.label_smoothing == 0.25);
    CHECK(taken.task == Task::kClassification);
  }

  TEST_CASE("takes back the shortest lists and clears what is not there") {
    Params taken = valid_params();
    taken.activation = {*Activation::find("relu")};
    taken.dropout = {0.5};
    taken.residual = true;

    take_network(Topology({4, 5, 6, 1}, Loss::kSquaredError), taken);

    CHECK(taken.layers == std::vector<Index>{4, 5, 6, 1});
    CHECK(taken.activation.empty());
    CHECK(taken.dropout.empty());
    CHECK_FALSE(taken.residual);
    CHECK(taken.task == Task::kRegression);
  }

  TEST_CASE("takes back a network without hidden layers") {
    Params taken;

    take_network(Topology({4, 3}), taken);

    CHECK(taken.activation.empty());
    CHECK(topology_of(taken) == Topology({4, 3}));
  }

  TEST_CASE("accepts everything that mini-batches have") {
    Params params = valid_params(Solver::kSgd);
    params.batch_norm = true;
    params.dropout = {0.5};
    params.clip_norm = 1.0;
    params.clip_value = 1.0;
    params.schedule = *optim::parse_step_schedule("cosine");
    params.momentum = 0.9;
    params.nesterov = true;
    params.freeze = {1, 3};
    params.class_weights = {1.0, 2.0};

    CHECK(refusal(params) == "");
  }
}

TEST_SUITE("mlp/param_rules refusal") {
  TEST_CASE("says how long a list for the hidden layers must be") {
    Params params = valid_params(Solver::kAdam);
    params.activation.resize(3);
    CHECK(refusal(params) ==
          "activation must have 1 entry for all hidden layers or 2, one for "
          "each, for "
          "layers [2, 3, 4, 2]; got 3");
    params.activation.clear();
    params.dropout = {0.1, 0.2, 0.3};
    CHECK(refusal(params) ==
          "dropout must have 1 entry for all hidden layers or 2, one for each, "
          "for "
          "layers [2, 3, 4, 2]; got 3");
  }

  TEST_CASE("wants mini-batches for batch normalisation") {
    for (const Solver solver : kWholeSolvers) {
      Params params = valid_params(solver);
      params.batch_norm = true;
      CHECK(refusal(params) ==
            "batchNorm must be off with solvers l-bfgs and gd, which use all "
            "rows at once and have no mini-batches to normalise over; use sgd, "
            "adam or adamw");
    }
    for (const Solver solver : kBatchSolvers) {
      Params params = valid_params(solver);
      params.batch_norm = true;
      CHECK(refusal(params) == "");
      params.batch_size = 1;
      CHECK(refusal(params) == "batchSize must be > 1 with batchNorm; got 1");
    }
  }

  TEST_CASE("wants mini-batches for dropout unless it is 0") {
    for (const Solver solver : kWholeSolvers) {
      Params params = valid_params(solver);
      params.dropout = {0.0};
      CHECK(refusal(params) == "");
      params.dropout = {0.0, 0.5};
      CHECK(refusal(params) ==
            "dropout must be 0 with solvers l-bfgs and gd, whose objective may "
            "not change from one evaluation to the next; use sgd, adam or "
            "adamw");
    }
  }

  TEST_CASE("clips no gradient of l-bfgs") {
    const std::string rest =
        " must be 0 with solver l-bfgs, whose line search needs the unchanged "
        "gradient; use another solver";
    Params params = valid_params();
    params.clip_value = 1.0;
    CHECK(refusal(params) == std::string("clipValue") + rest);
    params.clip_norm = 1.0;
    CHECK(refusal(params) == std::string("clipNorm") + rest);
    params.solver = Solver::kGradientDescent;
    CHECK(refusal(params) == "");
  }

  TEST_CASE("wants mini-batches for a schedule") {
    for (const Solver solver : kWholeSolvers) {
      Params params = valid_params(solver);
      params.schedule = *optim::parse_step_schedule("cosine");
      CHECK(refusal(params) ==
            "schedule must be constant with solvers l-bfgs and gd; use sgd, "
            "adam or adamw");
    }
  }

  TEST_CASE("gives momentum to sgd alone") {
    for (const Solver solver : {Solver::kLbfgs, Solver::kGradientDescent,
                                Solver::kAdam, Solver::kAdamW}) {
      Params params = valid_params(solver);
      params.momentum = 0.9;
      CHECK(refusal(params) == "momentum must be 0 unless the solver is sgd");
    }
  }

  TEST_CASE("wants sgd with momentum for nesterov") {
    for (const Solver solver : {Solver::kSgd, Solver::kAdam}) {
      Params params = valid_params(solver);
      params.nesterov = true;
      CHECK(refusal(params) ==
            "nesterov must be off unless the solver is sgd with momentum > 0");
    }
  }

  TEST_CASE("freezes layers that are there") {
    Params params = valid_params();
    params.freeze = {1, 4};
    CHECK(refusal(params) ==
          "freeze must be layers from 1 to 3 for layers [2, 3, 4, 2]; got 4");
    params.freeze = {0};
    CHECK(refusal(params) == "freeze must be layer numbers from 1; got [0]");
  }

  TEST_CASE("says what a regression cannot have") {
    Params params = valid_params();
    params.task = Task::kRegression;
    CHECK(refusal(params) == "");
    params.label_smoothing = 0.1;
    CHECK(refusal(params) == "labelSmoothing must be 0 with task regression");
    params.class_weights = {1.0};
    CHECK(refusal(params) == "classWeights must be empty with task regression");
    params.thresholds = {1.0};
    CHECK(refusal(params) == "thresholds must be empty with task regression");
  }

  TEST_CASE("wants one threshold and one weight per class") {
    Params params = valid_params();
    params.class_weights = {1.0, 2.0, 3.0};
    CHECK(refusal(params) ==
          "classWeights must be 2 numbers, one per class; got 3");
    params.thresholds = {1.0};
    CHECK(refusal(params) ==
          "thresholds must be 2 numbers, one per class; got 1");
  }

  TEST_CASE("counts the initial weights of every part of a network") {
    Params params = valid_params();
    params.layers = {2, 3, 2};
    params.residual = true;
    params.initial_weights = Vector::Zero(17);
    CHECK(refusal(params) ==
          "initialWeights must be 23 numbers for layers [2, 3, 2]; got 17");
    params.initial_weights = Vector::Zero(23);
    CHECK(refusal(params) == "");
  }

  TEST_CASE("says what each new number must be and what it was") {
    Params params = valid_params(Solver::kSgd);
    params.momentum = 1.0;
    CHECK(refusal(params) == "momentum must be a number >= 0 and < 1; got 1");
    params.batch_size = 0;
    CHECK(refusal(params) == "batchSize must be an integer > 0; got 0");
    params.history_size = 1001;
    CHECK(refusal(params) ==
          "historySize must be an integer >= 0 and <= 1000; got 1001");
    params.patience = 0;
    CHECK(refusal(params) == "patience must be an integer >= 1; got 0");
    params.clip_value = -1.0;
    CHECK(refusal(params) ==
          "clipValue must be a number >= 0; 0 clips nothing; got -1");
    params.clip_norm = -1.0;
    CHECK(refusal(params) ==
          "clipNorm must be a number >= 0; 0 clips nothing; got -1");
  }

  TEST_CASE("says what each new share and list must be and what it was") {
    Params params = valid_params(Solver::kSgd);
    params.label_smoothing = 1.5;
    CHECK(refusal(params) ==
          "labelSmoothing must be a number >= 0 and <= 1; got 1.5");
    params.class_weights = {0.0, 0.0};
    CHECK(refusal(params) ==
          "classWeights must be numbers >= 0, one per class, not all 0; got "
          "[0, 0]");
    params.reg_param = -0.5;
    CHECK(refusal(params) == "regParam must be a number >= 0; got -0.5");
    params.dropout = {1.0};
    CHECK(refusal(params) ==
          "dropout must be a number >= 0 and < 1 for all hidden layers, or one "
          "for each; got [1]");
  }

  TEST_CASE("refuses rates of adam with other solvers") {
    Params params = valid_params(Solver::kSgd);
    params.beta1 = 0.5;
    CHECK(refusal(params) ==
          "beta1 must be 0.9 unless the solver is adam or adamw");
    params = valid_params();
    params.beta2 = 0.5;
    CHECK(refusal(params) ==
          "beta2 must be 0.999 unless the solver is adam or adamw");
    params = valid_params(Solver::kGradientDescent);
    params.epsilon = 0.5;
    CHECK(refusal(params) ==
          "epsilon must be 1e-08 unless the solver is adam or adamw");
    params.solver = Solver::kAdamW;
    CHECK(refusal(params) == "");
  }

  TEST_CASE("refuses what is about epochs without mini-batches") {
    for (const Solver solver : kWholeSolvers) {
      Params params = valid_params(solver);
      params.in_order = true;
      CHECK(
          refusal(params) ==
          "inOrder must be off with solvers l-bfgs and gd, which use all rows "
          "at once");
      params = valid_params(solver);
      params.stall_epochs = 1;
      CHECK(
          refusal(params) ==
          "stallEpochs must be 0 with solvers l-bfgs and gd, which tol stops");
    }
    Params params = valid_params(Solver::kSgd);
    params.schedule.shape = optim::StepSchedule::Shape::kAdaptive;
    CHECK(refusal(params) ==
          "stallEpochs must be > 0 with the schedule adaptive; got 0");
    params.stall_epochs = 1;
    CHECK(refusal(params) == "");
  }

  TEST_CASE("refuses gradientTol without l-bfgs") {
    Params params = valid_params();
    params.gradient_tol = -1.0;
    CHECK(refusal(params) == "gradientTol must be a number >= 0; got -1");
    params.gradient_tol = 0.0;
    CHECK(refusal(params) == "");
    params.solver = Solver::kAdam;
    CHECK(refusal(params) ==
          "gradientTol must not be set unless the solver is l-bfgs");
  }

  TEST_CASE("refuses one output unless there are two classes") {
    Params params = valid_params();
    params.one_output = true;
    CHECK(refusal(params) == "");
    params.layers = {2, 3};
    CHECK(refusal(params) ==
          "oneOutput must be off unless there are 2 classes; got 3");
    params.layers = {2, 2};
    params.task = Task::kRegression;
    CHECK(refusal(params) == "oneOutput must be off with task regression");
  }
}

}  // namespace mlp
