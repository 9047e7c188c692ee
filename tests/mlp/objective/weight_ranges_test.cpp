// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/objective/weight_ranges.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace mlp {

namespace {

using optim::UpdateRange;

/// Ranges as triples, to be compared.
std::vector<std::vector<Index>> listed(const std::vector<UpdateRange>& ranges) {
  std::vector<std::vector<Index>> list;
  for (const UpdateRange& range : ranges) {
    list.push_back({range.first, range.size, range.decays ? 1 : 0});
  }
  return list;
}

using List = std::vector<std::vector<Index>>;

}  // namespace

TEST_SUITE("mlp/objective/weight_ranges") {
  TEST_CASE("turns layers counted from 1 into a flag for each") {
    Params params;
    params.layers = {2, 3, 4, 2};
    const Topology topology(params.layers);

    CHECK(frozen_layers(topology, params) == FrozenLayers{false, false, false});
    params.freeze = {1, 3};
    CHECK(frozen_layers(topology, params) == FrozenLayers{true, false, true});
  }

  TEST_CASE("lets matrices decay and biases not") {
    const Topology topology({2, 3, 1});

    CHECK(listed(weight_ranges(topology, FrozenLayers(2))) ==
          List{{0, 6, 1}, {6, 3, 0}, {9, 3, 1}, {12, 1, 0}});
  }

  TEST_CASE("lets projections decay and batch normalisation not") {
    // W 6, b 3, P 6, scales and shifts 6; then W 3, b 1.
    const Topology topology({2, 3, 1}, {}, {HiddenLayer{{}, true, true, 0.0}});

    CHECK(listed(weight_ranges(topology, FrozenLayers(2))) == List{{0, 6, 1},
                                                                   {6, 3, 0},
                                                                   {9, 6, 1},
                                                                   {15, 6, 0},
                                                                   {21, 3, 1},
                                                                   {24, 1, 0}});
  }

  TEST_CASE("leaves frozen layers out") {
    const Topology topology({2, 3, 1});

    CHECK(listed(weight_ranges(topology, {true, false})) ==
          List{{9, 3, 1}, {12, 1, 0}});
    CHECK(weight_ranges(topology, {true, true}).empty());
  }

  TEST_CASE("leaves the first of two outputs out") {
    // W 6, b 3; then W 6 as pairs, b 2.
    const Topology topology({2, 3, 2});

    CHECK(listed(weight_ranges(topology, FrozenLayers(2), true)) ==
          List{{0, 6, 1},
               {6, 3, 0},
               {10, 1, 1},
               {12, 1, 1},
               {14, 1, 1},
               {16, 1, 0}});
    CHECK(weight_ranges(topology, {false, true}, true).size() == 2);
  }

  TEST_CASE("moves the weights of the first output to the second") {
    const Topology topology({1, 2});
    Vector weights{{3.0, 5.0, 1.0, -1.0}};

    use_one_output(topology, weights);

    CHECK(weights == Vector{{0.0, 2.0, 0.0, -2.0}});
  }

  TEST_CASE("cuts large matrices into parts for threads") {
    const Topology topology({200, 100, 1});

    CHECK(listed(weight_ranges(topology, {false, true})) ==
          List{{0, 16384, 1}, {16384, 3616, 1}, {20000, 100, 0}});
  }
}

}  // namespace mlp
