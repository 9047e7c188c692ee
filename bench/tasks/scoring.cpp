// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Scoring with a model whose sizes are known at run time alone: single rows and
// batches.

#include "../../mlp/model/model.hpp"
#include "../../mlp/model/scorer.hpp"
#include "../worker/kernels.hpp"
#include "../worker/row_scoring.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

Scorer make_scorer(const Problem& problem, Precision precision) {
  return Scorer(Model(problem.topology, problem.weights), kernels(), precision);
}

/// Scores many rows at once, from and to the user's memory.
template <typename T>
class BatchScoring final : public Task {
 public:
  BatchScoring(const Problem& problem, Precision precision, int num_threads)
      : rows_(problem.features.cast<T>()),
        raw_(problem.topology.num_classes(), rows_.cols()),
        scorer_(make_scorer(problem, precision)),
        num_threads_(num_threads) {}

  Sample run(long repeats) override {
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      scorer_.predict_raw(rows_.data(), rows_.cols(), raw_.data(),
                          num_threads_);
    }
    Sample sample{watch.elapsed(), {}, {}};
    sample.values = {{"score_norm", raw_.template cast<double>().norm()}};
    return sample;
  }

 private:
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

  Rows rows_;  // [num_features x num_rows]
  Rows raw_;   // [num_classes x num_rows]
  Scorer scorer_;
  int num_threads_;
};

}  // namespace

std::unique_ptr<Task> make_scoring(const Arguments& arguments) {
  const std::vector<Index> layers =
      parse_layers(word_argument(arguments, 0, "LAYERS"));
  const Precision precision =
      parse_precision(word_argument(arguments, 1, "PRECISION"));
  const std::string mode = word_argument(arguments, 2, "MODE");
  if (mode != "batch") {
    const Problem problem = random_problem(layers, kNumScoredRows);
    Scorer scorer = make_scorer(problem, precision);
    if (precision == Precision::kFloat32) {
      return make_row_scoring<float>(problem, std::move(scorer), mode);
    }
    return make_row_scoring<double>(problem, std::move(scorer), mode);
  }
  const long num_rows = count_argument(arguments, 3, "ROWS");
  const long num_threads = count_argument(arguments, 4, "THREADS");
  const Problem problem = random_problem(layers, num_rows);
  if (precision == Precision::kFloat32) {
    return std::make_unique<BatchScoring<float>>(problem, precision,
                                                 static_cast<int>(num_threads));
  }
  return std::make_unique<BatchScoring<double>>(problem, precision,
                                                static_cast<int>(num_threads));
}

}  // namespace mlp::bench
