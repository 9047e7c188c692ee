// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../optim/objective.hpp"
#include "../network/dropout.hpp"

namespace mlp {

/// Whether each rank succeeded in one step, as a few numbers that are summed with
/// the gradient. A rank that fails or stops still takes part in the sum, so that
/// the others learn of it instead of waiting.
class RankStatus {
 public:
  /// How many numbers write() makes.
  static constexpr std::size_t kSize = 5;

  /// \param weight   of the instances of this rank
  /// \param weights  of the network, the same on all ranks   [num_weights]
  template <typename VectorLike>
  RankStatus(double weight, const VectorLike& weights)
      : weight_(weight), digest_(digest(weights)) {}

  /// Does this rank's work, and keeps the exception that it throws for check().
  template <typename Work>
  void run(const Work& work) {
    try {
      if (!has_failed()) work();
    } catch (const optim::Interrupted&) {
      is_interrupted_ = true;
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// True if the work threw.
  [[nodiscard]] bool has_failed() const { return is_interrupted_ || failure_; }

  /// Asks all ranks to try again.
  void set_misfit(bool is_misfit) { is_misfit_ = is_misfit; }

  /// Writes what is summed over the ranks   [kSize]
  void write(std::span<double> numbers) const {
    numbers[kWeight] = weight_;
    numbers[kInterrupted] = is_interrupted_ ? 1.0 : 0.0;
    numbers[kFailed] = failure_ ? 1.0 : 0.0;
    numbers[kMisfit] = is_misfit_ ? 1.0 : 0.0;
    numbers[kDigest] = digest_;
  }

  /// Checks the sums over all ranks.
  ///
  /// \param sums  [kSize]
  /// \param step  for messages
  /// \throws what this rank's own work threw; optim::Interrupted if any rank
  ///         stops; CommunicationError if another rank failed, or its weights
  ///         differ
  void check(std::span<const double> sums, distributed::Allreduce& allreduce,
             std::int64_t step) const {
    if (sums[kFailed] > 0.0) refuse_failure(allreduce, step);
    if (sums[kInterrupted] > 0.0) throw optim::Interrupted();
    if (sums[kDigest] == digest_ * allreduce.world_size()) return;
    throw CommunicationError(
        "the weights of the ranks must be the same in step " +
        std::to_string(step) +
        "; they differ; run the same program on machines that compute the same "
        "bits");
  }

  /// The weight of the instances of all ranks.
  [[nodiscard]] static double total_weight(std::span<const double> sums) {
    return sums[kWeight];
  }

  /// True if any rank asked to try again.
  [[nodiscard]] static bool has_misfit(std::span<const double> sums) {
    return sums[kMisfit] > 0.0;
  }

 private:
  enum Place : std::size_t { kWeight, kInterrupted, kFailed, kMisfit, kDigest };

  /// 32 bits of a hash, so that their sum is exact.
  template <typename VectorLike>
  static double digest(const VectorLike& weights) {
    using Number = typename VectorLike::Scalar;
    using Bits =
        std::conditional_t<sizeof(Number) == 8, std::uint64_t, std::uint32_t>;
    std::uint64_t sum = 0;
    std::uint64_t factor = 1;
    for (Index i = 0; i < weights.size(); ++i, factor += 2) {
      sum += std::bit_cast<Bits>(weights[i]) * factor;
    }
    return static_cast<double>(DropoutMask::mix(sum) >> 32);
  }

  /// Every rank calls it, those that failed too: they say why.
  [[noreturn]] void refuse_failure(distributed::Allreduce& allreduce,
                                   std::int64_t step) const {
    const std::vector<std::string> sentences =
        allreduce.all_gather(failure_sentence());
    if (failure_) std::rethrow_exception(failure_);
    int rank = 0;
    while (sentences[static_cast<std::size_t>(rank)].empty()) ++rank;
    throw CommunicationError(rank,
                             "failed in step " + std::to_string(step) + ": " +
                                 sentences[static_cast<std::size_t>(rank)]);
  }

  [[nodiscard]] std::string failure_sentence() const {
    if (!failure_) return "";
    try {
      std::rethrow_exception(failure_);
    } catch (const std::exception& error) {
      return std::string(error.what()).empty() ? "(no reason)" : error.what();
    } catch (...) {
      return "(no reason)";
    }
  }

  double weight_;
  double digest_;
  bool is_interrupted_ = false;
  bool is_misfit_ = false;
  std::exception_ptr failure_;
};

}  // namespace mlp
