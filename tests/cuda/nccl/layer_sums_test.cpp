// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/nccl/layer_sums.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../cuda/runtime/device_array.hpp"
#include "../../../cuda/runtime/graph.hpp"
#include "../../cuda_host/execution_settings.hpp"
#include "nccl_ranks.hpp"

namespace mlp::cuda {

namespace {

/// Layers of 35, 24 and 10 weights.
const Topology& network() {
  static const Topology topology({6, 5, 4, 2});
  return topology;
}

/// A gradient with a tail before it, as an evaluation computes it.
template <typename Number>
struct Evaluation {
  static constexpr Index kTail = 2;

  explicit Evaluation(int rank)
      : numbers(kTail + network().num_weights()),
        share(static_cast<std::size_t>(numbers.size())) {
    for (std::size_t i = 0; i < share.size(); ++i) {
      share[i] = static_cast<Number>(i + 1) * static_cast<Number>(rank + 1);
    }
  }

  [[nodiscard]] Number* gradient() { return numbers.data() + kTail; }

  /// Adds what a layer computes. The host's memory is read now.
  void add_layer(Index layer) {
    const Index first = network().weight_offset(layer);
    const Index end = layer + 1 < network().num_layers()
                          ? network().weight_offset(layer + 1)
                          : network().num_weights();
    upload(kTail + first, end - first);
  }

  void upload(Index first, Index size) {
    check(cudaMemcpyAsync(numbers.data() + first, share.data() + first,
                          static_cast<std::size_t>(size) * sizeof(Number),
                          cudaMemcpyHostToDevice, stream.get()),
          "cudaMemcpyAsync");
  }

  /// Adds an evaluation and its sums.
  void run(LayerSums<Number>& sums, double* tail) {
    const auto on_layer = sums.begin(stream, gradient());
    for (Index layer = network().num_layers() - 1; layer >= 0; --layer) {
      add_layer(layer);
      if (on_layer) on_layer(layer);
    }
    upload(0, kTail);
    sums.finish(tail, kTail);
  }

  /// Checks numbers that are sums of all shares.
  [[nodiscard]] bool is_summed(Index first, int num_ranks) {
    const std::vector<Number> sums = numbers.download(stream);
    const auto all = static_cast<Number>(num_ranks * (num_ranks + 1) / 2);
    for (auto i = static_cast<std::size_t>(first); i < sums.size(); ++i) {
      if (sums[i] != static_cast<Number>(i + 1) * all) return false;
    }
    return true;
  }

  Stream stream;
  DeviceArray<Number> numbers;
  std::vector<Number> share;
};

/// A group of two ranks that only notes its sums.
class NotedGroup final : public distributed::DeviceAllreduce {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 2; }
  void sum(std::span<double> /*numbers*/) override {}
  void sum_on_device(double* numbers, std::size_t count,
                     void* stream) override {
    note(numbers, count, stream);
  }
  void sum_on_device(float* numbers, std::size_t count, void* stream) override {
    note(numbers, count, stream);
  }
  void wait(void* /*stream*/) override {}

  struct Sum {
    const void* numbers;
    std::size_t count;
    const void* stream;
  };
  std::vector<Sum> sums;

 private:
  void note(const void* numbers, std::size_t count, const void* stream) {
    if (count > 0) sums.push_back({numbers, count, stream});
  }
};

constexpr Index kBytesOfOneLayer = 30 * sizeof(double);

TEST_SUITE("cuda/nccl/layer_sums") {
  TEST_CASE("sums the gradient and the tail over one to four ranks") {
    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      for (const Index bytes : {Index{0}, kBytesOfOneLayer}) {
        const auto outcomes =
            with_nccl_ranks(num_ranks, {}, [&](NcclAllreduce& group) {
              Evaluation<double> evaluation(group.rank());
              LayerSums<double> sums(group, network(), bytes);
              evaluation.run(sums, evaluation.numbers.data());
              group.wait(evaluation.stream.get());
              if (!evaluation.is_summed(0, num_ranks)) throw Error("wrong sum");
            });
        CHECK(distributed::sentences(outcomes) == "");
      }
    }
  }

  TEST_CASE("sums a gradient of floats with a tail of doubles elsewhere") {
    const auto outcomes = with_nccl_ranks(3, {}, [&](NcclAllreduce& group) {
      Evaluation<float> evaluation(group.rank());
      DeviceArray<double> tail(2);
      tail.upload(std::vector<double>{1.0, group.rank() == 1 ? 1.0 : 0.0},
                  evaluation.stream);
      LayerSums<float> sums(group, network(), kBytesOfOneLayer / 2);
      evaluation.run(sums, tail.data());
      group.wait(evaluation.stream.get());
      if (!evaluation.is_summed(2, 3)) throw Error("wrong sum");
      if (tail.download(evaluation.stream) != std::vector<double>{3.0, 1.0}) {
        throw Error("wrong tail");
      }
    });

    CHECK(distributed::sentences(outcomes) == "");
  }

