// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
// Trains on features of different scales with two lines: the preset and the
// option that standardises. The model takes the features as they are.
#include <iostream>
#include <mlp/mlp.hpp>

int main() {
  mlp::datasets::Dataset data;
  data.features = mlp::Matrix{{1000, 1010, 1000, 1010}, {0, 0, 1e-3, 1e-3}};
  data.labels = mlp::Vector{{0, 1, 1, 0}};
  mlp::Params params;
  mlp::apply_modern(params, {2, 2, 4});
  mlp::FitOptions options;
  options.is_standardizing = true;

  const mlp::FitResult fit = mlp::Classifier(params).fit(data, options);

  std::cout << fit.model.predict(data.features).transpose() << '\n';
  return fit.model.predict(data.features) == data.labels ? 0 : 1;
}
