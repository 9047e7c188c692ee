// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../optim/convergence_reason.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

namespace mlp::optim {

TEST_SUITE("optim/convergence_reason") {
  TEST_CASE("lists the texts in the order of the reasons") {
    for (std::size_t i = 0; i < kConvergenceTexts.size(); ++i) {
      const auto reason = static_cast<ConvergenceReason>(i);
      CHECK(kConvergenceTexts[i].reason == reason);
      CHECK(&text_of(reason) == &kConvergenceTexts[i]);
    }
    CHECK(static_cast<std::size_t>(ConvergenceReason::kDiverged) + 1 ==
          kConvergenceTexts.size());
  }

  TEST_CASE("gives each reason a name and a sentence of its own") {
    std::set<std::string_view> names;
    std::set<std::string_view> sentences;
    for (const ConvergenceText& text : kConvergenceTexts) {
      names.insert(text.name);
      sentences.insert(text.sentence);
    }

    CHECK(names.size() == kConvergenceTexts.size());
    CHECK(sentences.size() == kConvergenceTexts.size());
    CHECK(names.count("") == 0);
  }

  TEST_CASE("spells the names as they stand in JSON") {
    CHECK(text_of(ConvergenceReason::kMaxIter).name == "maxIter");
    CHECK(text_of(ConvergenceReason::kGradientConverged).name ==
          "gradientConverged");
    CHECK(text_of(ConvergenceReason::kFunctionValuesConverged).name ==
          "functionValuesConverged");
    CHECK(text_of(ConvergenceReason::kLineSearchFailed).name ==
          "lineSearchFailed");
    CHECK(text_of(ConvergenceReason::kWeightsConverged).name ==
          "weightsConverged");
    CHECK(text_of(ConvergenceReason::kStoppedByCallback).name ==
          "stoppedByCallback");
    CHECK(text_of(ConvergenceReason::kValidationStalled).name ==
          "validationStalled");
  }
}

}  // namespace mlp::optim
