// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/fused/uploaded_objective.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "../../../cuda/runtime/device_array.hpp"
#include "../../../mlp/backend/reference_backend.hpp"
#include "../../../mlp/objective/training_objective.hpp"
#include "../cublas_of_tests.hpp"

namespace mlp::testing {
namespace {

/// Random instances of two classes.
struct Problem {
  Topology topology{{3, 5, 2}};
  Matrix features = Matrix::Random(3, 70);
  Vector weights = Vector::Constant(70, 1.0 / 70.0);
  std::vector<std::int32_t> labels;
  InstanceRange instances;

  Problem() {
    for (int i = 0; i < 70; ++i) labels.push_back(i % 2);
    instances.size = 70;
    instances.features = features.data();
    instances.weights = weights.data();
    instances.labels = labels.data();
  }

  double evaluate(const Vector& at, Vector& gradient) const {
    return TrainingObjective(topology, reference_backend(), instances, 1)
        .value_and_gradient(at, gradient);
  }
};

TEST_SUITE("cuda/fused/uploaded_objective") {
  TEST_CASE("computes the objective of instances of the host") {
    const Problem problem;
    const Vector at = Vector::Random(problem.topology.num_weights());
    Vector expected(at.size());
    const double value = problem.evaluate(at, expected);
    cuda::DeviceContext context(0, 0, cuda::cublas_of_tests());
    const auto objective = cuda::make_uploaded_objective(
        problem.topology, Precision::kFloat64, problem.instances, context);
    REQUIRE(objective);
    cuda::DeviceArray<double> weights(at.size());
    cuda::DeviceArray<double> gradient(at.size());
    cuda::DeviceArray<double> sum(1);
    weights.upload({at.data(), static_cast<std::size_t>(at.size())},
                   context.stream());

    objective->add_evaluation(weights.data(), sum.data(), gradient.data(),
                              nullptr);

    constexpr double kTolerance = 1e-12;
    const std::vector<double> received = gradient.download(context.stream());
    const Eigen::Map<const Vector> numbers(received.data(), at.size());
    CHECK((numbers - expected).norm() <= kTolerance * expected.norm());
    CHECK(sum.download(context.stream())[0] ==
          doctest::Approx(value).epsilon(kTolerance));
  }

  TEST_CASE("makes none for networks and precisions that go layer by layer") {
    const Problem problem;
    cuda::DeviceContext context(0, 0, cuda::cublas_of_tests());

    CHECK(!cuda::make_uploaded_objective(problem.topology, Precision::kBfloat16,
                                         problem.instances, context));
    CHECK(!cuda::make_uploaded_objective(Topology({3, 5000, 2}),
                                         Precision::kFloat64, problem.instances,
                                         context));
  }
}

}  // namespace
}  // namespace mlp::testing
