// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/param_table.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const ParamInfo& param(std::string_view name) {
  const ParamInfo* info = find_param(name);
  REQUIRE(info != nullptr);
  return *info;
}

/// Sets a parameter from text and gives it back as JSON.
std::string round_trip(std::string_view name, std::string_view text) {
  Params params;
  set_param(params, param(name), text);
  return param(name).format(params);
}

void set(std::string_view name, std::string_view text) {
  Params params;
  set_param(params, param(name), text);
}

Params valid_params() {
  Params params;
  params.layers = {2, 3, 2};
  return params;
}

std::string refusal(std::string_view name, std::string_view text) {
  return test::thrown_message<ParamError>([&] { set(name, text); });
}

std::string refusal(const Params& params) {
  return test::thrown_message<ParamError>([&] { validate(params); });
}

}  // namespace

TEST_SUITE("mlp/params/param_table") {
  TEST_CASE("finds each parameter by Spark's name") {
    for (const ParamInfo& info : kParamTable) {
      CHECK(find_param(info.name) == &info);
    }
  }

  TEST_CASE("finds nothing under another name") {
    CHECK(find_param("maxiter") == nullptr);
    CHECK(find_param("max_iter") == nullptr);
    CHECK(find_param("--tol") == nullptr);
    CHECK(find_param("") == nullptr);
  }

  TEST_CASE("gives each parameter names and sentences of its own") {
    std::set<std::string_view> texts;
    for (const ParamInfo& info : kParamTable) {
      texts.insert({info.name, info.flag, info.sentence});
      CHECK(info.flag.substr(0, 2) == "--");
      CHECK(info.sentence.back() == '.');
      // A switch takes no value.
      CHECK(info.type.empty() == (info.interval == "true or false"));
      CHECK_FALSE(info.interval.empty());
    }
    CHECK(texts.size() == 3 * kParamTable.size());
  }

  TEST_CASE("reads back what it writes for every parameter that is set") {
    Params params = valid_params();
    params.tol = 1.0 / 3.0;
    params.seed = std::numeric_limits<std::int64_t>::min();
    params.solver = Solver::kGradientDescent;
    params.thresholds = {0.1, 1e-300};
    params.initial_weights = Vector::LinSpaced(17, -1.0, 1.0 / 7.0);
    params.activation = {*Activation::find("tanh"), *Activation::find("elu")};
    params.schedule = {optim::StepSchedule::Shape::kInverse, 1, 1e-3, 0.5};
    params.dropout = {0.1, 1.0 / 3.0};
    params.freeze = {2, 1};
    params.gradient_tol = 1.0 / 7.0;

    for (const ParamInfo& info : kParamTable) {
      std::string text = info.format(params);
      // A name is quoted in JSON, and bare on the command line.
      if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
      Params copy;
      set_param(copy, info, text);
      CAPTURE(info.name);
      CHECK(info.format(copy) == info.format(params));
    }
  }

  TEST_CASE("accepts and validates the example of each parameter") {
    Params params;
    for (const ParamInfo& info : kParamTable) {
      // Its example is a file, which the command line reads.
      if (info.name == "initialWeights") continue;
      CAPTURE(info.name);
      CHECK(info.parse(params, info.example));
      CHECK(info.is_valid(params));
    }
    // The pair of task and solver that allows all but those of other solvers and of
    // two classes.
    params.task = Task::kClassification;
    params.solver = Solver::kSgd;
    params.one_output = false;
    params.gradient_tol.reset();
    params.shuffle = Shuffle::kAuto;  // inOrder allows no other
    params.beta1 = Params().beta1;
    params.beta2 = Params().beta2;
    params.epsilon = Params().epsilon;
    CHECK_NOTHROW(validate(params));
  }

  TEST_CASE("writes every parameter as JSON") {
    CHECK(round_trip("layers", "4,5,4,3") == "[4, 5, 4, 3]");
    CHECK(round_trip("layers", "[ 100000, 10 ]") == "[100000, 10]");
    CHECK(round_trip("maxIter", "+200") == "200");
    CHECK(round_trip("tol", "0.0001") == "1e-04");
    CHECK(round_trip("blockSize", "64") == "64");
    CHECK(round_trip("solver", "gd") == "\"gd\"");
    CHECK(round_trip("solver", "l-bfgs") == "\"l-bfgs\"");
    CHECK(round_trip("stepSize", ".5") == "0.5");
    CHECK(round_trip("seed", "-763139545") == "-763139545");
    CHECK(round_trip("initialWeights", "[1, -0.5,2]") == "[1, -0.5, 2]");
    CHECK(round_trip("thresholds", "0.5, 0.3, 0.2") == "[0.5, 0.3, 0.2]");
  }

  TEST_CASE("writes the parameters that Spark lacks as JSON") {
    CHECK(round_trip("solver", "adamw") == "\"adamw\"");
    CHECK(round_trip("task", "regression") == "\"regression\"");
    CHECK(round_trip("numericEncoding", "quantile") == "\"quantile:8\"");
    CHECK(round_trip("activation", "relu, tanh") == "\"relu,tanh\"");
    CHECK(round_trip("init", "glorot") == "\"xavier-uniform\"");
    CHECK(round_trip("residual", "true") == "true");
    CHECK(round_trip("batchNorm", "false") == "false");
    CHECK(round_trip("dropout", "0.5,0") == "[0.5, 0]");
    CHECK(round_trip("regParam", "1e-4") == "1e-04");
    CHECK(round_trip("classWeights", "1,2.5") == "[1, 2.5]");
    CHECK(round_trip("labelSmoothing", "0.1") == "0.1");
    CHECK(round_trip("patience", "5") == "5");
    CHECK(round_trip("schedule", "step:2:0.5,warmup:1") ==
          "\"step:2:0.5,warmup:1\"");
    CHECK(round_trip("freeze", "[1, 2]") == "[1, 2]");
  }

  TEST_CASE("writes the step size of the solver where none is set") {
    Params params;
    CHECK(param("stepSize").format(params) == "0.03");
    params.solver = Solver::kAdam;
    CHECK(param("stepSize").format(params) == "0.001");
    set_param(params, param("stepSize"), "0.2");
    CHECK(param("stepSize").format(params) == "0.2");
  }

  TEST_CASE("writes nothing for a parameter that is not set") {
    const Params params;

    CHECK(param("layers").format(params).empty());
    CHECK(param("initialWeights").format(params).empty());
    CHECK(param("thresholds").format(params).empty());
  }

  TEST_CASE("says which parameters stand under params in a model file") {
    std::set<std::string> always;
    std::set<std::string> never;
    for (const ParamInfo& info : kParamTable) {
      if (info.stored == Stored::kAlways) always.emplace(info.name);
      if (info.stored == Stored::kNever) never.emplace(info.name);
    }

    CHECK(always == std::set<std::string>{"maxIter", "tol", "blockSize",
                                          "solver", "stepSize", "seed"});
    // These stand elsewhere in the file, or matter to a training alone.
    CHECK(never == std::set<std::string>{"layers", "initialWeights",
                                         "thresholds", "task",
                                         "numericEncoding", "activation",
                                         "residual", "batchNorm", "dropout"});
  }

  TEST_CASE("writes what Spark lacks where it was set alone") {
    Params params = valid_params();
    CHECK(is_written(param("tol"), params));
    CHECK_FALSE(is_written(param("momentum"), params));
    CHECK_FALSE(is_written(param("batchNorm"), params));

    params.momentum = 0.5;
    params.batch_norm = true;

    CHECK(is_written(param("momentum"), params));
    CHECK_FALSE(is_written(param("batchNorm"), params));
  }

  TEST_CASE("tells whether Spark has all that is set") {
    CHECK(has_spark_params(valid_params()));
    for (const ParamInfo& info : kParamTable) {
      if (info.stored != Stored::kWhenSet && info.name != "solver") continue;
      Params params = valid_params();
      set_param(params, info, info.example);
      CAPTURE(info.name);
      CHECK_FALSE(has_spark_params(params));
    }
  }

  TEST_CASE("keeps the old value where the text is refused") {
    Params params = valid_params();
    params.thresholds = {0.5, 0.5};

    for (const ParamInfo& info : kParamTable) {
      const std::string before = info.format(params);
      CAPTURE(info.name);
      CHECK_THROWS_AS(set_param(params, info, "x,"), ParamError);
      CHECK(info.format(params) == before);
    }
  }
}

