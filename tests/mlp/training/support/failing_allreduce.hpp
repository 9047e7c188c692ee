// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../../../core/error.hpp"
#include "../../../../distributed/allreduce.hpp"
#include "../../../../mlp/training/train.hpp"
#include "check_resumed.hpp"
#include "rank_training.hpp"
#include "rings.hpp"

namespace mlp::testing {

/// A rank that loses the others at some sum.
class FailingAllreduce final : public distributed::Allreduce {
 public:
  using Allreduce::sum;

  /// \param group     what the rank is given otherwise; must outlive this object
  /// \param num_sums  that go well
  FailingAllreduce(distributed::Allreduce& group, int num_sums)
      : group_(group), num_left_(num_sums) {}

  [[nodiscard]] int rank() const override { return group_.rank(); }
  [[nodiscard]] int world_size() const override { return group_.world_size(); }

  void sum(std::span<double> numbers) override {
    if (num_left_-- <= 0) throw CommunicationError(1, "is lost");
    group_.sum(numbers);
  }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    return group_.all_gather(text);
  }
  void cancel(const std::string& sentence) noexcept override {
    group_.cancel(sentence);
  }

 private:
  distributed::Allreduce& group_;
  int num_left_;
};

/// A training on two ranks in which rank 0 loses rank 1 at some sum.
struct LostTraining {
  LostTraining(const Params& params, int num_sums,
               const std::string& state = {}) {
    FitOptions options;
    options.checkpoint.state = state;
    std::optional<FailingAllreduce> allreduce;
    const RankTraining training = train_on_ranks(
        params, make_rings(60), {30, 30}, options,
        [&](int rank, Params&, FitOptions& own) {
          if (rank > 0) return;
          own.distribution.allreduce =
              &allreduce.emplace(*own.distribution.allreduce, num_sums);
          own.checkpoint.write = [this](const std::string& bytes) {
            last_state = bytes;
            ++num_states;
          };
        });
    is_lost = training.errors[0] == "rank 1: is lost";
    result = training.results[0];
  }

  TrainedWeights result;
  std::string last_state;
  int num_states = 0;
  bool is_lost = false;
};

/// Loses a training at each of its sums in turn, resumes it from the rescued state,
/// and checks that it ends like one that was not lost.
///
/// \return how many states were rescued
inline int lose_at_each_sum(const Params& params) {
  constexpr int kNever = 1 << 20;
  const LostTraining whole(params, kNever);
  int num_rescued = 0;
  for (int num_sums = 0;; ++num_sums) {
    const LostTraining lost(params, num_sums);
    if (!lost.is_lost) return num_rescued;
    if (lost.num_states == 0) continue;
    ++num_rescued;
    check_resumed(LostTraining(params, kNever, lost.last_state).result,
                  whole.result);
  }
}

}  // namespace mlp::testing
