// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../../activations/activation.hpp"
#include "../../../core/thread_pool.hpp"
#include "../../../core/types.hpp"
#include "../../../mlp/backend/backend.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/network/batch_norm.hpp"
#include "../../../mlp/network/layer_views.hpp"
#include "../../../mlp/network/topology.hpp"
#include "../../../mlp/objective/penalized_objective.hpp"
#include "../../../mlp/objective/weight_ranges.hpp"
#include "../../../optim/adam.hpp"
#include "../../../optim/sgd.hpp"

namespace mlp {

using nlohmann::json;

namespace {

/// Both sides add in orders of their own.
constexpr double kTolerance = 1e-10;

/// Fifty steps amplify that.
constexpr double kTrainedTolerance = 1e-8;

/// The gradient of a bias in front of batch normalisation is zero but for
/// rounding, and Adam divides it by 1e-8: the bias, and the running mean with it,
/// drifts by about 1e-10 a step. It has no effect on the output.
constexpr double kDriftTolerance = 1e-7;

const json& recording() {
  static const json recorded = json::parse(
      std::ifstream(MLP_TEST_DATA_DIR "/golden/torch/networks.json"));
  return recorded;
}

/// The numbers that tests/torch/record_networks.py draws.
///
/// \source Knuth, The Art of Computer Programming 2, 3.3.4
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed) {}

  /// Returns a number in [-1, 1).
  double next() {
    state_ = 6364136223846793005u * state_ + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
  }

  template <typename Dense>
  void fill(Dense&& values, double center, double factor) {
    for (Index i = 0; i < values.size(); ++i) {
      values.data()[i] = center + factor * next();
    }
  }

 private:
  std::uint64_t state_;
};

Topology make_topology(const json& network) {
  std::vector<HiddenLayer> hidden;
  for (const json& layer : network["hidden"]) {
    const auto name = layer["activation"].get<std::string>();
    hidden.push_back({Activation::find(name).value(), layer["residual"],
                      layer["batchNorm"], 0.0});
  }
  const Loss loss =
      network["loss"] == "softmax" ? Loss::kSoftmaxNll : Loss::kSquaredError;
  return Topology(network["layers"].get<std::vector<Index>>(),
                  {loss, network["labelSmoothing"].get<double>()},
                  std::move(hidden));
}

Vector draw_weights(const Topology& topology, Uniform& uniform) {
  Vector weights(topology.num_weights());
  for (Index k = 0; k < topology.num_layers(); ++k) {
    LayerView layer = view_layer(topology, k, weights.data());
    uniform.fill(layer.weights, 0.0, 0.8);
    uniform.fill(layer.biases, 0.0, 0.8);
    uniform.fill(layer.projection, 0.0, 0.8);
    uniform.fill(layer.scales, 1.0, 0.5);
    uniform.fill(layer.shifts, 0.0, 0.8);
  }
  return weights;
}

struct Instances {
  Matrix features;                   ///< [num_features x size]
  std::vector<std::int32_t> labels;  ///< [size], or empty
  Matrix targets;                    ///< [num_outputs x size], or empty
  Vector weights;                    ///< [size], or empty

  [[nodiscard]] InstanceRange range() const {
    InstanceRange range;
    range.size = features.cols();
    range.features = features.data();
    if (weights.size() != 0) range.weights = weights.data();
    if (!labels.empty()) range.labels = labels.data();
    if (targets.size() != 0) range.targets = targets.data();
    return range;
  }
};

Instances draw_instances(const json& network, const Topology& topology,
                         Uniform& uniform) {
  const Index size = network["numInstances"].get<Index>();
  const Index num_outputs = topology.num_classes();
  Instances instances;
  instances.features.resize(topology.num_features(), size);
  uniform.fill(instances.features, 0.0, 1.0);
  if (has_classes(topology.loss())) {
    for (Index i = 0; i < size; ++i) {
      const double share = (uniform.next() + 1.0) / 2.0;
      instances.labels.push_back(
          static_cast<std::int32_t>(share * static_cast<double>(num_outputs)));
    }
  } else {
    instances.targets.resize(num_outputs, size);
    uniform.fill(instances.targets, 0.0, 1.0);
  }
  if (network["hasInstanceWeights"].get<bool>()) {
    instances.weights.resize(size);
    uniform.fill(instances.weights, 0.5, 0.5);
  }
  return instances;
}

/// A recorded network at its start, and its objective and gradient.
class Problem {
 public:
  explicit Problem(const json& network)
      : Problem(network, Uniform(network["seed"].get<std::uint64_t>())) {}

  /// Adds the penalty where regParam is not 0.
  double value_and_gradient(const std::vector<Index>& batch, double reg_param) {
    const double loss = evaluator_->value_and_gradient(
        {batch}, weights.data(), statistics.data(), gradient.data(), pool_);
    Penalty penalty;
    penalty.ranges = ranges;
    penalty.reg_param = reg_param;
    return loss + apply_penalty(penalty, weights, gradient);
  }

  [[nodiscard]] Index num_instances() const {
    return instances_.features.cols();
  }

  Topology topology;
  Vector weights;
  Vector statistics;
  Vector gradient;
  std::vector<optim::UpdateRange> ranges;

