// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/layered_objective.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../cuda/runtime/graph.hpp"
#include "../cublas_of_tests.hpp"
#include "../shuffled_orders.hpp"
#include "random_networks.hpp"

namespace mlp::testing {

namespace {

using namespace cuda;

// The order of sums of up to 300 instances and 70 units.
constexpr double kFloat64Tolerance = 1e-12;
// Numbers of 24 bits through up to 4 layers.
constexpr double kFloat32Tolerance = 1e-5;
// Factors of 11 and of 8 bits through up to 4 layers; the largest differences come
// from rectifiers that rounding switches.
constexpr double kTensorFloat32Tolerance = 2e-2;
constexpr double kBfloat16Tolerance = 5e-2;

/// The limit of a device with enough memory for each problem, whatever others use.
constexpr std::size_t kLimit = std::size_t{256} << 20;

/// What the device of some problems may allocate. Others leave even less of it.
constexpr std::size_t kScarceBytes = std::size_t{400} << 10;
constexpr std::size_t kScarceLimit =
    MatrixProducts::kWorkspaceBytes + kScarceBytes;

/// Evaluates an objective at weights of the host.
Evaluation evaluate(cuda::DeviceObjective& objective, const Vector& weights,
                    DeviceContext& context) {
  const cuda::Stream& stream = context.stream();
  const auto size = static_cast<std::size_t>(weights.size());
  DeviceArray<double> x(weights.size());
  DeviceArray<double> gradient(weights.size());
  DeviceArray<double> value(1);
  x.upload({weights.data(), size}, stream);
  objective.add_evaluation(x.data(), value.data(), gradient.data(), nullptr);
  Evaluation result{0.0, Vector(weights.size())};
  value.download(std::span<double>(&result.value, 1), stream);
  gradient.download(std::span<double>(result.gradient.data(), size), stream);
  return result;
}

/// A random network with instances, weights and the reference's result.
struct Problem {
  explicit Problem(std::int64_t seed, Index max_size = 300)
      : random(seed),
        topology(draw_topology(random)),
        instances(
            draw_instances(topology, draw_index(random, 1, max_size), seed)),
        weights(draw_initial_weights(topology, seed)) {
    if (has_bytes) use_byte_features(instances);
    expected = evaluate_all(topology, instances.range(), weights);
  }

