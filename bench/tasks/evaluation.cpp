// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// One value-and-gradient evaluation of the training objective:
// 2 N (3 S - n0 n1) flops, S = sum of products of adjacent layer sizes.

#include "../../mlp/objective/training_objective.hpp"
#include "../worker/kernels.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

class Evaluation final : public Task {
 public:
  Evaluation(Problem problem, Precision precision, int num_threads)
      : problem_(std::move(problem)),
        objective_(problem_.topology, problem_.instances(),
                   {&kernels(), num_threads, precision}),
        gradient_(problem_.weights.size()) {
    objective_.value_and_gradient(problem_.weights, gradient_);
  }

  Sample run(long repeats) override {
    double loss = 0.0;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      loss = objective_.value_and_gradient(problem_.weights, gradient_);
    }
    Sample sample{watch.elapsed(), {}, {}};
    sample.values = {{"loss", loss}, {"gradient_norm", gradient_.norm()}};
    return sample;
  }

 private:
  Problem problem_;
  TrainingObjective objective_;
  Vector gradient_;
};

}  // namespace

std::unique_ptr<Task> make_evaluation(const Arguments& arguments) {
  const std::string what = word_argument(arguments, 0, "LAYERS");
  const bool is_stored = what == "iris" || what == "mnist";
  const Index num_instances =
      is_stored ? 0 : count_argument(arguments, 1, "INSTANCES");
  const Precision precision =
      parse_precision(word_argument(arguments, is_stored ? 1 : 2, "PRECISION"));
  const long num_threads =
      count_argument(arguments, is_stored ? 2 : 3, "THREADS");
  return std::make_unique<Evaluation>(
      is_stored ? stored_problem(what)
                : random_problem(parse_layers(what), num_instances),
      precision, static_cast<int>(num_threads));
}

}  // namespace mlp::bench
