// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <set>

namespace mlp::distributed {

/// The order in which ranks send the numbers of a sum.
enum class SumOrder {
  kRing,     ///< 2 (n - 1) steps, each with an n-th of the numbers
  kHalving,  ///< about 2 log2 n steps, with half, a quarter, ... of the numbers
};

/// The steps of one rank in a sum over all ranks: in each step it sends a range
/// of its numbers, and receives one that it adds or takes. A range travels in
/// segments, so that two can be in transfer while one is added.
///
/// In the ring each rank sends the range that it received last to the rank on
/// its left (rank - 1). With halving, two ranks that differ in one bit exchange
/// halves of their range, for each bit, and then send the sums back in the opposite
/// order. If the number of ranks is no power of two, only as many ranks as the largest
/// power of two below it do that. Each of the others first sends all its numbers to one
/// of them, and receives the sums from it in the end.
///
/// Each number is added in an order that depends only on the number of ranks and
/// its place. One rank computes a sum, and all others get a copy of it.
///
/// \source Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms
///         for clusters of workstations", section 3: the ring
/// \source Rabenseifner 2004, "Optimization of collective reduction operations",
///         section 2: halving
class SumSteps {
 public:
  /// The largest size of a message.
  static constexpr std::size_t kSegmentBytes = std::size_t{1} << 19;

  /// A range of the numbers.
  struct Range {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  /// What a rank sends and receives at the same time. A rank of -1 is nobody.
  struct Step {
    int to = -1;
    Range sent;
    int from = -1;
    Range received;
    bool is_added = false;  ///< else the numbers are taken as they are
  };

  SumSteps() = default;

  /// \pre num_ranks >= 2, 0 <= rank < num_ranks
  SumSteps(SumOrder order, std::size_t size, int rank, int num_ranks)
      : order_(order), size_(size), rank_(rank), num_ranks_(num_ranks) {}

  [[nodiscard]] SumOrder order() const { return order_; }

  /// The number of steps, which is equal on all ranks.
  [[nodiscard]] int num_steps() const {
    if (order_ == SumOrder::kRing) return 2 * (num_ranks_ - 1);
    return 2 * num_bits() + (num_others() > 0 ? 2 : 0);
  }

  /// Returns step i. A rank that takes no part in it sends and receives nothing.
  [[nodiscard]] Step step(int i) const {
    return order_ == SumOrder::kRing ? ring_step(i) : halving_step(i);
  }

  /// Returns the number of messages in which a range travels. A range of no
  /// numbers has one of no bytes, which shows that the rank takes part.
  [[nodiscard]] static std::size_t num_segments(Range range,
                                                std::size_t number_bytes) {
    // A range that is not short is cut, so that additions overlap transfers.
    constexpr std::size_t kWholeRangeBytes = std::size_t{1} << 16;
    const std::size_t bytes = range.size * number_bytes;
    const std::size_t least = bytes > kWholeRangeBytes ? 2 : 1;
    const std::size_t capacity = kSegmentBytes / number_bytes;
    return std::max(least, (range.size + capacity - 1) / capacity);
  }

  /// Returns part i of n parts, which differ by at most one number.
  [[nodiscard]] static Range part(Range whole, std::size_t i, std::size_t n) {
    const std::size_t least = whole.size / n;
    const std::size_t longer = whole.size % n;
    return {whole.begin + i * least + std::min(i, longer),
            least + (i < longer ? 1 : 0)};
  }

  /// True if a rank waits for nobody before it sends its first message, and
  /// sends it in this step to this rank. Then no message means that it has not
  /// begun.
  [[nodiscard]] bool is_first_of(int other, int i) const {
    const SumSteps steps(order_, size_, other, num_ranks_);
    for (int k = 0; k < i; ++k) {
      const Step before = steps.step(k);
      if (before.to >= 0 || before.from >= 0) return false;
    }
    return steps.step(i).to == rank_;
  }

  /// Returns the ranks with which a rank exchanges numbers in any order: at most
  /// log2 n + 3 of them.
  [[nodiscard]] static std::set<int> partners(int rank, int num_ranks) {
    std::set<int> found;
    for (const SumOrder order : {SumOrder::kRing, SumOrder::kHalving}) {
      const SumSteps steps(order, 0, rank, num_ranks);
      for (int i = 0; i < steps.num_steps(); ++i) {
        const Step step = steps.step(i);
        if (step.to >= 0) found.insert(step.to);
        if (step.from >= 0) found.insert(step.from);
      }
    }
    return found;
  }

