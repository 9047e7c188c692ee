// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// What happens to objects of a device that does not work any more.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../cuda/network/device_evaluator.hpp"
#include "../../cuda_host/cuda_runtime.hpp"
#include "../cublas_of_tests.hpp"
#include "../network/random_networks.hpp"

namespace mlp::testing {

namespace {

/// Lets every call that selects a device fail.
class LostDevice {
 public:
  LostDevice() { cuda_host::num_devices() = 0; }
  LostDevice(const LostDevice&) = delete;
  LostDevice& operator=(const LostDevice&) = delete;
  ~LostDevice() { cuda_host::num_devices() = 1; }
};

/// Evaluators of all kinds, each used once.
struct Evaluators {
  explicit Evaluators(cuda::DeviceContext& context)
      : instances(draw_instances(topology, 20)),
        weights(draw_initial_weights(topology, 3)),
        full(cuda::make_device_evaluator(topology, Precision::kFloat64,
                                         context)),
        plan(cuda::make_device_plan(topology, weights.data(),
                                    Precision::kFloat64, context)),
        batches(cuda::make_device_batch_evaluator<double>(
            topology, {}, Precision::kFloat64, context)) {
    full->bind(instances.range());
    batches->bind(instances.range());
    evaluate();
  }

  void evaluate() {
    Vector gradient(weights.size());
    Matrix raw(2, 20);
    ThreadPool pool(1);
    const std::vector<Index> positions = {3, 4};
    full->compute_gradient(weights.data(), gradient.data(), pool, [] {});
    plan->compute_raw(instances.features.data(), 20, raw.data());
    batches->value_and_gradient({positions, 5}, weights.data(), nullptr,
                                gradient.data(), pool);
  }

  Topology topology{{3, 4, 2}};
  RandomInstances instances;
  Vector weights;
  std::unique_ptr<SharedEvaluator> full;
  std::unique_ptr<ScoringPlan> plan;
  std::unique_ptr<BatchEvaluator<double>> batches;
};

TEST_SUITE("cuda/network lost device") {
  TEST_CASE("evaluators throw, and can still be destroyed") {
    cuda::DeviceContext context(0, 0, cuda::cublas_of_tests());
    const std::size_t num_objects = cuda_host::num_live_objects();
    auto evaluators = std::make_unique<Evaluators>(context);
    CHECK(cuda_host::num_live_objects() > num_objects);
    const LostDevice lost;

    CHECK_THROWS_AS(evaluators->evaluate(), DeviceError);
    evaluators.reset();

    CHECK(cuda_host::num_live_objects() == num_objects);
  }
}

}  // namespace
}  // namespace mlp::testing