TEST_SUITE("mlp/params/param_table refusal of text") {
  TEST_CASE("says what layers must be and what they were") {
    CHECK(refusal("layers", "4,x,3") ==
          "layers must be at least 2 sizes, each > 0; got '4,x,3'");
    for (const char* text : {"4,,3", "4,5,", ",4", "4;5", "[4,5", "4.5,3",
                             "4 5", "[[4,5]]", "1e2,3"}) {
      CAPTURE(text);
      CHECK_THROWS_AS(set("layers", text), ParamError);
    }
  }

  TEST_CASE("says what an integer must be and what it was") {
    CHECK(refusal("maxIter", "1.5") ==
          "maxIter must be an integer >= 0; got '1.5'");
    CHECK(refusal("blockSize", "") ==
          "blockSize must be an integer > 0; got ''");
  }

  TEST_CASE("names the upper bound where an integer is beyond it") {
    CHECK(refusal("maxIter", "9223372036854775808") ==
          "maxIter must be an integer >= 0 and <= "
          "9223372036854775807; got '9223372036854775808'");
    CHECK(refusal("blockSize", "+9223372036854775808") ==
          "blockSize must be an integer > 0 and <= "
          "9223372036854775807; got '+9223372036854775808'");
    CHECK(refusal("seed", "9223372036854775808") ==
          "seed must be an integer of 64 bits and <= "
          "9223372036854775807; got '9223372036854775808'");
    CHECK(refusal("maxIter", "-9223372036854775809") ==
          "maxIter must be an integer >= 0; got '-9223372036854775809'");
    CHECK_NOTHROW(set("maxIter", "9223372036854775807"));
  }

  TEST_CASE("says what a number must be and what it was") {
    CHECK(refusal("tol", "nan") ==
          "tol must be a number >= 0, and <= 1 with solver gd; got 'nan'");
    CHECK(refusal("stepSize", "1e999") ==
          "stepSize must be a number > 0; got '1e999'");
  }

  TEST_CASE("knows the solvers in their exact case") {
    CHECK(refusal("solver", "rmsprop") ==
          "solver must be l-bfgs, gd, sgd, adam or adamw; got 'rmsprop'");
    CHECK(
        refusal("solver", "L-BFGS") ==
        "solver must be l-bfgs, gd, sgd, adam or adamw; got 'L-BFGS'; did you "
        "mean 'l-bfgs'?");
  }

  TEST_CASE("says what names must be and what they were") {
    CHECK(refusal("task", "ranking") ==
          "task must be classification or regression; got "
          "'ranking'");
    CHECK(refusal("numericEncoding", "quantile:1") ==
          "numericEncoding must be linear, quantile or quantile:BINS with BINS "
          "an integer >= 2 and <= 256; got 'quantile:1'");
    CHECK(refusal("activation", "relu,gelu") ==
          ("activation must be one of " +
           join_names(Activation::names(), ", ") +
           " for all hidden layers, or one for each; got 'relu,gelu'"));
    CHECK(refusal("init", "zeros") ==
          "init must be spark, xavier-uniform, xavier-normal, he-uniform, "
          "he-normal, lecun-uniform, lecun-normal or orthogonal; got 'zeros'");
    CHECK(refusal("batchNorm", "yes") ==
          "batchNorm must be true or false; got 'yes'");
    CHECK_THROWS_AS(set("schedule", "cosine:3"), ParamError);
    CHECK(refusal("freeze", "1.5") ==
          "freeze must be layer numbers from 1; got '1.5'");
  }

  TEST_CASE("says what lists of numbers must be and what they were") {
    CHECK(refusal("initialWeights", "1,inf") ==
          "initialWeights must be finite numbers; got '1,inf'");
    CHECK(refusal("thresholds", "a") ==
          "thresholds must be numbers >= 0, at most one of them "
          "0; got 'a'");
  }
}

