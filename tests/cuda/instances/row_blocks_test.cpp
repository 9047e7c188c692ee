// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/instances/row_blocks.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "../../../cuda/kernels/convert.hpp"
#include "../shuffled_orders.hpp"

namespace mlp::cuda {

namespace {

/// Loads all blocks twice, converts each to float on the stream, and returns what
/// arrived.
std::vector<float> load_all(FeaturePlace place, double byte_scale) {
  constexpr Index kNumFeatures = 3;
  std::vector<double> features(23 * kNumFeatures);
  std::iota(features.begin(), features.end(), 0.0);
  InstanceRange range;
  range.size = 23;
  range.features = features.data();
  const Stream stream;
  const InstancePlan plan{{place, 5}, byte_scale};
  const DeviceInstances<double> instances(range, kNumFeatures, 1, plan, stream);
  RowBlocks<double> blocks(instances, 5, stream);
  DeviceArray<float> loaded(static_cast<Index>(features.size()) * 2);
  Index end = 0;
  for (int round = 0; round < 2; ++round) {
    for (Index block = 0; block < blocks.size(); ++block) {
      const Index count = blocks.size_of(block) * kNumFeatures;
      cuda::convert(count, blocks.load(block), 1.0, loaded.data() + end,
                    stream.get());
      end += count;
    }
  }
  CHECK(end == loaded.size());
  return loaded.download(stream);
}

TEST_SUITE("cuda/instances/row_blocks") {
  TEST_CASE("gives every block, the last one shorter, wherever features are") {
    std::vector<float> expected(69);
    std::iota(expected.begin(), expected.end(), 0.0F);
    const std::vector<float> once = expected;
    expected.insert(expected.end(), once.begin(), once.end());

    CHECK(load_all(FeaturePlace::kOperands, 0.0) == expected);
    CHECK(load_all(FeaturePlace::kBytes, 1.0) == expected);
    CHECK(load_all(FeaturePlace::kHost, 0.0) == expected);
    CHECK(load_all(FeaturePlace::kHost, 1.0) == expected);
  }

  TEST_CASE("copies from the host in step with the work, in every order") {
    CHECK(mlp::testing::is_same_in_shuffled_orders(
        [] { return load_all(FeaturePlace::kHost, 1.0); }));
    CHECK(mlp::testing::is_same_in_shuffled_orders(
        [] { return load_all(FeaturePlace::kHost, 0.0); }));
  }
}

}  // namespace

}  // namespace mlp::cuda
