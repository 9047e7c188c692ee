// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Prints the objective during training and stops early. The callback is called
// after each iteration and returns false to stop.

#include <cstdio>

#include "../mlp/mlp.hpp"

int main() {
  mlp::datasets::Dataset data;
  data.features = mlp::Matrix{{0, 0, 1, 1}, {0, 1, 0, 1}};
  data.labels = mlp::Vector{{0, 1, 1, 0}};
  mlp::Params params;
  params.layers = {2, 5, 2};
  params.seed = 123;

  mlp::FitOptions options;
  options.on_iteration = [](const mlp::optim::Iteration& seen) {
    std::printf("%3d  %.6f\n", static_cast<int>(seen.iteration),
                seen.objective);
    return seen.objective > 0.1;
  };
  const mlp::FitResult fit = mlp::Classifier(params).fit(data, options);

  const auto& why = mlp::optim::text_of(fit.summary.convergence_reason);
  std::printf("stopped: %.*s\n", static_cast<int>(why.sentence.size()),
              why.sentence.data());
}
