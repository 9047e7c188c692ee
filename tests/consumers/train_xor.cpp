// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The program that each consumer project builds: it sees the library as any
// user does.

#include <iostream>
#include <mlp/mlp.hpp>

int main() {
  mlp::datasets::Dataset data;
  data.features = mlp::Matrix{{0, 0, 1, 1}, {0, 1, 0, 1}};
  data.labels = mlp::Vector{{0, 1, 1, 0}};
  mlp::Params params;
  params.layers = {2, 5, 2};
  params.seed = 123;

  const mlp::FitResult fit = mlp::Classifier(params).fit(data);

  std::cout << fit.model.predict(data.features).transpose() << " after "
            << fit.summary.total_iterations() << " iterations\n";
  return fit.model.predict(data.features) == data.labels ? 0 : 1;
}
