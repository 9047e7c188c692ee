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
          "layers [13, 48, 3], ReLU, init he-normal, L2 of 0.008, l-bfgs, at "
          "most 300 iterations, tol 1e-04, blockSize 1");
    CHECK_NOTHROW(validate(params));
    CHECK(params.layers == std::vector<Index>{13, 48, 3});
    CHECK(params.reg_param == 0.008);
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

  TEST_CASE("keeps the number of epochs of a solver with mini-batches") {
    constexpr std::array<std::string_view, 1> kSet{"solver"};
    Params params;
    params.solver = Solver::kAdam;

    apply_modern(params, {4, 2, 50.0}, kSet);

    CHECK(params.solver == Solver::kAdam);
    CHECK(params.max_iter == Params().max_iter);
  }

  TEST_CASE("sizes the hidden layer by columns and rows, from 16 to 128") {
    CHECK(modern_hidden_size({2, 2, 4.0}) == 16);
    CHECK(modern_hidden_size({1, 1, 0.001}) == 16);
    CHECK(modern_hidden_size({30, 2, 100.0}) == 64);
    CHECK(modern_hidden_size({4, 3, 400.0}) == 80);
    CHECK(modern_hidden_size({4, 3, 1e9}) == 128);
    CHECK(modern_hidden_size({20000, 2, 10.0}) == 128);
  }

  TEST_CASE("penalises weights by one over the rows, in two digits") {
    constexpr Task kClasses = Task::kClassification;
    CHECK(modern_reg_param({4, 3, 398.0}, kClasses) == 0.0025);
    CHECK(modern_reg_param({4, 3, 14000.0}, kClasses) == 7.1e-5);
    CHECK(modern_reg_param({4, 3, 4.0}, kClasses) == 0.02);
    CHECK(modern_reg_param({4, 3, 1e-9}, kClasses) == 0.02);
    CHECK(modern_reg_param({4, 3, 1e300}, kClasses) > 0.0);
    CHECK(modern_reg_param({4, 1, 400.0}, Task::kRegression) == 0.0075);
  }
}

}  // namespace mlp
