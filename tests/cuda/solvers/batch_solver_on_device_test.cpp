// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/batch_solver_on_device.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../../optim/adam.hpp"
#include "../../../optim/objective.hpp"
#include "../../../optim/sgd.hpp"
#include "host_objective.hpp"
#include "pair_of_ranks.hpp"

namespace mlp::cuda {

namespace {

using testing::PairOfRanks;

/// Of the network [15, 1, 1] with batch normalisation.
constexpr Index kWeights = 20;
constexpr Index kStatistics = 2;

constexpr Index kInstances = 12;
constexpr double kStepSize = 0.05;

// Weights are about 1; each step rounds a few times.
template <typename Number>
constexpr double kRounding = 64.0 * std::numeric_limits<Number>::epsilon();

/// Instance i pulls weight j to sin(i + j); the first statistic counts evaluations.
template <typename Number>
class PullingObjective final : public DeviceBatchObjective<Number> {
 public:
  explicit PullingObjective(const Stream& stream, double factor = 1.0)
      : stream_(stream), factor_(factor) {}

  [[nodiscard]] bool is_capturable() const override { return false; }

  void add_evaluation(const DeviceBatch& batch, const Number* weights,
                      Number* statistics, double* loss, Number* gradient,
                      const LayerEnqueued&) override {
    const auto positions = read(batch.instances, batch.size);
    const auto w = read(weights, kWeights);
    auto counts = read(statistics, Index{1});
    const DeviceBatch::Step step = read(batch.step, Index{1})[0];
    const double divisor =
        step.divisor == 0.0 ? static_cast<double>(batch.size) : step.divisor;
    counts[0] += 1;
    copy_to_device(counts.data(), 1, statistics, stream_);
    stream_.synchronize();
    std::vector<Number> slopes(kWeights, Number{0});
    const double sum = factor_ * add_up(positions, w, slopes) / divisor;
    for (Number& slope : slopes) {
      slope *= static_cast<Number>(factor_ / divisor);
    }
    copy_to_device(slopes.data(), kWeights, gradient, stream_);
    copy_to_device(&sum, 1, loss, stream_);
    stream_.synchronize();
  }

  /// \return the sum of the losses
  static double add_up(const std::vector<Index>& positions,
                       const std::vector<Number>& weights,
                       std::vector<Number>& slopes) {
    double sum = 0.0;
    for (const Index i : positions) {
      for (std::size_t j = 0; j < weights.size(); ++j) {
        const Number rest =
            weights[j] - static_cast<Number>(std::sin(static_cast<double>(i) +
                                                      static_cast<double>(j)));
        slopes[j] += rest;
        sum += 0.5 * static_cast<double>(rest * rest);
      }
    }
    return sum;
  }

 private:
  template <typename T>
  std::vector<T> read(const T* from, Index size) const {
    std::vector<T> numbers(static_cast<std::size_t>(size));
    copy_to_host(from, size, numbers.data(), stream_);
    stream_.synchronize();
    return numbers;
  }

