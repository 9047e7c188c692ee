// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/instances/device_instances.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "../../../core/spark_random.hpp"

namespace mlp::cuda {

namespace {

/// Reads numbers of the device.
template <typename T>
std::vector<T> read(const T* numbers, std::size_t size, const Stream& stream) {
  std::vector<T> result(size);
  cuda::check(cudaMemcpyAsync(result.data(), numbers, size * sizeof(T),
                              cudaMemcpyDeviceToHost, stream.get()),
              "cudaMemcpyAsync");
  stream.synchronize();
  return result;
}

TEST_SUITE("cuda/instances/device_instances") {
  TEST_CASE("copies labels, targets and weights, or says that there are none") {
    const std::vector<double> features = {1, 2, 3, 4};
    const std::vector<std::int32_t> labels = {1, 0};
    const std::vector<double> targets = {5, 6, 7, 8};
    const std::vector<double> weights = {9, 10};
    const Stream stream;
    const InstanceRange all{2, features.data(), weights.data(), labels.data(),
                            targets.data()};
    InstanceRange plain;
    plain.size = 2;
    plain.features = features.data();
    const InstancePlan plan{{FeaturePlace::kHost, 1}, 0.0};

    const DeviceInstances<double> full(all, 2, 2, plan, stream);
    const DeviceInstances<double> bare(plain, 2, 2, plan, stream);

    CHECK(read(full.labels(), 2, stream) == labels);
    CHECK(read(full.targets(), 4, stream) == targets);
    CHECK(read(full.weights(), 2, stream) == weights);
    CHECK(!full.is_resident());
    CHECK(!bare.labels());
    CHECK(!bare.targets());
    CHECK(!bare.weights());
    CHECK(cuda::instance_bytes(all, 2) == 4 + 16 + 8);
    CHECK(cuda::instance_bytes(plain, 2) == 0);
  }

  TEST_CASE("copies more features than one piece has") {
    constexpr Index kSize = (Index{1} << 22) + 1000;  // a piece has 2^22
    SparkRandom random(1);
    std::vector<double> features(kSize);
    for (double& feature : features) {
      feature =
          static_cast<double>(static_cast<int>(random.next_double() * 256));
    }
    const Stream stream;
    InstanceRange range;
    range.size = kSize;
    range.features = features.data();

    const DeviceInstances<double> factors(
        range, 1, 1, {{FeaturePlace::kOperands, 1}, 0.0}, stream);
    const DeviceInstances<double> bytes(
        range, 1, 1, {{FeaturePlace::kBytes, 1}, 1.0}, stream);

    CHECK(read(factors.operands(), kSize, stream) == features);
    const auto stored = read(bytes.bytes(), kSize, stream);
    CHECK(std::vector<double>(stored.begin(), stored.end()) == features);
    CHECK(bytes.operands() == nullptr);
  }

  TEST_CASE("plans bytes only if they are needed, with their scale") {
    const std::vector<double> features = {1, 2, 3, 255};
    InstanceRange range;
    range.size = 4;
    range.features = features.data();
    MemoryNeeds needs;
    needs.operand_bytes = 8;
    needs.pass_bytes = 1;
    needs.least_block_size = 1;

    const InstancePlan ample =
        cuda::plan_instances(range, 1, 1, needs, {1000, 1000});
    const InstancePlan scarce =
        cuda::plan_instances(range, 1, 1, needs, {20, 20});

    CHECK(ample.memory.place == FeaturePlace::kOperands);
    CHECK(ample.byte_scale == 0.0);
    CHECK(scarce.memory.place == FeaturePlace::kBytes);
    CHECK(scarce.byte_scale == 1.0);
  }
}

}  // namespace

}  // namespace mlp::cuda
