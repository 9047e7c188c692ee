// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../../cli/fit/train_options.hpp"
#include "../../../../cli/flags/backend_choice.hpp"
#include "../../../../cli/train/train_flags.hpp"
#include "../../../../datasets/label_index.hpp"
#include "../../../../datasets/load/load.hpp"
#include "../../../../mlp/classifier.hpp"
#include "../../../../mlp/model_json.hpp"
#include "../../../../mlp/params/param_table.hpp"
#include "../../run_program.hpp"

namespace mlp::cli {

namespace {

using Shape = optim::StepSchedule::Shape;

/// Flags of the program, and the same hyper-parameters in the library.
struct ParamCase {
  Solver solver;
  const char* flags;
  void (*set)(Params&);
};

/// A value that is not the default for every hyper-parameter that has a flag.
const std::vector<ParamCase> kCases = {
    {Solver::kLbfgs, "--max-iter 9", [](Params& p) { p.max_iter = 9; }},
    {Solver::kLbfgs, "--tol 0.02", [](Params& p) { p.tol = 0.02; }},
    {Solver::kLbfgs, "--block-size 40", [](Params& p) { p.block_size = 40; }},
    {Solver::kGradientDescent, "", [](Params&) {}},
    {Solver::kGradientDescent, "--step-size 0.2",
     [](Params& p) { p.step_size = 0.2; }},
    {Solver::kSgd, "--step-size 0.2", [](Params& p) { p.step_size = 0.2; }},
    {Solver::kLbfgs, "--seed 77", [](Params& p) { p.seed = 77; }},
    {Solver::kLbfgs, "--thresholds 0.5,0.25,0.75",
     [](Params& p) {
       p.thresholds = {0.5, 0.25, 0.75};
     }},
    {Solver::kLbfgs, "--activation tanh",
     [](Params& p) { p.activation = {*Activation::find("tanh")}; }},
    {Solver::kLbfgs, "--init he-normal",
     [](Params& p) { p.init = Initialization::kHeNormal; }},
    {Solver::kLbfgs, "--residual", [](Params& p) { p.residual = true; }},
    {Solver::kAdam, "--batch-norm", [](Params& p) { p.batch_norm = true; }},
    {Solver::kAdam, "--dropout 0.25", [](Params& p) { p.dropout = {0.25}; }},
    {Solver::kLbfgs, "--reg-param 0.03", [](Params& p) { p.reg_param = 0.03; }},
    {Solver::kAdamW, "--reg-param 0.03", [](Params& p) { p.reg_param = 0.03; }},
    {Solver::kLbfgs, "--class-weights 1,2,0.5",
     [](Params& p) {
       p.class_weights = {1, 2, 0.5};
     }},
    {Solver::kLbfgs, "--label-smoothing 0.125",
     [](Params& p) { p.label_smoothing = 0.125; }},
    {Solver::kGradientDescent, "--clip-norm 0.0625",
     [](Params& p) { p.clip_norm = 0.0625; }},
    {Solver::kSgd, "--clip-value 0.03125",
     [](Params& p) { p.clip_value = 0.03125; }},
    {Solver::kLbfgs, "--history-size 1", [](Params& p) { p.history_size = 1; }},
    {Solver::kAdam, "--batch-size 32", [](Params& p) { p.batch_size = 32; }},
    {Solver::kSgd, "--momentum 0.75", [](Params& p) { p.momentum = 0.75; }},
    {Solver::kSgd, "--momentum 0.75 --nesterov",
     [](Params& p) {
       p.momentum = 0.75;
       p.nesterov = true;
     }},
    {Solver::kAdam, "--schedule step:2:0.5,warmup:1",
     [](Params& p) {
       p.schedule = {Shape::kStep, 2, 0.5, 1.0};
     }},
    {Solver::kLbfgs, "--gradient-tol 0.5",
     [](Params& p) { p.gradient_tol = 0.5; }},
    {Solver::kAdam, "--beta1 0.5", [](Params& p) { p.beta1 = 0.5; }},
    {Solver::kAdam, "--beta2 0.5", [](Params& p) { p.beta2 = 0.5; }},
    {Solver::kAdamW, "--epsilon 0.125", [](Params& p) { p.epsilon = 0.125; }},
    {Solver::kSgd, "--in-order", [](Params& p) { p.in_order = true; }},
    {Solver::kAdam, "--shuffle slabs",
     [](Params& p) { p.shuffle = Shuffle::kSlabs; }},
    {Solver::kSgd, "--stall-epochs 2 --tol 0.5",
     [](Params& p) {
       p.stall_epochs = 2;
       p.tol = 0.5;
     }},
    {Solver::kLbfgs, "--numeric-encoding quantile:5",
     [](Params& p) { p.numeric_encoding = {5}; }},
    {Solver::kAdam, "--numeric-encoding quantile",
     [](Params& p) { p.numeric_encoding = {8}; }},
    {Solver::kLbfgs, "--freeze 1", [](Params& p) { p.freeze = {1}; }},
};

std::vector<std::string> words_of(const ParamCase& test) {
  std::string flags = "--layers 4,6,6,3 --solver " +
                      std::string(name_in(kSolverNames, test.solver));
  const std::string own = test.flags;
  if (own.find("--seed") == own.npos) flags += " --seed 5";
  if (own.find("--max-iter") == own.npos) flags += " --max-iter 6";
  if (!own.empty()) flags += ' ' + own;
  return test::with({"train", test::data_file("iris.csv"), "-q"},
                    test::split_words(flags));
}

Params params_of(const ParamCase& test) {
  Params params;
  params.layers = {4, 6, 6, 3};
  params.solver = test.solver;
  params.seed = 5;
  params.max_iter = 6;
  test.set(params);
  return params;
}

datasets::Dataset read_iris() {
  datasets::Dataset data = datasets::load(test::data_file("iris.csv")).dataset;
  data.labels = datasets::LabelIndex::fit(data.label_texts).apply(data);
  data.label_texts.clear();
  return data;
}

FitResult fit(const Params& params) {
  FitOptions options;
  options.backend = choose_backend("auto").implementation;
  return Classifier(params).fit(read_iris(), options);
}

void check_params(const Params& received, const Params& expected) {
  for (const ParamInfo& info : kParamTable) {
    CAPTURE(info.flag);
    CHECK(info.format(received) == info.format(expected));
  }
}

}  // namespace

TEST_SUITE("cli/train/program/param_flags") {
  TEST_CASE("covers every flag of a hyper-parameter") {
    std::string all =
        "--layers --solver --initial-weights --task --patience --one-output ";
    for (const ParamCase& test : kCases) all.append(test.flags).append(1, ' ');

    for (const ParamInfo& info : kParamTable) {
      CAPTURE(info.flag);
      CHECK(all.find(std::string(info.flag) + ' ') != all.npos);
    }
  }

  TEST_CASE("sets the hyper-parameter of each flag and no other") {
    for (const ParamCase& test : kCases) {
      CAPTURE(test.flags);

      const TrainOptions options =
          read_train_options(parse_command_line(words_of(test)));

      check_params(options.params, params_of(test));
    }
  }

  TEST_CASE("trains with each flag to the bits of the library") {
    for (const ParamCase& test : kCases) {
      CAPTURE(test.flags);
      const test::ScratchFolder folder;

      test::output_of(
          test::with(words_of(test), {"-o", folder / "model.json"}));

      const ModelDocument saved = load_model(folder / "model.json");
      const FitResult expected = fit(params_of(test));
      check_params(saved.params, params_of(test));
      CHECK(saved.model.weights() == expected.model.weights());
      CHECK(saved.model.statistics() == expected.model.statistics());
      CHECK(saved.model.thresholds() == expected.model.thresholds());
      CHECK(saved.summary.objective_history ==
            expected.summary.objective_history);
      CHECK(saved.summary.convergence_reason ==
            expected.summary.convergence_reason);
    }
  }

  TEST_CASE("waits for the validation loss as long as --patience says") {
    const auto history = [](const char* patience) {
      const test::ScratchFolder folder;
      const test::Words words = test::split_words(
          "--layers 4,6,3 --solver adam --step-size 0.3 --batch-size 10 "
          "--max-iter 400 --seed 3 --validation 0.3");
      test::output_of(
          test::with({"train", test::data_file("iris.csv"), "-q", "--patience",
                      patience, "-o", folder / "model.json"},
                     words));
      return load_model(folder / "model.json").summary.objective_history;
    };

    const std::vector<double> two = history("2");
    const std::vector<double> nine = history("9");

    REQUIRE(nine.size() > two.size());
    CHECK(std::equal(two.begin(), two.end(), nine.begin()));
    CHECK(nine.size() < 400);
  }
}

}  // namespace mlp::cli
