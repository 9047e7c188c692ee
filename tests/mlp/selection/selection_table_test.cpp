// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/selection/selection_table.hpp"

#include <doctest/doctest.h>

#include "../../../mlp/training/fit/fit_model.hpp"

namespace mlp {

namespace {

datasets::Dataset make_rows() {
  datasets::Dataset data;
  data.features = Matrix{{1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 0, 1, 0, 1, 0, 1}};
  data.labels = Vector{{0, 0, 1, 1, 1, 0, 0, 1}};
  return data;
}

Params make_params() {
  Params params;
  params.layers = {2, 3, 2};
  params.seed = 1;
  params.max_iter = 5;
  return params;
}

FitOptions standardizing() {
  FitOptions options;
  options.is_standardizing = true;
  return options;
}

/// Trains on the table, and completes the model.
Model fit_on(const SelectionTable& table) {
  Model model = fit_model(table.params(), table.data(), table.options()).model;
  table.complete(model);
  return model;
}

}  // namespace

TEST_SUITE("mlp/selection/selection_table") {
  TEST_CASE("a training on it is the same as without it") {
    const auto data = make_rows();
    for (const NumericEncoding encoding :
         {NumericEncoding{0}, NumericEncoding{4}}) {
      for (const FitOptions& options : {FitOptions(), standardizing()}) {
        CAPTURE(encoding.num_bins);
        CAPTURE(options.is_standardizing);
        Params params = make_params();
        params.numeric_encoding = encoding;
        const Model expected = fit_model(params, data, options).model;

        const Model model =
            fit_on(SelectionTable(make_params(), data, options, encoding));

        CHECK(model.weights() == expected.weights());
        CHECK(model.predict_raw(data.features) ==
              expected.predict_raw(data.features));
      }
    }
  }

  TEST_CASE("data that nothing prepares are not copied") {
    const auto data = make_rows();
    const SelectionTable table(make_params(), data, {}, {});
    CHECK(&table.data() == &data);
    CHECK(table.has_own_values());
  }

  TEST_CASE("has no values of its own without bins") {
    auto data = make_rows();
    const SelectionTable with_bins(make_params(), data, {}, {4});
    data.features.row(0) = data.features.row(1);
    const SelectionTable without(make_params(), data, {}, {4});

    CHECK(with_bins.has_own_values());
    CHECK_FALSE(without.has_own_values());
  }
}

}  // namespace mlp
