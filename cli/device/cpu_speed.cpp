// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu_speed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../mlp/instances/leaves.hpp"
#include "../../mlp/model/scorer.hpp"
#include "../../mlp/objective/training_objective.hpp"

namespace mlp::cli {

namespace {

/// Returns the time of the fastest of some calls. The first call is not timed: it
/// starts threads and touches memory.
template <typename Function>
double time_calls(const Function& function) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  constexpr double kLongEnough = 0.02;
  function();
  const auto first = Clock::now();
  auto end = first;
  double fastest = std::numeric_limits<double>::infinity();
  while (Seconds(end - first).count() < kLongEnough) {
    const auto begin = Clock::now();
    function();
    end = Clock::now();
    fastest = std::min(fastest, Seconds(end - begin).count());
  }
  return fastest;
}

/// Some instances, and labels that fit the network.
class Tile {
 public:
  Tile(const Topology& topology, const datasets::Dataset& data, Index size)
      : features_(Matrix::Constant(topology.num_features(), size, 0.5)),
        weights_(Vector::Ones(size)),
        labels_(static_cast<std::size_t>(size), 0),
        targets_(Matrix::Zero(topology.num_classes(), size)) {
    if (data.features.rows() == features_.rows()) {
      const Index given = std::min(size, data.features.cols());
      features_.leftCols(given) = data.features.leftCols(given);
    }
  }

  [[nodiscard]] InstanceRange range() const {
    InstanceRange range;
    range.size = features_.cols();
    range.features = features_.data();
    range.weights = weights_.data();
    range.labels = labels_.data();
    range.targets = targets_.data();
    return range;
  }

 private:
  Matrix features_;                   // [num_features x size]
  Vector weights_;                    // of the instances   [size]
  std::vector<std::int32_t> labels_;  // [size]
  Matrix targets_;                    // [num_outputs x size]
};

/// Small weights of both signs.
template <typename Number>
std::vector<Number> make_weights(const Topology& topology) {
  std::vector<Number> weights(static_cast<std::size_t>(topology.num_weights()));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<Number>(0.01) *
                 static_cast<Number>(static_cast<int>(i % 7) - 3);
  }
  return weights;
}

/// How many instances each thread gets: few of a large network.
Index count_instances(const Topology& topology, Index num_instances,
                      int num_threads) {
  constexpr double kFlops = 4e9;
  constexpr double kFlopsPerWeight = 6.0;
  constexpr double kMost = 1024.0;
  const double affordable =
      kFlops / (kFlopsPerWeight * static_cast<double>(topology.num_weights()));
  const auto unit = static_cast<double>(Leaves::kUnit);
  const auto each = static_cast<Index>(std::clamp(affordable, unit, kMost));
  return std::clamp<Index>(each * num_threads, 1, num_instances);
}

double measure_full_batch(const Backend& backend, const Topology& topology,
                          Precision precision, int num_threads,
                          const Tile& tile, Index num_instances) {
  const Index size = tile.range().size;
  std::optional<Leaves> leaves;
  if (!backend.make_evaluator(topology, precision)->shares_gradient()) {
    const Index all = Leaves::count(num_instances, topology.num_weights());
    leaves.emplace(size, std::min<Index>(num_threads, all));
  }
  TrainingObjective objective(topology, backend, tile.range(), num_threads,
                              nullptr, precision, leaves);
  const std::vector<double> weights = make_weights<double>(topology);
  std::vector<double> gradient(weights.size());
  return time_calls([&] {
           objective.value_and_gradient(weights.data(), gradient.data());
         }) /
         static_cast<double>(size);
}

template <typename Number>
double measure_batches(const Backend& backend, const Topology& topology,
                       int num_threads, const Tile& tile) {
  ThreadPool pool(num_threads);
  const auto evaluator =
      backend.make_batch_evaluator(topology, {}, std::type_identity<Number>{});
  evaluator->bind(tile.range());
  std::vector<Index> instances(static_cast<std::size_t>(tile.range().size));
  std::iota(instances.begin(), instances.end(), Index{0});
  MiniBatch batch;
  batch.instances = instances;
  const std::vector<Number> weights = make_weights<Number>(topology);
  std::vector<Number> statistics(
      static_cast<std::size_t>(topology.num_statistics()), Number{1});
  std::vector<Number> gradient(weights.size());
  return time_calls([&] {
           evaluator->value_and_gradient(
               batch, weights.data(), statistics.data(), gradient.data(), pool);
         }) /
         static_cast<double>(tile.range().size);
}

}  // namespace

double measure_training(const Backend& backend, const Topology& topology,
                        const Params& params, Precision precision,
                        int num_threads, const datasets::Dataset& data) {
  const Index num_instances = std::max<Index>(data.num_instances(), 2);
  if (!has_mini_batches(params.solver)) {
    const Tile tile(topology, data,
                    count_instances(topology, num_instances, num_threads));
    return measure_full_batch(backend, topology, precision, num_threads, tile,
                              num_instances);
  }
  constexpr Index kLeast = 2;  // for batch normalisation
  const Tile tile(topology, data,
                  std::clamp(params.batch_size, kLeast, num_instances));
  return precision == Precision::kFloat32
             ? measure_batches<float>(backend, topology, num_threads, tile)
             : measure_batches<double>(backend, topology, num_threads, tile);
}

double measure_scoring(const Backend& backend, const Model& model,
                       int num_threads, const Matrix& features) {
  const Index size =
      count_instances(model.topology(), features.cols(), num_threads);
  const Scorer scorer(model, backend);
  const Matrix tile = features.leftCols(size);
  return time_calls([&] {
           static_cast<void>(scorer.predict_raw(tile, num_threads));
         }) /
         static_cast<double>(size);
}

}  // namespace mlp::cli
