// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/network/network_pass.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../cublas_of_tests.hpp"

namespace mlp::cuda {

namespace {

DeviceArray<double> upload(const std::vector<double>& numbers,
                           const Stream& stream) {
  DeviceArray<double> array(static_cast<Index>(numbers.size()));
  array.upload(numbers, stream);
  return array;
}

/// One feature, one rectified unit, one output, half the squared error. With W = 2
/// and b = 1 in the first layer, 3 and -1 in the second, the instances 1 and -1
/// become y = 3 and 0, then z = 8 and -1.
struct Example {
  Example() {
    std::vector<HiddenLayer> hidden(1);
    hidden[0].activation = *Activation::find("relu");
    topology = Topology({1, 1, 1}, Loss::kSquaredError, hidden);
  }

  Topology topology{{1, 1}};
  Stream stream;
  MatrixProducts products{stream, cuda::cublas_of_tests()};
  DeviceArray<double> features = upload({1.0, -1.0}, stream);
  DeviceArray<double> weights = upload({2.0, 1.0, 3.0, -1.0}, stream);
  cuda::NetworkWeights<double, double> copies{weights.data(), weights.data()};
};

TEST_SUITE("cuda/network/network_pass") {
  TEST_CASE("computes the output of each layer") {
    Example example;
    NetworkPass<double, double> pass(example.topology, {}, Precision::kFloat64,
                                     PassKind::kForward, 2, example.products);
    for (const Index k : {0, 1}) {
      pass.forward(example.features.data(), 2, example.copies, k, {});
      std::vector<double> output(2);
      cuda::check(
          cudaMemcpyAsync(output.data(), pass.output(k, 2, example.copies),
                          2 * sizeof(double), cudaMemcpyDeviceToHost,
                          example.stream.get()),
          "cudaMemcpyAsync");
      example.stream.synchronize();

      CHECK(output == (k == 0 ? std::vector<double>{3.0, 0.0}
                              : std::vector<double>{8.0, -1.0}));
    }
  }

  // With targets 7 and 1 the deltas of z are 1 and -2, those of the first layer
  // 3 and 0; the loss is 1/2 + 4/2. Everything is added to 100.
  TEST_CASE("adds loss and gradient to what is there") {
    Example example;
    NetworkPass<double, double> pass(example.topology, {}, Precision::kFloat64,
                                     PassKind::kForwardAndBackward, 5,
                                     example.products);
    const DeviceArray<double> targets = upload({7.0, 1.0}, example.stream);
    DeviceArray<double> sums =
        upload({100.0, 100.0, 100.0, 100.0, 100.0}, example.stream);
    PassInputs<double, double> inputs;
    inputs.features = example.features.data();
    inputs.size = 2;
    inputs.weights = example.copies;
    inputs.target.targets = targets.data();

    pass.evaluate(inputs, {sums.data() + 4, true}, {sums.data(), true},
                  nullptr);

    CHECK(sums.download(example.stream) ==
          std::vector<double>{103.0, 103.0, 103.0, 99.0, 102.5});
  }

  TEST_CASE("leaves the gradient of frozen layers as it is") {
    Example example;
    NetworkPass<double, double> pass(
        example.topology, {true, false}, Precision::kFloat64,
        PassKind::kForwardAndBackward, 2, example.products);
    const DeviceArray<double> targets = upload({7.0, 1.0}, example.stream);
    DeviceArray<double> sums =
        upload({50.0, 60.0, 0.0, 0.0, 0.0}, example.stream);
    PassInputs<double, double> inputs;
    inputs.features = example.features.data();
    inputs.size = 2;
    inputs.weights = example.copies;
    inputs.target.targets = targets.data();
    std::vector<Index> announced;

    pass.evaluate(inputs, {sums.data() + 4}, {sums.data(), false},
                  [&](Index k) { announced.push_back(k); });

    CHECK(sums.download(example.stream) ==
          std::vector<double>{50.0, 60.0, 3.0, -1.0, 2.5});
    CHECK(announced == std::vector<Index>{1});
  }
}

}  // namespace

}  // namespace mlp::cuda
