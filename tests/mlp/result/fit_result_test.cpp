// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/result/fit_result.hpp"

#include <doctest/doctest.h>

#include "../../../mlp/mlp.hpp"

namespace mlp {

TEST_SUITE("mlp/result/fit_result") {
  TEST_CASE("has the model, the summary and no warning of a fit that learned") {
    datasets::Dataset data;
    data.features = Matrix{{0, 0, 1, 1}, {0, 1, 0, 1}};
    data.labels = Vector{{0, 1, 1, 0}};
    Params params;
    params.layers = {2, 5, 2};
    params.seed = 123;

    const FitResult result = Classifier(params).fit(data);

    CHECK(result.warnings.empty());
    CHECK(result.summary.total_iterations() > 10);
    CHECK(result.model.predict(data.features) == data.labels);
  }
}

}  // namespace mlp
