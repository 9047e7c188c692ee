// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Prints the initial weights, one a line, of the seed and layers given as
// arguments: a fit of no iterations returns them.

#include <cstdio>
#include <mlp/mlp.hpp>
#include <string>

int main(int num_arguments, char** arguments) {
  mlp::Params params;
  params.seed = std::stoll(arguments[1]);
  for (int i = 2; i < num_arguments; ++i) {
    params.layers.push_back(std::stol(arguments[i]));
  }
  params.max_iter = 0;
  mlp::datasets::Dataset data;
  data.features = mlp::Matrix::Zero(params.layers.front(), 1);
  data.labels = mlp::Vector::Zero(1);

  const mlp::FitResult fit = mlp::Classifier(params).fit(data);

  for (const double weight : fit.model.weights()) std::printf("%a\n", weight);
}
