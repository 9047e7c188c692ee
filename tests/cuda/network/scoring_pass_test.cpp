// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/scoring_pass.hpp"

#include <doctest/doctest.h>

#include "../../mlp/backend/slice_evaluators.hpp"
#include "../cublas_of_tests.hpp"
#include "random_networks.hpp"

namespace mlp::testing {

namespace {

using cuda::cublas_of_tests;
using cuda::DeviceContext;

constexpr double kFloat64Tolerance = 1e-13;
constexpr double kFloat32Tolerance = 1e-5;
constexpr double kTensorFloat32Tolerance = 1e-2;
constexpr double kBfloat16Tolerance = 5e-2;

Matrix reference_output(const Topology& topology, const Vector& weights,
                        const InstanceRange& instances, Index k) {
  return testing::compute_output(reference_backend(), topology, weights,
                                 instances, k);
}

/// Returns the largest difference from the reference over all layers of random
/// networks, relative to the norm of the output.
///
/// \tparam Host  the type of input and output
template <typename Host>
double largest_difference(Precision precision) {
  using Numbers = Eigen::Matrix<Host, Eigen::Dynamic, Eigen::Dynamic>;
  DeviceContext context(0, 0, cublas_of_tests());
  double largest = 0.0;
  for (int seed = 1; seed <= 20; ++seed) {
    SparkRandom random(seed);
    const Topology topology = draw_topology(random);
    const RandomInstances instances =
        draw_instances(topology, draw_index(random, 1, 100), seed);
    const Vector weights = draw_initial_weights(topology, seed);
    const auto pass = cuda::make_scoring_pass(topology, precision, context);
    pass->set_weights(weights.data());
    const Numbers features = instances.features.cast<Host>();
    for (Index k = 0; k < topology.num_layers(); ++k) {
      Numbers output(topology.output_size(k), features.cols());

      pass->compute(features.data(), features.cols(), k, output.data(),
                    nullptr);

      const Matrix expected =
          reference_output(topology, weights, instances.range(), k);
      const Matrix wide = output.template cast<double>();
      largest = larger_difference(largest,
                                  (wide - expected).norm() / expected.norm());
    }
  }
  return largest;
}

TEST_SUITE("cuda/network/scoring_pass") {
  TEST_CASE("computes the outputs of every layer, in every precision") {
    CHECK(largest_difference<double>(Precision::kFloat64) < kFloat64Tolerance);
    CHECK(largest_difference<double>(Precision::kFloat32) < kFloat32Tolerance);
    CHECK(largest_difference<double>(Precision::kTensorFloat32) <
          kTensorFloat32Tolerance);
    CHECK(largest_difference<double>(Precision::kBfloat16) <
          kBfloat16Tolerance);
  }

  TEST_CASE("reads and writes single precision") {
    CHECK(largest_difference<float>(Precision::kFloat64) < kFloat32Tolerance);
    CHECK(largest_difference<float>(Precision::kFloat32) < kFloat32Tolerance);
    CHECK(largest_difference<float>(Precision::kBfloat16) < kBfloat16Tolerance);
  }

  TEST_CASE("computes more instances than fit, in parts, until it is to stop") {
    const Topology topology({3, 4, 2});
    const RandomInstances instances = draw_instances(topology, 100);
    const Vector weights = draw_initial_weights(topology, 1);
    constexpr std::size_t kLittle = 30'000;
    DeviceContext context(0, cuda::MatrixProducts::kWorkspaceBytes + kLittle,
                          cublas_of_tests());
    const auto pass =
        cuda::make_scoring_pass(topology, Precision::kFloat64, context);
    pass->set_weights(weights.data());
    Matrix output(2, 100);
    int num_parts = 0;

    pass->compute(instances.features.data(), 100, 1, output.data(),
                  [&] { return ++num_parts < 0; });

    const Matrix expected =
        reference_output(topology, weights, instances.range(), 1);
    CHECK((output - expected).norm() < kFloat64Tolerance * expected.norm());
    CHECK(num_parts > 1);
    output.setConstant(7.0);
    pass->compute(instances.features.data(), 100, 1, output.data(),
                  [] { return true; });
    CHECK(output == Matrix::Constant(2, 100, 7.0));
  }
}

}  // namespace
}  // namespace mlp::testing
