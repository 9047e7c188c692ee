// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/allreduce.hpp"
#include "../../../mlp/params/param_rules.hpp"
#include "../../../mlp/training/train.hpp"
#include "rings.hpp"

namespace mlp::testing {

/// A group of one rank that is lost at some sum.
class FailingAllreduce final : public distributed::Allreduce {
 public:
  using Allreduce::sum;

  /// \param num_sums  that go well
  explicit FailingAllreduce(int num_sums) : num_left_(num_sums) {}

  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 1; }

  void sum(std::span<double> /*numbers*/) override {
    if (num_left_-- <= 0) throw CommunicationError(1, "is lost");
  }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    return {text};
  }

 private:
  int num_left_;
};

/// A training on a group that is lost at some sum.
struct LostTraining {
  LostTraining(const Params& params, int num_sums,
               const std::string& state = {})
      : allreduce(num_sums) {
    FitOptions options;
    options.distribution.allreduce = &allreduce;
    options.checkpoint.state = state;
    options.checkpoint.write = [this](const std::string& bytes) {
      last_state = bytes;
      ++num_states;
    };
    try {
      result = train(topology_of(params), params, make_rings(60), options);
    } catch (const CommunicationError&) {
      is_lost = true;
    }
  }

  FailingAllreduce allreduce;
  TrainedWeights result;
  std::string last_state;
  int num_states = 0;
  bool is_lost = false;
};

/// Loses a training at each of its sums in turn.
///
/// \param is_equal  is_equal(resumed, whole) is called with the training that
///                  went on from the rescued state, and with one that was not lost
/// \return how many states were rescued
template <typename IsEqual>
int lose_at_each_sum(const Params& params, const IsEqual& is_equal) {
  constexpr int kNever = 1 << 20;
  const LostTraining whole(params, kNever);
  int num_rescued = 0;
  for (int num_sums = 0;; ++num_sums) {
    const LostTraining lost(params, num_sums);
    if (!lost.is_lost) return num_rescued;
    if (lost.num_states == 0) continue;
    ++num_rescued;
    is_equal(LostTraining(params, kNever, lost.last_state).result,
             whole.result);
  }
}

}  // namespace mlp::testing
