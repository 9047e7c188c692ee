// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/batch_objective.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "../../../cuda/runtime/graph.hpp"
#include "../../../mlp/backend/reference_batch_evaluator.hpp"
#include "../cublas_of_tests.hpp"
#include "../shuffled_orders.hpp"
#include "random_networks.hpp"

namespace mlp::testing {

namespace {

using namespace cuda;

// The order of sums of up to 60 instances and 70 units, divided by the deviations of
// batch normalisation.
constexpr double kFloat64Tolerance = 1e-12;
// The same with numbers of 24 bits.
constexpr double kFloat32Tolerance = 1e-5;
// Factors of 11 and 8 bits.
constexpr double kTensorFloat32Tolerance = 5e-2;
constexpr double kBfloat16Tolerance = 0.1;

/// The limit of a device with enough memory for each problem, whatever others use.
constexpr std::size_t kLimit = std::size_t{256} << 20;

/// What an evaluation returns.
struct BatchResult {
  Evaluation evaluation;
  Vector statistics;

  friend bool operator==(const BatchResult&, const BatchResult&) = default;
};

/// A random network with a mini-batch.
struct BatchProblem {
  explicit BatchProblem(std::int64_t seed)
      : random(seed),
        topology(draw_topology(random, true)),
        instances(draw_instances(topology, 60, seed)),
        weights(draw_initial_weights(topology, seed)),
        statistics(Vector::Constant(topology.num_statistics(), 0.7)) {
    if (draw_bool(random)) use_byte_features(instances);
    range = instances.range();
    if (draw_bool(random)) range.weights = nullptr;
    const Index size = draw_index(random, 2, 60);
    for (Index i = 0; i < size; ++i) {
      positions.push_back(draw_index(random, 0, 59));
      places.push_back(draw_index(random, 0, 1000));
    }
    if (draw_bool(random)) places.clear();
    if (draw_bool(random)) divisor = 17.0;
    for (Index k = 0; k < topology.num_layers(); ++k) {
      frozen.push_back(random.next_double() < 0.3);
    }
    if (draw_bool(random)) frozen.clear();
  }

  [[nodiscard]] BatchResult compute_reference() const {
    ReferenceBatchEvaluator evaluator(topology, frozen);
    evaluator.bind(range);
    MiniBatch batch{positions, kDropoutSeed, places};
    batch.divisor = divisor;
    BatchResult result{{0.0, Vector(weights.size())}, statistics};
    ThreadPool pool(1);
    result.evaluation.value = evaluator.value_and_gradient(
        batch, weights.data(), result.statistics.data(),
        result.evaluation.gradient.data(), pool);
    return result;
  }

  static constexpr std::uint64_t kDropoutSeed = 99;

  SparkRandom random;
  Topology topology;
  RandomInstances instances;
  InstanceRange range;
  Vector weights;
  Vector statistics;
  std::vector<Index> positions;
  std::vector<Index> places;
  double divisor = 0.0;
  FrozenLayers frozen;
};

/// The arrays of an evaluation on the device.
template <typename Number>
class BatchOnDevice {
 public:
  using Flat = Eigen::Matrix<Number, Eigen::Dynamic, 1>;

  BatchOnDevice(const BatchProblem& problem, DeviceContext& context)
      : stream_(context.stream()),
        weights_(problem.weights.size()),
        statistics_(problem.statistics.size()),
        gradient_(problem.weights.size()),
        loss_(1),
        positions_(static_cast<Index>(problem.positions.size())),
        places_(static_cast<Index>(problem.places.size())),
        step_(1) {
    upload(problem.weights, weights_);
    upload(problem.statistics, statistics_);
    positions_.upload(problem.positions, stream_);
    places_.upload(problem.places, stream_);
    const DeviceBatch::Step step{BatchProblem::kDropoutSeed, problem.divisor};
    step_.upload({&step, 1}, stream_);
  }

