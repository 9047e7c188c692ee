// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// What L-BFGS costs beside the evaluations it asks for. Both are timed inside
// one run, because the difference of two runs would drown in their noise. The
// optimiser's part does not grow with the instances, so that few of them tell
// what it would be of many.

#include "../../mlp/objective/training_objective.hpp"
#include "../../optim/lbfgs/lbfgs.hpp"
#include "../worker/kernels.hpp"
#include "../worker/problem.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

/// Forwards to the objective and adds up what that takes.
class TimedObjective {
 public:
  explicit TimedObjective(TrainingObjective& objective)
      : objective_(objective) {}

  double value_and_gradient(const Vector& weights, Vector& gradient) {
    const Stopwatch watch;
    const double value = objective_.value_and_gradient(weights, gradient);
    const Duration duration = watch.elapsed();
    inside_.wall_seconds += duration.wall_seconds;
    inside_.cpu_seconds += duration.cpu_seconds;
    return value;
  }

  [[nodiscard]] const Duration& inside() const { return inside_; }

 private:
  TrainingObjective& objective_;
  Duration inside_;
};

class Optimiser final : public Task {
 public:
  Optimiser(Problem problem, Precision precision, int num_threads)
      : problem_(std::move(problem)),
        objective_(problem_.topology, problem_.instances(),
                   {&kernels(), num_threads, precision}) {}

  /// Each repeat is an iteration; those before the history is full do not
  /// count.
  Sample run(long repeats) override {
    optim::LbfgsOptions options;
    options.max_iter = options.history_size + repeats;
    options.tol = 0.0;
    TimedObjective timed(objective_);
    Stopwatch watch;
    Duration before;
    Index evaluations_before = 0;
    Vector weights = problem_.weights;
    const optim::Summary summary = optim::minimize_lbfgs(
        timed, weights, options, [&](const optim::Iteration& iteration) {
          if (iteration.iteration == options.history_size) {
            before = timed.inside();
            evaluations_before = iteration.evaluations;
            watch = Stopwatch();
          }
          return true;
        });
    Sample sample{watch.elapsed(), {}, {}};
    sample.values = {
        {"inside_wall", timed.inside().wall_seconds - before.wall_seconds},
        {"inside_cpu", timed.inside().cpu_seconds - before.cpu_seconds},
        {"evaluations",
         static_cast<double>(summary.evaluations - evaluations_before)}};
    return sample;
  }

 private:
  Problem problem_;
  TrainingObjective objective_;
};

}  // namespace

std::unique_ptr<Task> make_optimiser(const Arguments& arguments) {
  const std::vector<Index> layers =
      parse_layers(word_argument(arguments, 0, "LAYERS"));
  const long num_instances = count_argument(arguments, 1, "INSTANCES");
  const Precision precision =
      parse_precision(word_argument(arguments, 2, "PRECISION"));
  return std::make_unique<Optimiser>(
      random_problem(layers, num_instances), precision,
      static_cast<int>(count_argument(arguments, 3, "THREADS")));
}

}  // namespace mlp::bench
