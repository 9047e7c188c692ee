// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/spark_random.hpp"
#include "../../../core/thread_pool.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/backend/reference_batch_evaluator.hpp"
#include "../../../mlp/backend/reference_network.hpp"
#include "../../../mlp/network/batch_norm.hpp"
#include "../../../mlp/objective/penalized_objective.hpp"
#include "../../../mlp/objective/training_objective.hpp"
#include "../random_instances.hpp"

// Every analytic gradient against central differences of the fourth order, element
// by element: with d(h) = f(w + h e) - f(w - h e), (8 d(h) - d(2 h)) / 12 h.
// Those of the second order leave h^2 times a third derivative, which is large
// where batch normalisation divides by a small deviation.

namespace mlp {

namespace {

using testing::RandomInstances;

// Rounding is 1e-16 / h, near 1e-12 for values near 1. Truncation grows as h^4,
// near 1e-17 times the fifth derivative.
constexpr double kStep = 1e-4;

// What differences and gradient may differ by, over the larger of both.
constexpr double kTolerance = 1e-6;

// Where both are smaller than this share of the gradient's largest element, or of
// the objective, they are compared over that: a difference of two objectives has
// the rounding of the objectives.
constexpr double kSmallShare = 1e-3;

// Steps that move a unit across a kink have no derivative to compare with. Units
// that near are that rare.
constexpr double kMostSkipped = 0.01;

constexpr std::uint64_t kDropoutSeed = 7;
constexpr Index kNumInstances = 7;

/// A network, what it is trained with and where.
struct Problem {
  Problem(Topology of, std::int64_t seed)
      : topology(std::move(of)),
        data(testing::draw_instances(topology, kNumInstances, seed)),
        weights(topology.num_weights()),
        statistics(BatchNorm::initial_statistics(topology)),
        frozen(static_cast<std::size_t>(topology.num_layers())) {
    SparkRandom random(seed + 1);
    for (double& w : weights) w = 0.7 * random.next_gaussian();
  }

  [[nodiscard]] InstanceRange range() const { return data.range(); }

  [[nodiscard]] Penalty penalty() const {
    return {weight_ranges(topology, frozen), reg_param, 0.0, 0.0};
  }

  /// Whether a weight belongs to a frozen layer.
  [[nodiscard]] bool is_frozen(Index i) const {
    Index k = 0;
    while (i >= topology.layer_end(k)) ++k;
    return frozen[static_cast<std::size_t>(k)];
  }

  Topology topology;
  RandomInstances data;
  Vector weights;     // [topology.num_weights()]
  Vector statistics;  // [topology.num_statistics()]
  FrozenLayers frozen;
  double reg_param = 0.0;
};

/// The objective of one mini-batch of all instances, as the solvers of
/// mini-batches see it.
struct BatchObjective {
  explicit BatchObjective(const Problem& of)
      : problem(of), evaluator(of.topology, of.frozen) {
    evaluator.bind(problem.range());
    std::iota(batch.begin(), batch.end(), Index{0});
  }

  double operator()(const Vector& weights, Vector& gradient) {
    Vector statistics = problem.statistics;
    const double loss =
        evaluator.value_and_gradient({batch, kDropoutSeed}, weights.data(),
                                     statistics.data(), gradient.data(), pool);
    return loss + apply_penalty(problem.penalty(), weights, gradient);
  }

  const Problem& problem;
  ReferenceBatchEvaluator evaluator;
  std::array<Index, kNumInstances> batch{};
  ThreadPool pool{1};
};

/// The objective of all instances, as l-bfgs and gd see it.
struct WholeObjective {
  explicit WholeObjective(const Problem& problem)
      : unpenalized(problem.topology, problem.range(),
                    {&reference_backend(), 1}),
        objective(unpenalized, problem.penalty()) {}

  double operator()(const Vector& weights, Vector& gradient) {
    return objective.value_and_gradient(weights, gradient);
  }

  TrainingObjective unpenalized;
  PenalizedObjective<TrainingObjective> objective;
};

bool has_kink(Activation activation) {
  const std::string_view name = activation.name();
  return name == "relu" || name == "leaky-relu" || name == "elu";
}

/// On which side of its kink each unit of each instance is, where it has one:
/// these functions are positive right of 0 alone.
class KinkSides {
 public:
  explicit KinkSides(const Problem& problem)
      : problem_(problem), network_(problem.topology, problem.frozen) {}

