// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/graph.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "../../../cuda/kernels/convert.hpp"
#include "../../../cuda/runtime/device_array.hpp"

namespace {

using namespace mlp::cuda;

TEST_SUITE("cuda/runtime/graph") {
  TEST_CASE("runs its work at each launch and not before") {
    const Stream stream;
    DeviceArray<double> sum(1);
    DeviceArray<float> one(1);
    sum.clear(stream);
    one.upload(std::vector<float>{1.0F}, stream);
    stream.synchronize();
    Graph graph;

    graph.capture(stream, [&] {
      mlp::cuda::add_to_double(1, one.data(), sum.data(), stream.get());
    });
    const double before = sum.download(stream)[0];
    for (int i = 0; i < 3; ++i) graph.launch(stream);

    CHECK(before == 0.0);
    CHECK(sum.download(stream)[0] == 3.0);
  }

  TEST_CASE("stays empty if the work throws") {
    const Stream stream;
    Graph graph;

    CHECK_THROWS_AS(
        graph.capture(stream, [] { throw std::runtime_error("refused"); }),
        std::runtime_error);

    CHECK(graph.is_empty());
    stream.synchronize();
  }
}

}  // namespace
