// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Writes a line for each result of each instruction set of this processor: the
// set, what was computed, and a hash of its bits. compare_kernel_bits.py compares
// the lines of real and emulated processors.

#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>

#include "../../core/spark_random.hpp"
#include "../../cpu/cpu_backend.hpp"
#include "../mlp/backend/slice_evaluators.hpp"
#include "../mlp/evaluation.hpp"
#include "random_networks.hpp"

namespace mlp {
namespace {

using testing::RandomInstances;

constexpr int kNumNetworks = 24;
constexpr Index kNumInstances = 90;

/// Hashes bytes by FNV-1a (Fowler, Noll and Vo), 64 bits.
class Hash {
 public:
  template <class Numbers>
  void add(const Numbers& numbers) {
    const std::string_view bytes(
        reinterpret_cast<const char*>(numbers.data()),
        static_cast<std::size_t>(numbers.size()) * sizeof(*numbers.data()));
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * kPrime;
    }
  }

  friend std::ostream& operator<<(std::ostream& to, const Hash& hash) {
    return to << std::hex << std::setw(16) << std::setfill('0') << hash.value_
              << std::dec;
  }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t value_ = 0xcbf29ce484222325;
};

Hash hash_gradient(const Backend& backend, const Topology& topology,
                   Precision precision, const RandomInstances& instances) {
  const testing::Evaluation result = testing::evaluate_slice(
      backend, topology, precision, instances.range(),
      testing::draw_weights(topology, 3), Vector::Zero(topology.num_weights()));
  Hash hash;
  hash.add(Vector::Constant(1, result.value).eval());
  hash.add(result.gradient);
  return hash;
}

Hash hash_scores(const Backend& backend, const Topology& topology,
                 Precision precision, const RandomInstances& instances) {
  const Vector weights = testing::draw_weights(topology, 3);
  const auto plan = backend.make_plan(topology, weights.data(), precision);
  Matrix raw(topology.num_classes(), kNumInstances);
  plan->compute_raw(instances.features.data(), kNumInstances, raw.data());
  Hash hash;
  hash.add(raw);
  return hash;
}

template <typename Number>
Hash hash_step(const Backend& backend, const Topology& topology,
               const RandomInstances& instances) {
  const auto result =
      testing::step<Number>(backend, topology, instances, kNumInstances);
  Hash hash;
  hash.add(result.gradient);
  hash.add(result.statistics);
  return hash;
}

void write_network(const Backend& backend, int draw) {
  const int max_width = draw % 2 == 0 ? 16 : 70;
  SparkRandom random(draw);
  const Topology topology = testing::draw_topology(random, false, max_width);
  const RandomInstances instances =
      testing::draw_instances(topology, kNumInstances);
  const auto write = [&](std::string_view what, const Hash& hash) {
    std::cout << backend.name() << '\t' << "network " << draw << ", " << what
              << '\t' << hash << '\n';
  };
  for (const Precision precision : {Precision::kFloat64, Precision::kFloat32}) {
    const std::string name(precision_name(precision));
    write("gradient in " + name,
          hash_gradient(backend, topology, precision, instances));
    write("scores in " + name,
          hash_scores(backend, topology, precision, instances));
  }
  SparkRandom trained(draw);
  const Topology training = testing::draw_topology(trained, true, max_width);
  const RandomInstances batch =
      testing::draw_instances(training, kNumInstances);
  write("mini-batch in float64", hash_step<double>(backend, training, batch));
  write("mini-batch in float32", hash_step<float>(backend, training, batch));
}

}  // namespace
}  // namespace mlp

int main() {
  for (const mlp::Backend* backend : mlp::cpu::usable_backends()) {
    for (int draw = 0; draw < mlp::kNumNetworks; ++draw) {
      mlp::write_network(*backend, draw);
    }
  }
}
