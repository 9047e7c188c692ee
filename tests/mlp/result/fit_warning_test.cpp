// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/result/fit_warning.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

namespace mlp {

TEST_SUITE("mlp/result/fit_warning") {
  TEST_CASE("names each code once") {
    std::set<std::string_view> names;
    for (const auto& known : kFitWarningNames) {
      CHECK(warning_name(known.value) == known.name);
      CHECK(names.insert(known.name).second);
    }
    CHECK(names.size() == 6);
  }

  TEST_CASE("tells a model of no use from advice") {
    CHECK(is_serious(FitWarningCode::kSearchFailed));
    CHECK(is_serious(FitWarningCode::kNoBetterThanConstant));
    CHECK(is_serious(FitWarningCode::kValidationDiverged));
    CHECK_FALSE(is_serious(FitWarningCode::kStillImproving));
    CHECK_FALSE(is_serious(FitWarningCode::kOverfit));
    CHECK_FALSE(is_serious(FitWarningCode::kUnevenScale));
  }
}

}  // namespace mlp
