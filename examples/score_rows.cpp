// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Scores single rows. A Scorer is created once from the model. Scoring a row
// then allocates no memory, and several threads may share the Scorer.

#include <cstdio>

#include "../mlp/mlp.hpp"
#include "../mlp/model/scorer.hpp"
#ifdef MLP_HAS_CPU_BACKEND
#include "../cpu/cpu_backend.hpp"
#endif

int main() {
  mlp::datasets::Dataset data;
  data.features = mlp::Matrix{{0, 0, 1, 1}, {0, 1, 0, 1}};
  data.labels = mlp::Vector{{0, 1, 1, 0}};
  mlp::Params params;
  params.layers = {2, 5, 2};
  params.seed = 123;
  const mlp::FitResult fit = mlp::Classifier(params).fit(data);

#ifdef MLP_HAS_CPU_BACKEND
  const mlp::Scorer scorer(fit.model, mlp::cpu::backend());
#else
  const mlp::Scorer scorer(fit.model);
#endif
  for (const int a : {0, 1}) {
    for (const int b : {0, 1}) {
      const double row[] = {static_cast<double>(a), static_cast<double>(b)};
      double probability[2];
      scorer.predict_probability(row, probability);
      std::printf("%d xor %d is %d, with probability %.3f\n", a, b,
                  static_cast<int>(scorer.predict(row)),
                  probability[scorer.predict(row)]);
    }
  }
}