 private:
  /// log2 of the largest power of two that is at most the number of ranks.
  [[nodiscard]] int num_bits() const {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(num_ranks_))) -
           1;
  }

  /// The number of ranks beyond that power of two.
  [[nodiscard]] int num_others() const {
    return num_ranks_ - (1 << num_bits());
  }

  [[nodiscard]] Step ring_step(int i) const {
    const int right = (rank_ + 1) % num_ranks_;
    const auto chunk = [&](int of) {
      return part({0, size_},
                  static_cast<std::size_t>((of + 1 + i) % num_ranks_),
                  static_cast<std::size_t>(num_ranks_));
    };
    return {(rank_ + num_ranks_ - 1) % num_ranks_, chunk(rank_), right,
            chunk(right), i < num_ranks_ - 1};
  }

  [[nodiscard]] Step halving_step(int i) const {
    const int base = 1 << num_bits();
    const Range all{0, size_};
    if (num_others() > 0) {
      const bool is_first = i == 0;
      if (is_first || i == num_steps() - 1) {
        const int other = rank_ >= base ? rank_ - base : rank_ + base;
        if (other >= num_ranks_) return {};
        // The first step leads to the power of two, the last one away from it.
        if ((rank_ >= base) == is_first) return {other, all, -1, {}, false};
        return {-1, {}, other, all, is_first};
      }
      if (rank_ >= base) return {};
      --i;
    }
    const bool is_added = i < num_bits();
    const int bit = is_added ? i : 2 * num_bits() - 1 - i;
    const Range before = range_after(bit);
    const std::size_t side = (rank_ >> bit) & 1 ? 1 : 0;
    const Range own = part(before, side, 2);
    const Range others = part(before, 1 - side, 2);
    const int partner = rank_ ^ (1 << bit);
    return is_added ? Step{partner, others, partner, own, true}
                    : Step{partner, own, partner, others, false};
  }

  /// The range that this rank adds after the halvings of some bits.
  [[nodiscard]] Range range_after(int bits) const {
    Range range{0, size_};
    for (int bit = 0; bit < bits; ++bit) {
      range = part(range, (rank_ >> bit) & 1 ? 1 : 0, 2);
    }
    return range;
  }

  SumOrder order_ = SumOrder::kRing;
  std::size_t size_ = 0;
  int rank_ = 0;
  int num_ranks_ = 2;
};

/// The stated time of a step of a sum without its numbers: a message, and the
/// wake-up of a thread.
inline constexpr double kStepSeconds = 150e-6;

/// The stated rate of a link in each direction, 94.1 % of 10 Gb/s.
inline constexpr double kLinkBytesPerSecond = 1.177e9;

/// Returns the seconds that a sum takes on such a network.
///
/// \param step_seconds  see kStepSeconds
inline double predict_sum_seconds(SumOrder order, int num_ranks,
                                  std::size_t num_bytes, double step_seconds) {
  const double whole = static_cast<double>(num_bytes) / kLinkBytesPerSecond;
  const auto exchange = [&](int n) { return 2.0 * (n - 1) / n * whole; };
  if (order == SumOrder::kRing) {
    return 2.0 * (num_ranks - 1) * step_seconds + exchange(num_ranks);
  }
  const auto base =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(num_ranks)));
  const auto num_bits =
      static_cast<int>(std::bit_width(static_cast<unsigned>(base))) - 1;
  const double others = base == num_ranks ? 0.0 : 2.0 * (step_seconds + whole);
  return 2.0 * num_bits * step_seconds + exchange(base) + others;
}

/// Chooses the order of a sum: halving if it is predicted to be at least a tenth
/// faster than the ring, whose ranks send to one neighbour only.
inline SumOrder choose_order(int num_ranks, std::size_t num_bytes,
                             double step_seconds) {
  constexpr double kLeastGain = 0.9;
  const auto seconds = [&](SumOrder order) {
    return predict_sum_seconds(order, num_ranks, num_bytes, step_seconds);
  };
  return seconds(SumOrder::kHalving) < kLeastGain * seconds(SumOrder::kRing)
             ? SumOrder::kHalving
             : SumOrder::kRing;
}

}  // namespace mlp::distributed
