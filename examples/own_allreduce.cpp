// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Trains on two workers with a custom allreduce. This example connects two
// threads with a barrier; other programs can use any existing connection.
#include <array>
#include <barrier>
#include <iostream>
#include <span>
#include <thread>
#include <vector>

#include "../mlp/mlp.hpp"

namespace {

constexpr int kWorkers = 2;

/// The data that both workers share.
struct Carrier {
  std::barrier<> barrier{kWorkers};
  std::array<std::vector<double>, kWorkers> sent;
};

/// The interface that training calls to exchange numbers.
class OwnAllreduce : public mlp::distributed::Allreduce {
 public:
  using Allreduce::sum;

  OwnAllreduce(Carrier& carrier, int rank) : carrier_(carrier), rank_(rank) {}
  int rank() const override { return rank_; }
  int world_size() const override { return kWorkers; }
  void sum(std::span<double> numbers) override {
    carrier_.sent[static_cast<std::size_t>(rank_)] = {numbers.begin(),
                                                      numbers.end()};
    carrier_.barrier.arrive_and_wait();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = carrier_.sent[0][i] + carrier_.sent[1][i];
    }
    carrier_.barrier.arrive_and_wait();
  }

 private:
  Carrier& carrier_;
  int rank_;
};

/// Trains one worker, which has two of the four instances of XOR.
mlp::Vector train(Carrier& carrier, int rank) {
  mlp::datasets::Dataset data;
  data.features =
      rank == 0 ? mlp::Matrix{{0, 0}, {0, 1}} : mlp::Matrix{{1, 1}, {0, 1}};
  data.labels = rank == 0 ? mlp::Vector{{0, 1}} : mlp::Vector{{1, 0}};
  mlp::Params params;
  params.layers = {2, 5, 2};
  params.seed = 123;
  OwnAllreduce allreduce(carrier, rank);
  mlp::FitOptions options;
  options.distribution.allreduce = &allreduce;
  return mlp::Classifier(params).fit(data, options).model.weights();
}

}  // namespace

int main() {
  Carrier carrier;
  mlp::Vector other;
  std::thread worker([&] { other = train(carrier, 1); });
  const mlp::Vector weights = train(carrier, 0);
  worker.join();
  std::cout << "both workers have the same " << weights.size()
            << " weights: " << (weights == other ? "yes" : "no") << '\n';
  return weights == other ? 0 : 1;
}