  const Stream& stream_;
  double factor_;
};

template <typename Number>
BatchProblem<Number> problem_on(const Stream& stream) {
  HiddenLayer hidden;
  hidden.has_batch_norm = true;
  ResidentObjective resident{Topology({15, 1, 1}, {}, {hidden}), {}, 0, {}, {}};
  resident.penalty.ranges = {{0, 10, true}, {10, 8, false}};
  resident.penalty.reg_param = 0.1;
  resident.max_batch_size = 5;
  return {resident, testing::borrow(stream),
          std::make_unique<PullingObjective<Number>>(stream)};
}

/// The positions of a mini-batch: 5 or, at the end of an epoch, 2 of 12.
std::vector<Index> batch_of(Index step) {
  std::vector<Index> positions;
  const Index first = step % 3 * 5;
  for (Index i = first; i < std::min(first + 5, kInstances); ++i) {
    positions.push_back((7 * i + step / 3) % kInstances);
  }
  return positions;
}

void make_steps(BatchSolver& solver, Index first, Index end) {
  for (Index number = first; number < end; ++number) {
    const std::vector<Index> positions = batch_of(number);
    BatchSolver::Step step;
    step.number = number;
    step.instances = positions;
    step.step_size = kStepSize;
    solver.step(step);
  }
}

Vector start() { return Vector::LinSpaced(kWeights, -1.0, 1.0); }

/// Weights, the first statistic, and the sum of the losses.
std::vector<double> result_of(const BatchSolver& solver) {
  Vector weights;
  Vector statistics;
  solver.copy_out(weights, statistics);
  std::vector<double> result(weights.begin(), weights.end());
  result.push_back(statistics[0]);
  result.push_back(solver.loss_sum());
  return result;
}

/// The same with a rule of the host.
template <typename Number, typename Rule>
std::vector<double> train_on_host(Rule rule, Index num_steps) {
  using Flat = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  Flat weights = start().cast<Number>();
  double loss_sum = 0.0;
  for (Index number = 0; number < num_steps; ++number) {
    const std::vector<Index> positions = batch_of(number);
    const auto size = static_cast<double>(positions.size());
    std::vector<Number> slopes(kWeights, Number{0});
    const std::vector<Number> w(weights.begin(), weights.end());
    double loss = PullingObjective<Number>::add_up(positions, w, slopes) / size;
    Flat gradient = Eigen::Map<const Flat>(slopes.data(), kWeights) *
                    static_cast<Number>(1.0 / size);
    loss += 0.05 * weights.head(10).template cast<double>().squaredNorm();
    gradient.head(10) += static_cast<Number>(0.1) * weights.head(10);
    loss_sum += size * loss;
    rule.begin_step(kStepSize);
    rule.update({0, 10, true}, weights, gradient);
    rule.update({10, 8, false}, weights, gradient);
  }
  const Vector wide = weights.template cast<double>();
  std::vector<double> result(wide.begin(), wide.end());
  result.push_back(static_cast<double>(num_steps));
  result.push_back(loss_sum);
  return result;
}

template <typename Number>
std::vector<double> train_on_device(const BatchRule& rule, Index num_steps) {
  const Stream stream;
  BatchSolverOnDevice<Number> solver(problem_on<Number>(stream), rule);
  solver.start(start(), Vector::Zero(kStatistics));
  make_steps(solver, 0, num_steps);
  return result_of(solver);
}

template <typename Number>
void check_equal(const std::vector<double>& found,
                 const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(found[i] - expected[i]) <=
          kRounding<Number> * (1.0 + std::abs(expected[i])));
  }
}

std::string state_of(const BatchSolver& solver) {
  ByteWriter writer;
  solver.save(writer);
  return std::move(writer).bytes();
}

optim::AdamOptions adamw() {
  optim::AdamOptions options;
  options.weight_decay = 0.1;
  return options;
}

const std::vector<BatchRule> kRules = {
    optim::SgdOptions{}, optim::SgdOptions{0.9, false, 0.0},
    optim::SgdOptions{0.5, true, 0.0}, optim::AdamOptions{}, adamw()};

/// Checks that a solver that is interrupted after two steps changes nothing.
void check_interrupted(BatchSolverOnDevice<double>& solver,
                       bool& is_interrupted) {
  solver.start(start(), Vector::Zero(kStatistics));
  make_steps(solver, 0, 2);
  const std::vector<double> before = result_of(solver);
  is_interrupted = true;

  CHECK_THROWS_AS(make_steps(solver, 2, 3), optim::Interrupted);

  CHECK(result_of(solver) == before);
  CHECK(solver.num_steps() == 2);
}