  [[nodiscard]] std::vector<bool> at(const Vector& weights) const {
    const Topology& topology = problem_.topology;
    auto layers = network_.make_layers(kNumInstances);
    Vector statistics = problem_.statistics;
    network_.forward(
        {problem_.data.features.data(), topology.num_features(), kNumInstances},
        weights.data(), statistics.data(), topology.num_layers() - 1,
        {true, kDropoutSeed}, layers);
    std::vector<bool> sides;
    for (Index k = 0; topology.is_hidden(k); ++k) {
      if (!has_kink(topology.hidden(k).activation)) continue;
      const auto& layer = layers[static_cast<std::size_t>(k)];
      const Matrix& value =
          layer.activated.size() != 0 ? layer.activated : layer.output;
      for (const double v : value.reshaped()) sides.push_back(v > 0.0);
    }
    return sides;
  }

 private:
  const Problem& problem_;
  ReferenceNetwork network_;
};

/// What a check has seen.
struct Findings {
  Index num_elements = 0;
  Index num_skipped = 0;
  double largest_error = 0.0;  ///< over the larger of gradient and difference

  void add(const Findings& other) {
    num_elements += other.num_elements;
    num_skipped += other.num_skipped;
    largest_error = std::max(largest_error, other.largest_error);
  }
};

/// Computes d f / d w[i] by differences.
template <typename Objective>
double differentiate(Objective& objective, const Vector& weights, Index i) {
  Vector unused(weights.size());
  const auto difference = [&](double step) {
    Vector above = weights;
    Vector below = weights;
    above[i] += step;
    below[i] -= step;
    return objective(above, unused) - objective(below, unused);
  };
  return (8.0 * difference(kStep) - difference(2.0 * kStep)) / (12.0 * kStep);
}

/// Whether the steps along w[i] stay on one side of each kink.
bool is_smooth(const KinkSides& kinks, const Vector& weights, Index i) {
  Vector above = weights;
  Vector below = weights;
  above[i] += 2.0 * kStep;
  below[i] -= 2.0 * kStep;
  return kinks.at(above) == kinks.at(below);
}

/// Compares the gradient of an objective with differences.
template <typename Objective>
Findings compare(const Problem& problem, Objective objective) {
  Vector gradient(problem.weights.size());
  const KinkSides kinks(problem);
  const double value = objective(problem.weights, gradient);
  const double small =
      kSmallShare * std::max(gradient.lpNorm<Eigen::Infinity>(), value);
  Findings findings;
  for (Index i = 0; i < gradient.size(); ++i) {
    if (problem.is_frozen(i)) continue;
    ++findings.num_elements;
    if (!is_smooth(kinks, problem.weights, i)) {
      ++findings.num_skipped;
      continue;
    }
    const double difference = differentiate(objective, problem.weights, i);
    const double error =
        std::abs(difference - gradient[i]) /
        std::max({std::abs(difference), std::abs(gradient[i]), small});
    findings.largest_error = std::max(findings.largest_error, error);
    // NaN counts as an error.
    if (!(error <= kTolerance)) {
      CAPTURE(i);
      CAPTURE(difference);
      CAPTURE(gradient[i]);
      CHECK(error <= kTolerance);
    }
  }
  return findings;
}

/// Compares whatever objectives a network can be trained by.
Findings compare(const Problem& problem) {
  Findings findings = compare(problem, BatchObjective(problem));
  if (!problem.topology.has_training_mode()) {
    findings.add(compare(problem, WholeObjective(problem)));
  }
  return findings;
}

void check(const Findings& findings) {
  CAPTURE(findings.num_elements);
  CAPTURE(findings.num_skipped);
  CHECK(findings.largest_error <= kTolerance);
  CHECK(static_cast<double>(findings.num_skipped) <=
        kMostSkipped * static_cast<double>(findings.num_elements));
}

const std::vector<LossFunction>& all_losses() {
  static const std::vector<LossFunction> losses{{Loss::kSoftmaxNll},
                                                {Loss::kSoftmaxNll, 0.1},
                                                {Loss::kSigmoidSquaredError},
                                                {Loss::kSquaredError}};
  return losses;
}

/// Compares a kind of layer with every activation and loss, with and without
/// instance weights and regularisation.
Findings compare_all(const std::vector<Index>& layers, HiddenLayer kind) {
  Findings findings;
  std::int64_t seed = 0;
  for (const std::string_view name : Activation::names()) {
    kind.activation = *Activation::find(name);
    for (const LossFunction& loss : all_losses()) {
      for (const bool has_weights : {false, true}) {
        for (const double reg_param : {0.0, 0.3}) {
          CAPTURE(std::string(name));
          CAPTURE(std::string(loss_name(loss.kind)));
          CAPTURE(loss.label_smoothing);
          CAPTURE(has_weights);
          CAPTURE(reg_param);
          Problem problem(
              Topology(layers, loss,
                       std::vector<HiddenLayer>(layers.size() - 2, kind)),
              ++seed);
          if (!has_weights) problem.data.weights.setOnes();
          problem.reg_param = reg_param;
          findings.add(compare(problem));
        }
      }
    }
  }
  return findings;
}

/// Draws a network of up to 5 layers of up to 5 units, each hidden layer of a
/// kind of its own.
Problem draw_problem(std::int64_t seed) {
  SparkRandom random(seed);
  const auto below = [&](double bound) {
    return static_cast<std::size_t>(random.next_double() * bound);
  };
  std::vector<Index> layers(2 + below(5));
  for (Index& size : layers) size = static_cast<Index>(1 + below(5));
  layers.back() += 1;  // a softmax of one class is constant
  const auto names = Activation::names();
  std::vector<HiddenLayer> hidden(layers.size() - 2);
  for (HiddenLayer& layer : hidden) {
    layer.activation =
        *Activation::find(names[below(static_cast<double>(names.size()))]);
    layer.is_residual = below(2) == 1;
    layer.has_batch_norm = below(3) == 1;
    layer.dropout = below(3) == 1 ? 0.5 * random.next_double() : 0.0;
  }
  Problem problem(Topology(layers, all_losses()[below(4)], hidden), seed);
  if (below(2) == 1) problem.data.weights.setOnes();
  if (below(2) == 1) problem.reg_param = random.next_double();
  return problem;
}

}  // namespace

TEST_SUITE("mlp/backend/gradient_check") {
  TEST_CASE("agrees for dense layers of every activation and loss") {
    check(compare_all({3, 4, 3, 2}, {}));
  }

  TEST_CASE("agrees for residual layers that add their input or a projection") {
    check(compare_all({3, 3, 3, 2}, {{}, true}));
    check(compare_all({2, 4, 3, 2}, {{}, true}));
  }

  TEST_CASE("agrees for batch normalisation by the mini-batch") {
    check(compare_all({3, 4, 3, 2}, {{}, false, true}));
  }

  TEST_CASE("agrees for dropout with the units of one step left out") {
    check(compare_all({3, 4, 3, 2}, {{}, false, false, 0.4}));
  }

  TEST_CASE("agrees for all parts of a layer at once") {
    check(compare_all({2, 4, 4, 2}, {{}, true, true, 0.3}));
  }

  TEST_CASE("agrees for a network without hidden layers") {
    for (const LossFunction& loss : all_losses()) {
      check(compare(Problem(Topology({4, 3}, loss), 5)));
    }
  }

  TEST_CASE("agrees for a deep network") {
    HiddenLayer plain{*Activation::find("tanh")};
    HiddenLayer residual{*Activation::find("softplus"), true};
    HiddenLayer normalised{*Activation::find("swish"), true, true};
    std::vector<HiddenLayer> hidden;
    for (int i = 0; i < 4; ++i) {
      hidden.insert(hidden.end(), {plain, residual, normalised});
    }
    const std::vector<Index> layers(hidden.size() + 2, 3);

    check(compare(Problem(Topology(layers, {}, hidden), 11)));
    hidden.assign(hidden.size(), HiddenLayer());
    check(compare(Problem(Topology(layers, {}, hidden), 12)));
  }

  TEST_CASE("agrees for a wide network") {
    HiddenLayer kind{*Activation::find("elu"), true, true, 0.2};

    check(compare(Problem(Topology({3, 60, 2}, {}, {kind}), 13)));
    check(compare(Problem(Topology({3, 60, 2}), 14)));
  }

  TEST_CASE("agrees beside frozen layers whose gradient is zero") {
    HiddenLayer kind{*Activation::find("tanh"), true, true, 0.2};
    for (const std::size_t layer : {0u, 1u, 2u, 3u}) {
      Problem problem(Topology({2, 3, 3, 4, 2}, {}, {kind, kind, kind}), 15);
      problem.reg_param = 0.1;
      problem.frozen[layer] = true;
      const auto k = static_cast<Index>(layer);
      const Index first = problem.topology.weight_offset(k);
      const Index size = problem.topology.layer_end(k) - first;
      Vector gradient(problem.weights.size());
      BatchObjective objective(problem);

      objective(problem.weights, gradient);

      CAPTURE(layer);
      CHECK(gradient.segment(first, size).isZero(0.0));
      check(compare(problem));
    }
  }

  TEST_CASE("agrees for 200 networks whose parts are drawn") {
    Findings findings;
    for (std::int64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      findings.add(compare(draw_problem(seed)));
    }

    check(findings);
  }
}

}  // namespace mlp