  SparkRandom random;
  bool has_bytes = draw_bool(random);
  Topology topology;
  RandomInstances instances;
  Vector weights;
  Evaluation expected;
};

/// Returns how much memory a problem may use: every third as much as it wants, a
/// third so little that some need several blocks, and a third just enough for a
/// block of 32 instances, so that features are stored as bytes or stay on the host.
template <typename Number, typename Input>
std::size_t usable_bytes(const Problem& problem, int seed,
                         std::size_t available) {
  if (seed % 3 == 0) return available;
  if (seed % 3 == 2) return kScarceBytes;
  const auto bytes_of = [](Index count, std::size_t bytes) {
    return static_cast<std::size_t>(count) * bytes;
  };
  const std::size_t feature = problem.has_bytes && seed % 2 == 0
                                  ? 2 + sizeof(Input)
                                  : 3 * sizeof(Input);
  const std::size_t instance =
      cuda::PassArrays<Number, Input>::bytes_per_instance(
          problem.topology, cuda::PassKind::kForwardAndBackward) +
      bytes_of(problem.topology.num_features(), feature);
  return bytes_of(problem.topology.num_weights(),
                  cuda::WeightCopies<double, Number, Input>::kBytes +
                      (sizeof(Number) == sizeof(double) ? 0 : sizeof(float))) +
         bytes_of(problem.instances.range().size,
                  cuda::instance_bytes(problem.instances.range(),
                                       problem.topology.num_classes())) +
         bytes_of(32, instance);
}

/// What random networks had in common.
struct Coverage {
  double largest_difference = 0.0;
  int num_streamed = 0;
  int num_streamed_bytes = 0;
  int num_bytes = 0;   ///< on the device
  int num_blocks = 0;  ///< problems with more than one
};

template <typename Number, typename Input>
Coverage compare(Precision precision, int num_networks) {
  DeviceContext context(0, kLimit, cublas_of_tests());
  Coverage coverage;
  for (int seed = 1; seed <= num_networks; ++seed) {
    const Problem problem(seed);
    const std::size_t available = context.bytes().available;
    LayeredObjective<Number, Input> objective(
        problem.topology, precision, problem.instances.range(),
        available - usable_bytes<Number, Input>(problem, seed, available),
        context);
    const double difference = relative_difference(
        evaluate(objective, problem.weights, context), problem.expected);
    coverage.largest_difference =
        std::max(coverage.largest_difference, difference);
    const bool has_bytes = objective.instances().byte_scale() != 0.0;
    const bool is_streamed = !objective.is_capturable();
    coverage.num_streamed += is_streamed && !has_bytes ? 1 : 0;
    coverage.num_streamed_bytes += is_streamed && has_bytes ? 1 : 0;
    coverage.num_bytes += has_bytes && !is_streamed ? 1 : 0;
    coverage.num_blocks += objective.num_pieces() > 1 ? 1 : 0;
  }
  return coverage;
}

void check_coverage(const Coverage& coverage, double tolerance, int least) {
  CHECK(coverage.largest_difference < tolerance);
  CHECK(coverage.num_streamed > least);
  CHECK(coverage.num_streamed_bytes > least);
  CHECK(coverage.num_bytes > least);
  CHECK(coverage.num_blocks > least);
}

TEST_SUITE("cuda/network/layered_objective") {
  TEST_CASE("computes the reference's gradient of 200 random networks") {
    const auto coverage = compare<double, double>(Precision::kFloat64, 200);

    check_coverage(coverage, kFloat64Tolerance, 5);
  }

  TEST_CASE("computes it in float32 to 24 bits") {
    const auto coverage = compare<float, float>(Precision::kFloat32, 200);

    check_coverage(coverage, kFloat32Tolerance, 5);
  }

  TEST_CASE("computes it in tf32 and bf16 within their bounds") {
    const auto tf32 = compare<float, float>(Precision::kTensorFloat32, 50);
    const auto bf16 = compare<float, BFloat16>(Precision::kBfloat16, 50);

    CHECK(tf32.largest_difference < kTensorFloat32Tolerance);
    CHECK(tf32.largest_difference > kFloat32Tolerance);
    CHECK(bf16.largest_difference < kBfloat16Tolerance);
    CHECK(bf16.largest_difference > kFloat32Tolerance);
  }

  TEST_CASE_TEMPLATE("has the same bits in every order of threads and blocks",
                     Number, double, float) {
    for (const std::int64_t seed : {4, 7, 10}) {
      const Problem problem(seed, 100);
      const auto compute = [&] {
        DeviceContext context(0, kScarceLimit, cublas_of_tests());
        const auto objective = cuda::make_layered_objective(
            problem.topology,
            sizeof(Number) == 8 ? Precision::kFloat64 : Precision::kBfloat16,
            problem.instances.range(), 0, context);
        return evaluate(*objective, problem.weights, context);
      };

      CHECK(is_same_in_shuffled_orders(compute));
    }
  }

  TEST_CASE("has the same bits in a graph, at other weights too") {
    const Problem problem(5);
    DeviceContext context(0, 0, cublas_of_tests());
    const auto objective =
        cuda::make_layered_objective(problem.topology, Precision::kFloat64,
                                     problem.instances.range(), 0, context);
    const Index size = problem.weights.size();
    DeviceArray<double> weights(size), gradient(size), value(1);
    const cuda::Stream& stream = context.stream();
    cuda::Graph graph;
    evaluate(*objective, problem.weights, context);  // libraries get ready
    graph.capture(stream, [&] {
      objective->add_evaluation(weights.data(), value.data(), gradient.data(),
                                nullptr);
    });

    for (const double factor : {1.0, -0.5}) {
      const Vector x = factor * problem.weights;
      weights.upload({x.data(), static_cast<std::size_t>(size)}, stream);
      graph.launch(stream);

      const Evaluation direct = evaluate(*objective, x, context);
      CHECK(value.download(stream)[0] == direct.value);
      CHECK(gradient.download(stream) ==
            std::vector(direct.gradient.begin(), direct.gradient.end()));
    }
  }

  TEST_CASE("announces the layers from the last to the first, once") {
    const Topology topology({3, 4, 5, 2});
    const RandomInstances instances = draw_instances(topology, 200);
    for (const Precision precision :
         {Precision::kFloat64, Precision::kBfloat16}) {
      DeviceContext context(0, kScarceLimit, cublas_of_tests());
      const auto objective =
          cuda::make_layered_objective(topology, precision, instances.range(),
                                       kScarceBytes - 20'000, context);
      DeviceArray<double> numbers(2 * topology.num_weights() + 1);
      numbers.clear(context.stream());
      std::vector<Index> announced;

      objective->add_evaluation(
          numbers.data(), numbers.data() + 2 * topology.num_weights(),
          numbers.data() + topology.num_weights(),
          [&](Index layer) { announced.push_back(layer); });
      context.stream().synchronize();

      CHECK(objective->num_pieces() > 1);
      CHECK(announced == std::vector<Index>{2, 1, 0});
    }
  }

  TEST_CASE("says how much memory the least block needs") {
    const Topology topology({10, 20, 3});
    const RandomInstances instances = draw_instances(topology, 100);
    DeviceContext context(0, MatrixProducts::kWorkspaceBytes + 1000,
                          cublas_of_tests());

    // 100 instances of 4 + 24 + 8 bytes; 32 of 2 * 20 + 20 units, a loss, 3 deltas,
    // a partial sum, and three times 10 features, 8 bytes each.
    CHECK_THROWS_WITH_AS(
        cuda::make_layered_objective(topology, Precision::kFloat64,
                                     instances.range(), 0, context),
        "the CUDA device has too little memory: the network and a block of 32 "
        "instances need 27920 bytes, 1000 can be used; free the device, raise "
        "the limit, or train on the CPU",
        ResourceError);
  }

  TEST_CASE("gives 0 for no instances") {
    const Topology topology({2, 2});
    DeviceContext context(0, 0, cublas_of_tests());
    InstanceRange none;
    const auto objective = cuda::make_layered_objective(
        topology, Precision::kFloat64, none, 0, context);

    const Evaluation result =
        evaluate(*objective, Vector::Ones(topology.num_weights()), context);

    CHECK(result.value == 0.0);
    CHECK(result.gradient == Vector::Zero(topology.num_weights()));
  }
}

}  // namespace
}  // namespace mlp::testing