TEST_SUITE("cuda/solvers/batch_solver_on_device") {
  TEST_CASE_TEMPLATE("makes the steps of the host's rules", Number, double,
                     float) {
    for (const BatchRule& rule : kRules) {
      const std::vector<double> found = train_on_device<Number>(rule, 11);

      if (const auto* sgd = std::get_if<optim::SgdOptions>(&rule)) {
        check_equal<Number>(found, train_on_host<Number>(
                                       optim::Sgd<Number>(kWeights, *sgd), 11));
      } else {
        check_equal<Number>(
            found, train_on_host<Number>(
                       optim::Adam<Number>(kWeights,
                                           std::get<optim::AdamOptions>(rule)),
                       11));
      }
      CHECK(found[kWeights - 1] == 1.0);
    }
  }

  TEST_CASE_TEMPLATE("continues from its state with the same bits", Number,
                     double, float) {
    for (const BatchRule& rule : kRules) {
      const Stream stream;
      BatchSolverOnDevice<Number> first(problem_on<Number>(stream), rule);
      first.start(start(), Vector::Zero(kStatistics));
      make_steps(first, 0, 4);
      const std::string state = state_of(first);
      const double loss_sum = first.loss_sum();
      make_steps(first, 4, 9);

      BatchSolverOnDevice<Number> second(problem_on<Number>(stream), rule);
      second.start(Vector::Zero(kWeights), Vector::Zero(kStatistics));
      ByteReader reader(state, "run.state");
      second.restore(reader);
      second.set_loss_sum(loss_sum);
      CHECK(reader.bytes_left() == 0);
      CHECK(second.num_steps() == 4);
      make_steps(second, 4, 9);

      CHECK(result_of(second) == result_of(first));
      CHECK(state_of(second) == state_of(first));
    }
  }

  TEST_CASE("writes the state as the host's rules do") {
    const Stream stream;
    BatchSolverOnDevice<float> solver(problem_on<float>(stream),
                                      optim::AdamOptions{});
    solver.start(start(), Vector::Zero(kStatistics));
    make_steps(solver, 0, 3);
    const std::string state = state_of(solver);

    ByteReader reader(state, "run.state");
    static_cast<void>(optim::read_flat<float>(reader, kWeights));
    static_cast<void>(optim::read_flat<float>(reader, kStatistics));
    optim::Adam<float> rule(kWeights, optim::AdamOptions{});
    rule.restore(reader);

    CHECK(reader.bytes_left() == 0);
    CHECK(rule.num_steps() == 3);
  }

  TEST_CASE("refuses the state of another rule") {
    const Stream stream;
    BatchSolverOnDevice<float> adam(problem_on<float>(stream),
                                    optim::AdamOptions{});
    adam.start(start(), Vector::Zero(kStatistics));
    const std::string state = state_of(adam);
    BatchSolverOnDevice<float> sgd(problem_on<float>(stream),
                                   optim::SgdOptions{});
    ByteReader reader(state, "run.state");

    CHECK_THROWS_AS(sgd.restore(reader), ModelError);
  }
}

TEST_SUITE("cuda/solvers/batch_solver_on_device interruption") {
  TEST_CASE("throws before a step if it is to stop") {
    const Stream stream;
    bool is_stopping = false;
    BatchProblem<double> problem = problem_on<double>(stream);
    problem.resident.is_stopping = [&] { return is_stopping; };
    BatchSolverOnDevice<double> solver(std::move(problem), optim::SgdOptions{});
    check_interrupted(solver, is_stopping);
  }
}

TEST_SUITE("cuda/solvers/batch_solver_on_device ranks") {
  // Each of the two ranks has the mini-batch with half the loss: of the same
  // instances, which count half.
  TEST_CASE("makes the steps of one rank on two ranks that share the loss") {
    const Stream stream;
    PairOfRanks ranks;
    const std::vector<double> weights(kInstances, 0.5);
    BatchProblem<double> problem = problem_on<double>(stream);
    problem.objective = std::make_unique<PullingObjective<double>>(stream, 0.5);
    problem.resident.instances.size = kInstances;
    problem.resident.instances.weights = weights.data();
    problem.resident.allreduce = &ranks;
    BatchSolverOnDevice<double> solver(std::move(problem), adamw());
    solver.start(start(), Vector::Zero(kStatistics));

    make_steps(solver, 0, 9);

    check_equal<double>(result_of(solver), train_on_device<double>(adamw(), 9));
    CHECK(ranks.num_waits == 9);
  }

  TEST_CASE("takes part in the sums without instances of its own") {
    const Stream stream;
    PairOfRanks ranks;
    BatchProblem<double> problem = problem_on<double>(stream);
    problem.resident.allreduce = &ranks;
    problem.resident.instances.size = 5;
    problem.resident.first_instance = kInstances;
    problem.resident.penalty.reg_param = 0.0;
    BatchSolverOnDevice<double> solver(std::move(problem), optim::SgdOptions{});
    solver.start(start(), Vector::Zero(kStatistics));

    make_steps(solver, 0, 1);

    const Vector same = start();
    std::vector<double> expected(same.begin(), same.end());
    expected.insert(expected.end(), {0.0, 0.0});
    CHECK(result_of(solver) == expected);
  }

  TEST_CASE("stops on all ranks and changes nothing") {
    const Stream stream;
    PairOfRanks ranks;
    bool is_stopping = false;
    BatchProblem<double> problem = problem_on<double>(stream);
    problem.resident.allreduce = &ranks;
    problem.resident.instances.size = kInstances;
    problem.resident.is_stopping = [&] { return is_stopping; };
    BatchSolverOnDevice<double> solver(std::move(problem), adamw());
    check_interrupted(solver, is_stopping);
  }
}

}  // namespace

}  // namespace mlp::cuda
