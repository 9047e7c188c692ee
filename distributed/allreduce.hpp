// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../core/types.hpp"
#include "rendezvous/rendezvous.hpp"

namespace mlp::distributed {

/// Numbers of 16 bits for the way between ranks: 11 significant bits up to
/// 65,504, or 8 with the range of a float.
using Float16 = Eigen::half;
using Bfloat16 = Eigen::bfloat16;

/// The hook between a training and whatever carries numbers between its workers:
/// each worker holds a rank of its own and one object of this kind.
///
/// An embedder overrides rank(), world_size() and the first sum(); the rest has
/// defaults that are made of it. Every rank makes the same calls in the same
/// order, from one thread at a time.
///
/// A call returns the same bits on all ranks, or throws. After it threw, every
/// later call of the group does too: what was lost cannot be resumed, only begun
/// anew with a new group.
class Allreduce : public Rendezvous {
 public:
  /// Adds each number over all ranks, in place.
  ///
  /// The order of the additions depends on world_size() and the number of the
  /// numbers alone, so that a run has the same bits each time.
  ///
  /// \param[in,out] numbers  this rank's, then the sums; equally many everywhere
  /// \throws CommunicationError where a rank is lost or too late
  virtual void sum(std::span<double> numbers) = 0;

  /// Adds in single precision; by default in double precision and rounded once.
  virtual void sum(std::span<float> numbers) { sum_in_double(numbers); }

  /// Adds halves; an implementation may round after each addition.
  virtual void sum(std::span<Float16> numbers) { sum_in_double(numbers); }
  virtual void sum(std::span<Bfloat16> numbers) { sum_in_double(numbers); }

  /// Gives every rank the texts of all, for what is exchanged once; by default
  /// sum() carries it, a byte in a double.
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override;

  /// Tells what the next calls are for: what watches a group names it in its
  /// messages.
  ///
  /// \param phase   lives as long as the group, such as "evaluation"
  /// \param number  which of them, from 1 on
  virtual void announce(const char* phase, std::int64_t number) {
    static_cast<void>(phase);
    static_cast<void>(number);
  }

  /// The ranks that the call in progress waits for, as far as the carrier knows.
  /// Any thread may ask.
  [[nodiscard]] virtual std::vector<int> missing_ranks() const { return {}; }

  /// Ends the group: ranks that wait, and those that come later, get an error
  /// with this sentence at once, as far as the carrier can. Any thread may call
  /// it, more than once.
  virtual void cancel(const std::string& sentence) noexcept {
    static_cast<void>(sentence);
  }

 private:
  template <typename Number>
  void sum_in_double(std::span<Number> numbers) {
    std::vector<double> wide(numbers.size());
    std::transform(numbers.begin(), numbers.end(), wide.begin(), [](Number x) {
      return static_cast<double>(static_cast<float>(x));
    });
    sum(std::span<double>(wide));
    std::transform(wide.begin(), wide.end(), numbers.begin(), [](double x) {
      return static_cast<Number>(static_cast<float>(x));
    });
  }
};

inline std::vector<std::string> Allreduce::all_gather(const std::string& text) {
  const auto num_ranks = static_cast<std::size_t>(world_size());
  const auto own = static_cast<std::size_t>(rank());
  std::vector<double> sizes(num_ranks, 0.0);
  sizes[own] = static_cast<double>(text.size());
  sum(std::span<double>(sizes));
  std::vector<std::size_t> begins{0};
  for (const double size : sizes) {
    begins.push_back(begins.back() + static_cast<std::size_t>(size));
  }
  std::vector<double> bytes(begins.back(), 0.0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    bytes[begins[own] + i] =
        static_cast<double>(static_cast<unsigned char>(text[i]));
  }
  if (!bytes.empty()) sum(std::span<double>(bytes));
  std::vector<std::string> texts(num_ranks);
  for (std::size_t r = 0; r < num_ranks; ++r) {
    for (std::size_t i = begins[r]; i < begins[r + 1]; ++i) {
      texts[r] += static_cast<char>(static_cast<unsigned char>(bytes[i]));
    }
  }
  return texts;
}

}  // namespace mlp::distributed
