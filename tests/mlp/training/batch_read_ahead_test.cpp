// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/training/batch_read_ahead.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "../../../datasets/stored/feature_source.hpp"
#include "../../../datasets/stored/stored_features.hpp"

namespace mlp {

namespace {

/// Notes which instances are expected.
class NotedSource final : public datasets::FeatureSource {
 public:
  Index num_features() const override { return kNumFeatures; }
  Index num_instances() const override { return 40; }
  void read(Index, Index, double*) const override {}
  void expect(Index first, Index count) const override {
    for (Index i = first; i < first + count; ++i) expected.push_back(i);
  }

  /// Four instances are announced ahead.
  static constexpr Index kNumFeatures = Index{1} << 18;
  mutable std::vector<Index> expected;
};

}  // namespace

TEST_SUITE("mlp/training/batch_read_ahead") {
  TEST_CASE("announces each instance of an epoch once, some steps ahead") {
    const auto source = std::make_shared<NotedSource>();
    const FeatureStore store(
        std::make_shared<const datasets::StoredFeatures>(source));
    std::vector<Index> order(40);
    std::iota(order.begin(), order.end(), Index{0});
    BatchReadAhead ahead(NotedSource::kNumFeatures);
    const std::span<const Index> all = order;

    ahead.announce(all, 0, store);
    CHECK(source->expected == std::vector<Index>{0, 1, 2, 3});
    ahead.announce(all.subspan(1), 0, store);
    CHECK(source->expected.size() == 4);
    for (std::size_t step = 2; step < 40; ++step) {
      ahead.announce(all.subspan(step), 0, store);
    }
    CHECK(source->expected == order);
    ahead.announce(all, 0, store);
    CHECK(source->expected.size() == 44);
  }

  TEST_CASE("leaves out instances of other ranks") {
    const auto source = std::make_shared<NotedSource>();
    const FeatureStore store(
        std::make_shared<const datasets::StoredFeatures>(source));
    const std::vector<Index> order = {50, 3, 10, 11};
    BatchReadAhead ahead(NotedSource::kNumFeatures);

    ahead.announce(order, 10, store);

    CHECK(source->expected == std::vector<Index>{0, 1});
  }
}

}  // namespace mlp
