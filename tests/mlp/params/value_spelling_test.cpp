// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/params/value_spelling.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "../../../core/error.hpp"
#include "../../../mlp/params/param_table.hpp"

namespace mlp {

namespace {

std::string meant(const char* param, const char* value) {
  const ParamInfo& info = *find_param(param);
  return did_you_mean({info.name, info.choices, info.is_list}, value);
}

}  // namespace

TEST_SUITE("mlp/params/value_spelling") {
  TEST_CASE("finds the name that another spelling means") {
    CHECK(meant("init", "he_normal") == "; did you mean 'he-normal'?");
    CHECK(meant("init", "glorot_uniform") ==
          "; did you mean 'xavier-uniform'?");
    CHECK(meant("init", "kaiming_normal") == "; did you mean 'he-normal'?");
    CHECK(meant("solver", "Adam") == "; did you mean 'adam'?");
    CHECK(meant("solver", "lbfgs") == "; did you mean 'l-bfgs'?");
    CHECK(meant("activation", "logistic") == "; did you mean 'sigmoid'?");
  }

  TEST_CASE("corrects each name of a list") {
    CHECK(meant("activation", "ReLU,leakyRelu") ==
          "; did you mean 'relu,leaky-relu'?");
  }

  TEST_CASE("says nothing about other words and names of other lists") {
    CHECK(meant("solver", "newton").empty());
    CHECK(meant("solver", "logistic").empty());
    CHECK(meant("solver", "adam").empty());
    CHECK(meant("maxIter", "Adam").empty());
  }

  TEST_CASE("is a part of the refusal of a hyper-parameter") {
    Params params;
    CHECK_THROWS_WITH_AS(
        set_param(params, *find_param("solver"), "Adam"),
        "solver must be l-bfgs, gd, sgd, adam or adamw; got 'Adam'; did you "
        "mean 'adam'?",
        ParamError);
  }

  TEST_CASE("other names mean names of the lists") {
    for (const OtherName& other : kOtherNames) {
      CAPTURE(other.name);
      const ParamInfo* const info = find_param(other.param);
      if (info == nullptr) continue;  // of another setting
      CHECK(std::count(info->choices.begin(), info->choices.end(),
                       other.written) == 1);
    }
  }
}

}  // namespace mlp
