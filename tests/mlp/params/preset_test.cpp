// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/preset.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string_view>
#include <vector>

#include "../../../mlp/params/param_rules.hpp"

namespace mlp {

TEST_SUITE("mlp/params/preset") {
  TEST_CASE("describes what it sets") {
    Params params;

    const std::string taken = apply_modern(params, {13, 3, 125.0});

    CHECK(taken ==
          "layers [13, 48, 3], ReLU, init he-normal, L2 of 0.02, l-bfgs, at "
          "most 300 iterations, tol 1e-04, blockSize 1");
    CHECK_NOTHROW(validate(params));
    CHECK(params.layers == std::vector<Index>{13, 48, 3});
    CHECK(params.reg_param == 0.02);
    CHECK(params.max_iter == 300);
    CHECK(params.block_size == 1);
  }

  TEST_CASE("leaves what the caller has set") {
    constexpr std::array<std::string_view, 3> kSet{"tol", "activation",
                                                   "regParam"};
    Params params;
    params.layers = {4, 7, 7, 2};
    params.tol = 0.5;

    const std::string taken = apply_modern(params, {4, 2, 50.0}, kSet);

    CHECK(taken ==
          "init he-normal, l-bfgs, at most 300 iterations, blockSize 1");
    CHECK(params.layers == std::vector<Index>{4, 7, 7, 2});
    CHECK(params.tol == 0.5);
    CHECK(params.activation.empty());
    CHECK(params.reg_param == 0.0);
  }

  TEST_CASE("chooses an activation that the format can express") {
    Params for_spark;
    Params for_onnx;

    const std::string taken =
        apply_modern(for_spark, {13, 3, 125.0, ExportFormat::kSpark});
    apply_modern(for_onnx, {13, 3, 125.0, ExportFormat::kOnnx});

    CHECK(taken.find("layers [13, 48, 3], sigmoid, init spark, ") == 0);
    CHECK_FALSE(find_export_problem(ExportFormat::kSpark,
                                    export_facts(for_spark, false)));
    CHECK(for_onnx.activation.front().name() == "relu");
  }

  TEST_CASE("takes larger steps for mini-batches, in as many epochs") {
    constexpr std::array<std::string_view, 1> kSet{"solver"};
    Params params;
    params.solver = Solver::kAdam;

    const std::string taken = apply_modern(params, {4, 2, 50.0}, kSet);

    CHECK(params.solver == Solver::kAdam);
    CHECK(params.max_iter == Params().max_iter);
    CHECK(params.step_size == 0.01);
    CHECK(taken ==
          "layers [4, 32, 2], ReLU, init he-normal, L2 of 0.02, at most 100 "
          "epochs, step size 0.01, tol 1e-04, blockSize 1");

    params.solver = Solver::kSgd;
    params.momentum = 0.5;
    apply_modern(params, {4, 2, 50.0}, kSet);

    CHECK(params.step_size == 0.05);
  }

  TEST_CASE("takes adam and few epochs for many rows") {
    Params params;

    const std::string taken = apply_modern(params, {20, 5, 50001.0});

    CHECK(taken ==
          "layers [20, 128, 5], ReLU, init he-normal, L2 of 1e-04, adam, at "
          "most 40 epochs, step size 0.005, schedule cosine, tol 1e-04, "
          "blockSize 1");
    CHECK_NOTHROW(validate(params));
    CHECK(modern_solver({20, 5, 50000.0}, {}) == Solver::kLbfgs);
  }

  TEST_CASE("counts rows, not their weights, for the solver") {
    TableFacts facts{20, 5, 3e5};
    facts.num_instances = 300;
    CHECK(modern_solver(facts, {}) == Solver::kLbfgs);
    facts = {20, 5, 300.0};
    facts.num_instances = 60000;
    CHECK(modern_solver(facts, {}) == Solver::kAdam);
  }

  TEST_CASE(
      "keeps l-bfgs for many rows if the caller sets what only it reads") {
    for (const std::string_view name :
         {"tol", "gradientTol", "historySize", "blockSize"}) {
      CAPTURE(name);
      CHECK(modern_solver({20, 5, 1e6}, {&name, 1}) == Solver::kLbfgs);
    }
    constexpr std::string_view kOther = "regParam";
    CHECK(modern_solver({20, 5, 1e6}, {&kOther, 1}) == Solver::kAdam);
  }

  TEST_CASE("sizes the hidden layer by columns and rows, from 16 to 128") {
    CHECK(modern_hidden_size({2, 2, 4.0}) == 16);
    CHECK(modern_hidden_size({1, 1, 0.001}) == 16);
    CHECK(modern_hidden_size({30, 2, 100.0}) == 64);
    CHECK(modern_hidden_size({4, 3, 400.0}) == 80);
    CHECK(modern_hidden_size({4, 3, 1e9}) == 128);
    CHECK(modern_hidden_size({20000, 2, 1e4}) == 128);
  }

  TEST_CASE("gives a row of a wide table at most 6,400 weights, or 16 units") {
    CHECK(modern_hidden_size({7129, 2, 72.0}) == 64);
    CHECK(modern_hidden_size({14000, 2, 72.0}) == 32);
    CHECK(modern_hidden_size({3600, 2, 72.0}) == 128);
    CHECK(modern_hidden_size({20000, 2, 10.0}) == 16);
    CHECK(modern_hidden_size({3600, 2, 0.01, {}, 72}) == 128);
    CHECK(modern_hidden_size_of_narrow({7129, 2, 72.0}) == 128);
    CHECK(modern_hidden_size({0, 2, 10.0}) == 16);
  }

  TEST_CASE("penalises weights by features, free outputs and rows") {
    CHECK(modern_reg_param({8, 2, 800.0}) == 0.01);
    CHECK(modern_reg_param({8, 5, 800.0}) == 0.0025);
    CHECK(modern_reg_param({8, 1, 800.0}) == 0.01);
  }

  TEST_CASE("penalises weights by one to ten over the rows, in two digits") {
    CHECK(modern_reg_param({16, 26, 14000.0}) == 7.1e-5);
    CHECK(modern_reg_param({784, 10, 60000.0}) == 1.7e-4);
    CHECK(modern_reg_param({4, 3, 4.0}) == 0.02);
    CHECK(modern_reg_param({4, 3, 1e-9}) == 0.02);
    CHECK(modern_reg_param({4, 3, 1e300}) > 0.0);
    CHECK(modern_reg_param({4, 0, 400.0}) == 0.01);
  }
}

}  // namespace mlp