 private:
  Problem(const json& network, Uniform uniform)
      : topology(make_topology(network)),
        weights(draw_weights(topology, uniform)),
        statistics(BatchNorm::initial_statistics(topology)),
        gradient(topology.num_weights()),
        ranges(weight_ranges(topology, none_frozen())),
        instances_(draw_instances(network, topology, uniform)),
        evaluator_(reference_backend().make_batch_evaluator(
            topology, none_frozen(), std::type_identity<double>{})) {
    evaluator_->bind(instances_.range());
  }

  [[nodiscard]] FrozenLayers none_frozen() const {
    return FrozenLayers(static_cast<std::size_t>(topology.num_layers()));
  }

  Instances instances_;
  ThreadPool pool_{1};
  std::unique_ptr<BatchEvaluator<double>> evaluator_;
};

/// The largest difference of two vectors, relative to the largest recorded
/// element: gradients of biases in front of batch normalisation are rounding.
double difference(const Vector& received, const json& recorded) {
  const auto numbers = recorded.get<std::vector<double>>();
  REQUIRE(received.size() == static_cast<Index>(numbers.size()));
  if (numbers.empty()) return 0.0;
  const Eigen::Map<const Vector> expected(numbers.data(), received.size());
  return (received - expected).lpNorm<Eigen::Infinity>() /
         expected.lpNorm<Eigen::Infinity>();
}

/// Takes the recorded steps: batch b has the instances 8 b .. 8 b + 7, modulo
/// their number.
template <typename Rule>
void train(Problem& problem, Rule rule, double step_size, double reg_param) {
  std::vector<Index> batch(recording()["batchSize"].get<std::size_t>());
  const auto num_steps = recording()["numSteps"].get<int>();
  Index next = 0;
  for (int step = 0; step < num_steps; ++step) {
    for (Index& instance : batch) instance = next++ % problem.num_instances();
    problem.value_and_gradient(batch, reg_param);
    rule.begin_step(step_size);
    for (const optim::UpdateRange& range : problem.ranges) {
      rule.update(range, problem.weights, problem.gradient);
    }
  }
}

/// Trains as a recorded solver did; the decay of adamw takes the place of the
/// penalty.
void train_as_recorded(Problem& problem, const json& network,
                       const std::string& solver) {
  const json& options = network["trained"][solver];
  const auto step_size = options["stepSize"].get<double>();
  const auto reg_param = network["regParam"].get<double>();
  const Index size = problem.weights.size();
  if (solver == "adam" || solver == "adamw") {
    optim::AdamOptions adam;
    adam.weight_decay = options.value("weightDecay", 0.0);
    train(problem, optim::Adam<double>(size, adam), step_size,
          solver == "adamw" ? 0.0 : reg_param);
  } else {
    optim::SgdOptions sgd;
    sgd.momentum = options.value("momentum", 0.0);
    sgd.is_nesterov = options.value("nesterov", false);
    train(problem, optim::Sgd<double>(size, sgd), step_size, reg_param);
  }
}

/// Compares trained weights and statistics, drifting biases for themselves.
void check_trained(Problem& problem, const json& recorded) {
  const auto numbers = recorded["weights"].get<std::vector<double>>();
  const Eigen::Map<const Vector> expected(numbers.data(),
                                          problem.weights.size());
  for (Index k = 0; k < problem.topology.num_layers(); ++k) {
    if (!problem.topology.has_batch_norm(k)) continue;
    const Index begin = problem.topology.bias_offset(k);
    const Index size = problem.topology.output_size(k);
    auto biases = problem.weights.segment(begin, size);
    const Vector drift = biases - expected.segment(begin, size);
    CHECK(drift.lpNorm<Eigen::Infinity>() <= kDriftTolerance);
    biases -= drift;
  }
  CHECK(difference(problem.weights, recorded["weights"]) <= kTrainedTolerance);
  CHECK(difference(problem.statistics, recorded["statistics"]) <=
        kDriftTolerance);
}

/// Compares every network that was trained by a solver.
/// \returns how many these are
int check_solver(const std::string& solver) {
  int num_checked = 0;
  for (const json& network : recording()["networks"]) {
    if (!network.contains("trained")) continue;
    CAPTURE(network["name"].get<std::string>());
    Problem problem(network);
    train_as_recorded(problem, network, solver);
    check_trained(problem, network["trained"][solver]);
    ++num_checked;
  }
  return num_checked;
}

constexpr int kNumTrained = 5;

}  // namespace

TEST_SUITE("mlp/backend/torch_parity") {
  TEST_CASE("computes the objective and the gradient that PyTorch computes") {
    CHECK(recording()["networks"].size() == 10);
    for (const json& network : recording()["networks"]) {
      CAPTURE(network["name"].get<std::string>());
      Problem problem(network);
      std::vector<Index> everything(
          static_cast<std::size_t>(problem.num_instances()));
      std::iota(everything.begin(), everything.end(), Index{0});

      const double objective =
          problem.value_and_gradient(everything, network["regParam"]);

      CHECK(objective == doctest::Approx(network["objective"].get<double>())
                             .epsilon(kTolerance));
      CHECK(difference(problem.gradient, network["gradient"]) <= kTolerance);
      CHECK(difference(problem.statistics, network["statistics"]) <=
            kTolerance);
    }
  }

  TEST_CASE("takes the steps of PyTorch's SGD, Adam and AdamW") {
    for (const char* solver :
         {"sgd", "momentum", "nesterov", "adam", "adamw"}) {
      CAPTURE(solver);
      CHECK(check_solver(solver) == kNumTrained);
    }
  }
}

}  // namespace mlp