  void add_to(cuda::DeviceBatchObjective<Number>& objective,
              const cuda::LayerEnqueued& on_layer = nullptr) {
    const DeviceBatch batch{positions_.size(), positions_.data(),
                            places_.data(), step_.data()};
    objective.add_evaluation(batch, weights_.data(), statistics_.data(),
                             loss_.data(), gradient_.data(), on_layer);
  }

  void upload(const Vector& numbers, DeviceArray<Number>& to) {
    const Flat flat = numbers.cast<Number>();
    to.upload({flat.data(), static_cast<std::size_t>(flat.size())}, stream_);
  }

  [[nodiscard]] Vector read(const DeviceArray<Number>& from) const {
    Flat flat(from.size());
    from.download(
        std::span<Number>(flat.data(), static_cast<std::size_t>(flat.size())),
        stream_);
    return flat.template cast<double>();
  }

  [[nodiscard]] BatchResult result() const {
    return {{loss_.download(stream_)[0], read(gradient_)}, read(statistics_)};
  }

 private:
  const cuda::Stream& stream_;
  DeviceArray<Number> weights_, statistics_, gradient_;
  DeviceArray<double> loss_;
  DeviceArray<Index> positions_, places_;
  DeviceArray<DeviceBatch::Step> step_;
};

template <typename Number>
auto make_objective(const BatchProblem& problem, Precision precision,
                    DeviceContext& context, std::size_t usable_bytes) {
  cuda::BatchObjectiveSettings settings;
  settings.precision = precision;
  settings.frozen = problem.frozen;
  settings.max_batch_size = static_cast<Index>(problem.positions.size());
  const std::size_t available = context.bytes().available;
  settings.reserved_bytes = available - std::min(available, usable_bytes);
  return cuda::make_batch_objective<Number>(problem.topology, settings,
                                            problem.range, context);
}

template <typename Number>
BatchResult evaluate(const BatchProblem& problem, Precision precision,
                     DeviceContext& context, std::size_t usable_bytes) {
  const auto objective =
      make_objective<Number>(problem, precision, context, usable_bytes);
  BatchOnDevice<Number> batch(problem, context);
  batch.add_to(*objective);
  return batch.result();
}

FeaturePlace place_of(const cuda::DeviceBatchObjective<double>& objective) {
  const auto& instances =
      dynamic_cast<const cuda::LayeredBatchObjective<double, double>&>(
          objective)
          .instances();
  if (!instances.is_resident()) return FeaturePlace::kHost;
  return instances.bytes() ? FeaturePlace::kBytes : FeaturePlace::kOperands;
}

/// Returns the larger of the relative differences of loss, gradient and statistics.
double difference_of(const BatchResult& received, const BatchResult& expected) {
  const double statistics =
      expected.statistics.size() == 0
          ? 0.0
          : (received.statistics - expected.statistics).norm() /
                expected.statistics.norm();
  return larger_difference(
      relative_difference(received.evaluation, expected.evaluation),
      statistics);
}

template <typename Number>
double largest_difference(Precision precision, int num_networks) {
  DeviceContext context(0, kLimit, cublas_of_tests());
  double largest = 0.0;
  for (int seed = 1; seed <= num_networks; ++seed) {
    const BatchProblem problem(seed);
    const BatchResult result = evaluate<Number>(problem, precision, context,
                                                context.bytes().available);
    largest = larger_difference(
        largest, difference_of(result, problem.compute_reference()));
  }
  return largest;
}

/// Evaluates with 25 sizes of usable memory: from the first that is enough, with
/// features on the host, to so much that bytes and then factors fit.
///
/// \param[in,out] places  where features were stored
/// \return how many results differ from that with all memory
int num_different_places(std::int64_t seed, DeviceContext& context,
                         std::set<FeaturePlace>& places) {
  BatchProblem problem(seed);
  use_byte_features(problem.instances);
  const auto compute = [&](std::size_t usable_bytes) {
    const auto objective = make_objective<double>(problem, Precision::kFloat64,
                                                  context, usable_bytes);
    places.insert(place_of(*objective));
    BatchOnDevice<double> batch(problem, context);
    batch.add_to(*objective);
    return batch.result();
  };
  const BatchResult expected = compute(context.bytes().available);
  int num_compared = 0;
  int num_different = 0;
  for (std::size_t usable = 1000; num_compared < 25;
       usable += 500 + usable / 20) {
    try {
      num_different += compute(usable) == expected ? 0 : 1;
      ++num_compared;
    } catch (const ResourceError&) {
      continue;  // not even the mini-batch fits
    }
  }
  return num_different;
}

TEST_SUITE("cuda/network/batch_objective") {
  TEST_CASE("computes what the reference computes for 100 random networks") {
    CHECK(largest_difference<double>(Precision::kFloat64, 100) <
          kFloat64Tolerance);
  }

  TEST_CASE("computes it in the other precisions within their bounds") {
    CHECK(largest_difference<float>(Precision::kFloat32, 50) <
          kFloat32Tolerance);
    CHECK(largest_difference<float>(Precision::kTensorFloat32, 50) <
          kTensorFloat32Tolerance);
    CHECK(largest_difference<float>(Precision::kBfloat16, 50) <
          kBfloat16Tolerance);
  }

  TEST_CASE("has the same bits wherever features are stored") {
    DeviceContext context(0, kLimit, cublas_of_tests());
    std::set<FeaturePlace> places;
    for (const std::int64_t seed : {3, 5, 8, 11}) {
      CHECK(num_different_places(seed, context, places) == 0);
    }
    CHECK(places.size() == 3);
  }

  TEST_CASE_TEMPLATE("has the same bits in every order of threads and blocks",
                     Number, double, float) {
    for (const std::int64_t seed : {2, 9}) {
      const BatchProblem problem(seed);
      const auto compute = [&] {
        DeviceContext context(0, kLimit, cublas_of_tests());
        return evaluate<Number>(
            problem,
            sizeof(Number) == 8 ? Precision::kFloat64 : Precision::kBfloat16,
            context, context.bytes().available);
      };

      CHECK(is_same_in_shuffled_orders(compute));
    }
  }

  TEST_CASE("has the same bits in a graph") {
    const BatchProblem problem(12);
    DeviceContext context(0, kLimit, cublas_of_tests());
    cuda::BatchObjectiveSettings settings;
    settings.max_batch_size = 60;
    settings.frozen = problem.frozen;
    const auto objective = cuda::make_batch_objective<double>(
        problem.topology, settings, problem.range, context);
    BatchOnDevice<double> batch(problem, context);
    cuda::Graph graph;
    // Libraries prepare themselves; this moves statistics of its own.
    BatchOnDevice<double>(problem, context).add_to(*objective);
    context.stream().synchronize();
    graph.capture(context.stream(), [&] { batch.add_to(*objective); });

    graph.launch(context.stream());

    const BatchResult direct = evaluate<double>(
        problem, Precision::kFloat64, context, context.bytes().available);
    CHECK(batch.result() == direct);
  }

  TEST_CASE("announces frozen layers too, and layer 0 at the end") {
    BatchProblem problem(1);
    problem.topology = Topology({3, 4, 5, 2});
    problem.instances = draw_instances(problem.topology, 60);
    problem.range = problem.instances.range();
    problem.weights = draw_initial_weights(problem.topology, 1);
    problem.statistics.resize(0);
    DeviceContext context(0, kLimit, cublas_of_tests());
    cuda::BatchObjectiveSettings settings;
    settings.frozen = {true, false, true};
    settings.max_batch_size = static_cast<Index>(problem.positions.size());
    const auto objective = cuda::make_batch_objective<float>(
        problem.topology, settings, problem.range, context);
    BatchOnDevice<float> batch(problem, context);
    std::vector<Index> announced;

    batch.add_to(*objective, [&](Index layer) { announced.push_back(layer); });

    CHECK(announced == std::vector<Index>{2, 1, 0});
    const Vector gradient = batch.result().evaluation.gradient;
    CHECK(gradient.head(16).isZero(0.0));
    CHECK(!gradient.segment(16, 25).isZero(0.0));
    CHECK(gradient.tail(12).isZero(0.0));
  }
}

}  // namespace
}  // namespace mlp::testing
