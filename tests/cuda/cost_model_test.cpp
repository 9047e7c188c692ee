// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../cuda/cost_model.hpp"

#include <doctest/doctest.h>

namespace mlp::cuda {

namespace {

/// 256 flops per cycle in float64, 100 multiprocessors, 1 GHz: 25.6 Tflop/s.
Device plain_device() {
  Device device;
  device.compute_capability_major = 9;
  device.num_multiprocessors = 100;
  device.clock_hertz = 1e9;
  device.memory_bytes_per_second = 1e12;
  return device;
}

Params params_of(Solver solver, Index max_iter) {
  Params params;
  params.solver = solver;
  params.max_iter = max_iter;
  return params;
}

/// A network of two layers of 784 and 100 inputs for 60,000 instances.
Work mnist_work(Index max_iter) {
  return training_work(Topology({784, 100, 10}),
                       params_of(Solver::kLbfgs, max_iter), 60000,
                       Precision::kFloat64);
}

}  // namespace

TEST_SUITE("cuda/cost_model") {
  TEST_CASE("counts the work of Iris with L-BFGS") {
    const Work work =
        training_work(Topology({4, 5, 3}), params_of(Solver::kLbfgs, 100), 150,
                      Precision::kFloat64);

    CHECK(work.num_evaluations == 151.0);
    CHECK(work.instances_per_evaluation == 150.0);
    CHECK(work.flops_per_instance == 170.0);      // 2 (3 (20 + 15) - 20)
    CHECK(work.bytes_per_instance == 576.0);      // 2 * 4 * 8 + 8 * 8 * 8
    CHECK(work.bytes_per_evaluation == 11008.0);  // 43 weights, 32 vectors
    CHECK(work.kernels_per_evaluation == 26.0);
    CHECK(work.copied_bytes == 5400.0);  // 150 (4 * 8 + 4)
    CHECK(work.flops() == 3850500.0);
  }

  TEST_CASE("counts the steps of mini-batches, the last one short") {
    Params params = params_of(Solver::kAdam, 10);
    params.batch_size = 128;

    const Work work =
        training_work(Topology({4, 5, 3}), params, 1000, Precision::kBfloat16);

    CHECK(work.num_evaluations == 80.0);  // 10 epochs of 8
    CHECK(work.instances_per_evaluation == 128.0);
    CHECK(work.bytes_per_instance == 272.0);  // 2 * 4 * 2 + 8 * 8 * 4
  }

  TEST_CASE("counts a batch that is larger than the data as all of them") {
    Params params = params_of(Solver::kSgd, 10);
    params.batch_size = 128;

    const Work work =
        training_work(Topology({4, 5, 3}), params, 7, Precision::kFloat64);

    CHECK(work.num_evaluations == 10.0);
    CHECK(work.instances_per_evaluation == 7.0);
  }

  TEST_CASE("counts one evaluation per iteration of gradient descent") {
    const Work work = training_work(Topology({4, 5, 3}),
                                    params_of(Solver::kGradientDescent, 10),
                                    150, Precision::kFloat64);

    CHECK(work.num_evaluations == 11.0);
    CHECK(work.bytes_per_evaluation == 4128.0);  // 43 weights, 12 vectors
  }

  TEST_CASE("counts one forward pass of scoring") {
    const Work work = scoring_work(Topology({4, 5, 3}), 1000);

    CHECK(work.flops() == 70000.0);       // 2 * 35 * 1000
    CHECK(work.copied_bytes == 56000.0);  // 1000 (4 + 3) * 8
  }

  TEST_CASE("takes the peak of each precision from the compute capability") {
    Device device = plain_device();
    CHECK(peak_flops(device, Precision::kFloat64) == 25.6e12);
    CHECK(peak_flops(device, Precision::kFloat32) == 25.6e12);
    CHECK(peak_flops(device, Precision::kTensorFloat32) == 204.8e12);
    CHECK(peak_flops(device, Precision::kBfloat16) == 409.6e12);

    device.compute_capability_major = 8;
    device.compute_capability_minor = 7;

    CHECK(peak_flops(device, Precision::kFloat64) == 0.4e12);
  }

  TEST_CASE("takes the latest generation that it knows for a later one") {
    Device device = plain_device();
    device.compute_capability_major = 99;

    CHECK(peak_flops(device, Precision::kFloat32) == 25.6e12);
  }

  TEST_CASE("assumes a slow device that does not report its rates") {
    Device device = plain_device();
    const double seconds = predict_device_seconds(mnist_work(100), device);
    device.clock_hertz = 0.0;
    device.memory_bytes_per_second = 0.0;

    CHECK(peak_flops(device, Precision::kFloat64) == 25.6e12);
    CHECK(predict_device_seconds(mnist_work(100), device) > seconds);
  }

  TEST_CASE("adds start, copy, reads, arithmetic and traffic") {
    Work work;
    work.num_evaluations = 100.0;
    work.instances_per_evaluation = 1e6;
    work.flops_per_instance = 1.024e6;  // 0.1 s at 0.4 of the peak
    work.bytes_per_instance = 7e4;      // 0.1 s at 0.7 of the bandwidth
    work.copied_bytes = 1e9;            // 0.1 s at 10 GB/s

    const double seconds = predict_device_seconds(work, plain_device());

    // 0.5 + 0.1 + 100 (15e-6 + 0.1 + 0.1)
    CHECK(seconds == doctest::Approx(20.6015));
    CHECK(least_device_seconds(work) == doctest::Approx(0.5 + 1.0 / 60.0));
    CHECK(predict_cpu_seconds(work, 1e-6) == doctest::Approx(100.0));
  }

  TEST_CASE("asks for a third of the time and for a second") {
    CHECK(is_worthwhile(3.0, 2.0));
    CHECK_FALSE(is_worthwhile(2.9, 2.0));
    CHECK(is_worthwhile(1.6, 0.6));
    CHECK_FALSE(is_worthwhile(1.5, 0.6));
  }

  TEST_CASE("keeps small work on the CPU without measuring it") {
    Params params = params_of(Solver::kLbfgs, 100);
    const Work iris =
        training_work(Topology({4, 5, 3}), params, 150, Precision::kFloat64);
    params.max_iter = 1000000;
    const Work long_iris =
        training_work(Topology({4, 5, 3}), params, 150, Precision::kFloat64);

    CHECK_FALSE(is_worth_measuring(iris));
    CHECK_FALSE(is_worth_measuring(long_iris));  // launches take longer
    CHECK(is_worth_measuring(mnist_work(100)));
  }

  TEST_CASE("gives a device large work, and not one of few iterations") {
    // 60,000 instances at 20 Gflop/s: 2 (3 * 79,400 - 78,400) / 20e9 s each.
    constexpr double kSecondsPerInstance = 1.598e-5;

    const auto is_for_device = [&](Index max_iter) {
      const Work work = mnist_work(max_iter);
      return is_worthwhile(predict_cpu_seconds(work, kSecondsPerInstance),
                           predict_device_seconds(work, plain_device()));
    };

    CHECK(is_for_device(100));
    CHECK_FALSE(is_for_device(0));
  }
}

}  // namespace mlp::cuda
