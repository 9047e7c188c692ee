// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Scoring with a model whose sizes are known at run time alone: single rows and
// batches.

#include "../../cpu/cpu_backend.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/scorer.hpp"
#include "../worker/row_scoring.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

Scorer make_scorer(const Problem& problem, Precision precision) {
  return Scorer(Model(problem.topology, problem.weights), cpu::backend(),
                precision);
}

/// Scores a matrix of rows at once, as a user would.
class BatchScoring final : public Task {
 public:
  BatchScoring(Problem problem, Precision precision, int num_threads)
      : problem_(std::move(problem)),
        scorer_(make_scorer(problem_, precision)),
        num_threads_(num_threads) {}

  Sample run(long repeats) override {
    Matrix scores;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      scores = scorer_.predict_raw(problem_.features, num_threads_);
    }
    Sample sample{watch.elapsed(), {}, {}};
    sample.values = {{"score_norm", scores.norm()}};
    return sample;
  }

 private:
  Problem problem_;
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
  return std::make_unique<BatchScoring>(random_problem(layers, num_rows),
                                        precision,
                                        static_cast<int>(num_threads));
}

}  // namespace mlp::bench