TEST_SUITE("mlp/params/param_table validation") {
  TEST_CASE("accepts the defaults with layers and the ends of intervals") {
    Params params = valid_params();
    CHECK_NOTHROW(validate(params));

    params.max_iter = 0;
    params.tol = 0.0;
    params.block_size = 1;
    params.step_size = 1e-300;
    params.thresholds = {0.0, 0.5};
    params.initial_weights = Vector::Zero(17);
    CHECK_NOTHROW(validate(params));
  }

  TEST_CASE("rejects layers that are not set and says what to do") {
    CHECK(refusal(Params{}) ==
          "layers must be at least 2 sizes, each > 0; got none: set layers");
  }

  TEST_CASE("rejects layers with a size that is not positive") {
    Params params;
    params.layers = {1};
    CHECK(refusal(params) ==
          "layers must be at least 2 sizes, each > 0; got [1]");
    params.layers = {2, -1, 2};
    CHECK(refusal(params) ==
          "layers must be at least 2 sizes, each > 0; got [2, -1, 2]");
  }

  TEST_CASE("rejects layers that no topology can have") {
    Params params;
    params.layers = {1048577, 2};

    CHECK(refusal(params) ==
          "layers must be sizes of at most 1048576; got 1048577");
  }

  TEST_CASE("rejects a negative maxIter") {
    Params params = valid_params();
    params.max_iter = -1;

    CHECK(refusal(params) == "maxIter must be an integer >= 0; got -1");
  }

  TEST_CASE("rejects a tol that is negative or NaN") {
    Params params = valid_params();
    params.tol = -1.0;
    CHECK(refusal(params) ==
          "tol must be a number >= 0, and <= 1 with solver gd; got -1");
    params.tol = kNaN;
    CHECK(refusal(params) ==
          "tol must be a number >= 0, and <= 1 with solver gd; got NaN");
  }

  TEST_CASE("rejects a tol above 1 with solver gd alone") {
    Params params = valid_params();
    params.tol = 2.0;
    CHECK_NOTHROW(validate(params));

    params.solver = Solver::kGradientDescent;

    CHECK(refusal(params) ==
          "tol must be a number >= 0, and <= 1 with solver gd; got 2");
  }

  TEST_CASE("rejects a block size below 1") {
    Params params = valid_params();
    params.block_size = 0;

    CHECK(refusal(params) == "blockSize must be an integer > 0; got 0");
  }

  TEST_CASE("rejects a step size that is not positive") {
    Params params = valid_params();
    params.step_size = 0.0;
    CHECK(refusal(params) == "stepSize must be a number > 0; got 0");
    params.step_size = kNaN;
    CHECK(refusal(params) == "stepSize must be a number > 0; got NaN");
  }

  TEST_CASE("rejects initial weights that are not finite or too few") {
    Params params = valid_params();
    params.initial_weights = Vector::Zero(5);
    CHECK(refusal(params) ==
          "initialWeights must be 17 numbers for layers [2, 3, 2]; got 5");
    params.initial_weights = Vector::Constant(1, kNaN);
    CHECK(refusal(params) ==
          "initialWeights must be finite numbers; got [NaN]");
  }

  TEST_CASE("rejects thresholds that are negative or twice 0") {
    Params params = valid_params();
    params.thresholds = {-1.0, 0.5};
    CHECK(refusal(params) ==
          "thresholds must be numbers >= 0, at most one of them "
          "0; got [-1, 0.5]");
    params.thresholds = {0.0, 0.0};
    CHECK(refusal(params) ==
          "thresholds must be numbers >= 0, at most one of them "
          "0; got [0, 0]");
    params.thresholds = {0.5, kNaN};
    CHECK_THROWS_AS(validate(params), ParamError);
  }

  TEST_CASE("rejects thresholds of another number than classes") {
    Params params = valid_params();
    params.thresholds = {0.1, 0.2, 0.3};

    CHECK(refusal(params) ==
          "thresholds must be 2 numbers, one per class; got 3");
  }
}

}  // namespace mlp