  TEST_CASE("gives the same bits for every order of the streams") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      cuda_host::execution_settings().order_seed = seed;
      const auto outcomes = with_nccl_ranks(2, {}, [&](NcclAllreduce& group) {
        Evaluation<double> evaluation(group.rank());
        LayerSums<double> sums(group, network(), kBytesOfOneLayer);
        for (int i = 0; i < 3; ++i) {
          evaluation.run(sums, evaluation.numbers.data());
        }
        group.wait(evaluation.stream.get());
        if (!evaluation.is_summed(0, 2)) throw Error("wrong sum");
      });
      CHECK(distributed::sentences(outcomes) == "");
    }
    cuda_host::execution_settings().order_seed = 0;
  }

  TEST_CASE("adds the sum of a layer before the next layer is added") {
    NotedGroup group;
    Evaluation<double> evaluation(0);
    LayerSums<double> sums(group, network(), kBytesOfOneLayer);
    const auto on_layer = sums.begin(evaluation.stream, evaluation.gradient());
    std::vector<std::size_t> num_sums;

    for (Index layer = 2; layer >= 0; --layer) {
      evaluation.add_layer(layer);
      on_layer(layer);
      num_sums.push_back(group.sums.size());
    }
    sums.finish(evaluation.numbers.data(), 2);

    std::size_t num_summed = 0;
    for (const auto& sum : group.sums) num_summed += sum.count;
    CHECK(num_sums[0] > 0);
    CHECK(num_sums[1] > num_sums[0]);
    CHECK(group.sums.size() > num_sums[1]);
    CHECK(num_summed == evaluation.share.size());
    CHECK(group.sums.back().numbers == evaluation.numbers.data());
  }

  TEST_CASE("runs a sum while the stream of the evaluation still has work") {
    const auto outcomes = with_nccl_ranks(2, {}, [&](NcclAllreduce& group) {
      Evaluation<double> evaluation(group.rank());
      LayerSums<double> sums(group, network(), kBytesOfOneLayer);
      const auto on_layer =
          sums.begin(evaluation.stream, evaluation.gradient());
      evaluation.add_layer(2);
      on_layer(2);
      // The next layer takes until the number after the first sum is there.
      cuda_host::enqueue_attempt(evaluation.stream.get(), [&] {
        const cuda_host::DeviceAccess access;
        const Index last = network().num_weights() - 1;
        return evaluation.gradient()[last] ==
               3.0 * evaluation.share[static_cast<std::size_t>(last) + 2] /
                   (group.rank() + 1);
      });
      evaluation.add_layer(1);
      on_layer(1);
      evaluation.add_layer(0);
      evaluation.upload(0, 2);
      sums.finish(evaluation.numbers.data(), 2);
      group.wait(evaluation.stream.get());
      if (!evaluation.is_summed(0, 2)) throw Error("wrong sum");
    });

    CHECK(distributed::sentences(outcomes) == "");
  }

  TEST_CASE("joins all layers and the tail of a small network in one sum") {
    NotedGroup group;
    Evaluation<double> evaluation(0);
    LayerSums<double> sums(group, network());

    evaluation.run(sums, evaluation.numbers.data());

    CHECK(group.sums.size() == 1);
    CHECK(group.sums.front().count ==
          static_cast<std::size_t>(evaluation.numbers.size()));
    CHECK(group.sums.front().stream != evaluation.stream.get());
  }

  TEST_CASE("is repeated by a graph") {
    const auto outcomes = with_nccl_ranks(2, {}, [&](NcclAllreduce& group) {
      Evaluation<double> evaluation(group.rank());
      evaluation.numbers.upload(evaluation.share, evaluation.stream);
      evaluation.stream.synchronize();
      LayerSums<double> sums(group, network(), kBytesOfOneLayer);
      Graph graph;
      graph.capture(evaluation.stream, [&] {
        const auto on_layer =
            sums.begin(evaluation.stream, evaluation.gradient());
        for (Index layer = 2; layer >= 0; --layer) on_layer(layer);
        sums.finish(evaluation.numbers.data(), 2);
      });
      graph.launch(evaluation.stream);
      graph.launch(evaluation.stream);
      group.wait(evaluation.stream.get());
      // The second launch adds two equal sums, 6 times the numbers of rank 0.
      const auto result = evaluation.numbers.download(evaluation.stream);
      if (result.front() != 6.0) throw Error("wrong sum");
    });

    CHECK(distributed::sentences(outcomes) == "");
  }

  TEST_CASE("adds nothing for one rank") {
    distributed::Meeting meeting(1);
    distributed::ThreadRendezvous rendezvous(meeting, 0, 1);
    NcclAllreduce group(NcclFunctions{}, rendezvous, {});
    Evaluation<float> evaluation(0);
    LayerSums<float> sums(group, network());

    CHECK(sums.begin(evaluation.stream, evaluation.gradient()) == nullptr);
  }
}

}  // namespace

}  // namespace mlp::cuda
