// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Scoring with a model whose sizes are known at run time alone: single rows and
// batches.

#include "../core/thread_pool.hpp"
#include "../cpu/cpu_backend.hpp"
#include "row_scoring.hpp"

namespace mlp::bench {
namespace {

/// An evaluator that is kept, with its workspace. Rows and scores are double
/// precision on the outside of both precisions.
class PreparedNetwork {
 public:
  PreparedNetwork(const Problem& problem, Precision precision)
      : last_layer_(problem.topology.num_layers() - 1),
        weights_(std::make_unique<Vector>(problem.weights)),
        evaluator_(cpu::backend().make_evaluator(problem.topology, precision)) {
    evaluator_->set_weights(weights_->data());
    workspace_ = evaluator_->make_workspace();
  }

  void predict_raw(const double* rows, double* scores, Index num_rows = 1) {
    InstanceRange range;
    range.size = num_rows;
    range.features = rows;
    evaluator_->compute_output(range, last_layer_, scores, *workspace_);
  }

 private:
  Index last_layer_;
  std::unique_ptr<Vector> weights_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Evaluator::Workspace> workspace_;
};

/// Scores a matrix of rows at once.
class BatchScoring final : public Task {
 public:
  BatchScoring(Problem problem, Precision precision, int num_threads)
      : problem_(std::move(problem)),
        scores_(problem_.topology.num_classes(), problem_.features.cols()),
        pool_(num_threads) {
    for (int i = 0; i < num_threads; ++i) {
      networks_.emplace_back(problem_, precision);
    }
  }

  Sample run(long repeats) override {
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) score();
    Sample sample{watch.elapsed(), {}, {}};
    sample.values = {{"score_norm", scores_.norm()}};
    return sample;
  }

 private:
  void score() {
    const Index num_parts = pool_.num_threads();
    const Index num_rows = problem_.features.cols();
    pool_.parallel_for(num_parts, [&](Index part, int thread) {
      const Index first = part * num_rows / num_parts;
      const Index end = (part + 1) * num_rows / num_parts;
      networks_[static_cast<std::size_t>(thread)].predict_raw(
          problem_.features.col(first).data(), scores_.col(first).data(),
          end - first);
    });
  }

  Problem problem_;
  Matrix scores_;
  ThreadPool pool_;
  std::vector<PreparedNetwork> networks_;  // [num_threads]
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
    return make_row_scoring<double>(problem,
                                    PreparedNetwork(problem, precision), mode);
  }
  const long num_rows = count_argument(arguments, 3, "ROWS");
  const long num_threads = count_argument(arguments, 4, "THREADS");
  return std::make_unique<BatchScoring>(random_problem(layers, num_rows),
                                        precision,
                                        static_cast<int>(num_threads));
}

}  // namespace mlp::bench
