// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Solvers on objectives of kernels, which graphs repeat.
#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "../../../cuda/runtime/device_code.hpp"
#include "../../../cuda/runtime/launch.hpp"
#include "../../../cuda/solvers/batch_solver_on_device.hpp"
#include "../../../cuda/solvers/gradient_descent_on_device.hpp"
#include "../../../cuda/solvers/lbfgs_on_device.hpp"
#include "../../../optim/gradient_descent/gradient_descent.hpp"
#include "../../../optim/lbfgs/lbfgs.hpp"
#include "../device_numbers.hpp"
#include "../shuffled_orders.hpp"
#include "../solvers/host_objective.hpp"
#include "quartic.hpp"

namespace mlp::cuda {

namespace {

using testing::quartic_problem;

constexpr Index kSize = testing::kQuarticSize;

struct Run {
  optim::Summary summary;
  Vector x;
  int num_added = 0;  ///< evaluations that were added to the stream or captured
};

/// \param reads_x  the callback reads x
Run minimise(bool is_capturable, Index history_size = 12,
             bool reads_x = false) {
  const Stream stream;
  Run run;
  run.x = Vector::LinSpaced(kSize, -1.0, 2.0);
  LbfgsOnDevice vectors(quartic_problem(stream, is_capturable, run.num_added),
                        history_size);
  const auto callback = [&](const optim::Iteration& iteration) {
    return !reads_x || iteration.x.size() == kSize;
  };
  const optim::LbfgsOptions options{18, 0.0, history_size};
  run.summary = optim::Lbfgs(vectors, options, callback).minimize(run.x);
  return run;
}

Run descend(bool is_capturable) {
  const Stream stream;
  Run run;
  run.x = Vector::LinSpaced(kSize, -1.0, 2.0);
  GradientDescentOnDevice vectors(
      quartic_problem(stream, is_capturable, run.num_added));
  const optim::GradientDescentOptions options{8, 0.0, 0.01};
  run.summary = optim::GradientDescent(vectors, options, {}).minimize(run.x);
  return run;
}

std::vector<double> numbers_of(const Run& run) {
  std::vector<double> numbers(run.x.begin(), run.x.end());
  const auto& history = run.summary.objective_history;
  numbers.insert(numbers.end(), history.begin(), history.end());
  numbers.push_back(static_cast<double>(run.summary.evaluations));
  return numbers;
}

TEST_SUITE("cuda/solvers captured") {
  TEST_CASE("repeats the iterations of L-BFGS as graphs with the same bits") {
    for (const Index history_size : {0, 3, 12}) {
      CAPTURE(history_size);

      const Run captured = minimise(true, history_size);

      const Run direct = minimise(false, history_size);
      CHECK(numbers_of(captured) == numbers_of(direct));
      CHECK(direct.num_added == direct.summary.evaluations);
      // Each growth of the history adds once directly, and captures once.
      CHECK(captured.num_added <= 11);
    }
  }

  TEST_CASE("does not depend on who reads x between the iterations") {
    CHECK(numbers_of(minimise(true, 12, true)) ==
          numbers_of(minimise(true, 12, false)));
  }

  TEST_CASE("runs L-BFGS to the same bits in any order") {
    CHECK(testing::is_same_in_shuffled_orders(
        [&] { return numbers_of(minimise(true)); }));
  }

  TEST_CASE("repeats the iterations of gradient descent as graphs") {
    const Run captured = descend(true);

    const Run direct = descend(false);
    CHECK(numbers_of(captured) == numbers_of(direct));
    CHECK(direct.num_added == 9);
    CHECK(captured.num_added == 2);
    CHECK(testing::is_same_in_shuffled_orders(
        [] { return numbers_of(descend(true)); }));
  }
}

/// The loss of instance p is the sum of (w_j - p - step's seed)^2 / 2.
template <typename Number>
void pull_kernel(Index size, const Index* positions,
                 const DeviceBatch::Step* step, const Number* weights,
                 double* loss, Number* gradient) {
  if (first_element() != 0) return;
  double sum = 0.0;
  const auto shift = static_cast<Number>(step->dropout_seed);
  for (Index j = 0; j < 4; ++j) {
    gradient[j] = 0;
    for (Index i = 0; i < size; ++i) {
      const Number rest =
          weights[j] - static_cast<Number>(positions[i]) - shift;
      gradient[j] += rest / static_cast<Number>(size);
      sum += 0.5 * static_cast<double>(rest * rest);
    }
  }
  *loss = sum / static_cast<double>(size);
}

template <typename Number>
class Pull final : public DeviceBatchObjective<Number> {
 public:
  Pull(const Stream& stream, bool is_capturable, int& num_evaluations)
      : stream_(stream),
        is_capturable_(is_capturable),
        num_evaluations_(num_evaluations) {}

  [[nodiscard]] bool is_capturable() const override { return is_capturable_; }

  void add_evaluation(const DeviceBatch& batch, const Number* weights, Number*,
                      double* loss, Number* gradient,
                      const LayerEnqueued&) override {
    ++num_evaluations_;
    launch(pull_kernel<Number>, {1, 32, 0}, stream_.get(), batch.size,
           batch.instances, batch.step, weights, loss, gradient);
  }

 private:
  const Stream& stream_;
  bool is_capturable_;
  int& num_evaluations_;
};

/// Weights and loss after 8 steps with 3, 3, 1 instances in turn.
///
/// \param waits  waits for each step before the next
template <typename Number>
std::vector<double> pull(bool is_capturable, int& num_added,
                         bool waits = false) {
  const Stream stream;
  BatchProblem<Number> problem{
      testing::resident_of(4), testing::borrow(stream),
      std::make_unique<Pull<Number>>(stream, is_capturable, num_added)};
  problem.resident.penalty.reg_param = 0.1;
  problem.resident.penalty.clip_norm = 2.0;
  problem.resident.max_batch_size = 3;
  BatchSolverOnDevice<Number> solver(std::move(problem), optim::AdamOptions{});
  solver.start(Vector::LinSpaced(4, 0.0, 1.0), Vector());
  for (Index number = 0; number < 8; ++number) {
    std::vector<Index> positions = {number, number + 1, 2 * number};
    if (number % 3 == 2) positions.resize(1);
    BatchSolver::Step step;
    step.instances = positions;
    step.dropout_seed = static_cast<std::uint64_t>(number % 2);
    step.step_size = 0.1 / static_cast<double>(number + 1);
    solver.step(step);
    if (waits) stream.synchronize();
  }
  Vector weights;
  Vector statistics;
  solver.copy_out(weights, statistics);
  std::vector<double> result(weights.begin(), weights.end());
  result.push_back(solver.loss_sum());
  return result;
}

TEST_SUITE("cuda/solvers captured mini-batches") {
  TEST_CASE_TEMPLATE("repeats full mini-batches as a graph", Number, double,
                     float) {
    int num_captured = 0;
    int num_direct = 0;

    const std::vector<double> captured = pull<Number>(true, num_captured);

    CHECK(captured == pull<Number>(false, num_direct));
    CHECK(num_direct == 8);
    CHECK(num_captured == 2 + 2);  // of full size, and the two short ones
    int ignored = 0;
    CHECK(testing::is_same_in_shuffled_orders(
        [&] { return pull<Number>(true, ignored); }));
  }

  TEST_CASE("keeps the inputs of a step until the device has copied them") {
    for (const bool is_capturable : {false, true}) {
      int ignored = 0;
      CHECK(pull<float>(is_capturable, ignored, false) ==
            pull<float>(is_capturable, ignored, true));
    }
  }
}

}  // namespace

}  // namespace mlp::cuda
