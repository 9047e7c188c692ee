// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "../core/types.hpp"
#include "rendezvous/rendezvous.hpp"

/// Sums over all ranks: the interface between training and a transport.
namespace mlp::distributed {

class DeviceAllreduce;

/// 16-bit numbers for communication. Float16 has 11 significant bits and values
/// up to 65,504; Bfloat16 has 8 significant bits and the range of a float.
using Float16 = Eigen::half;
using Bfloat16 = Eigen::bfloat16;

/// A group of ranks that can sum numbers over all its ranks.
///
/// Each worker has its own rank and one object of this class. To use another
/// transport, override rank(), world_size() and sum() of doubles; the other
/// functions have defaults based on them. Every rank makes the same calls in
/// the same order, from one thread at a time.
///
/// A call returns the same bits on all ranks or throws. After it has thrown,
/// every later call of the group throws too. The group cannot be repaired;
/// create a new one.
class Allreduce : public Rendezvous {
 public:
  /// Adds each number over all ranks, in place.
  ///
  /// The order of the additions depends only on world_size() and the count of
  /// numbers, so that repeated runs give the same bits.
  ///
  /// \param[in,out] numbers  this rank's numbers, then the sums; the count must
  ///                         be equal on all ranks
  /// \throws CommunicationError if a rank is lost or too late
  virtual void sum(std::span<double> numbers) = 0;

  /// Adds floats. The default adds in double precision and rounds once.
  virtual void sum(std::span<float> numbers) { sum_in_double(numbers); }

  /// Adds 16-bit numbers. An implementation may round after each addition.
  virtual void sum(std::span<Float16> numbers) { sum_in_double(numbers); }
  virtual void sum(std::span<Bfloat16> numbers) { sum_in_double(numbers); }

  /// Returns the texts of all ranks, in the order of the ranks. It is meant for
  /// rare exchanges: the default calls sum() with one double for each 6 bytes.
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override;

  /// Announces the purpose of the next calls, for use in messages.
  ///
  /// \param phase   the name of the phase, such as "evaluation"; must outlive
  ///                the group
  /// \param number  the number of the step or evaluation, counted from 1
  virtual void announce(const char* phase, std::int64_t number) {
    static_cast<void>(phase);
    static_cast<void>(number);
  }

  /// Returns the ranks that the current call waits for, as far as the transport
  /// knows them. Any thread may call it.
  [[nodiscard]] virtual std::vector<int> missing_ranks() const { return {}; }

  /// Returns the same group if it can also sum numbers in the memory of a
  /// device; otherwise null.
  [[nodiscard]] virtual DeviceAllreduce* on_device() { return nullptr; }

  /// Ends the group. Calls that wait and later calls throw an error with this
  /// sentence at once, as far as the transport can. Any thread may call it,
  /// also several times.
  virtual void cancel(const std::string& sentence) noexcept {
    static_cast<void>(sentence);
  }

  /// Ends the group because this rank failed. Without memory for the whole
  /// sentence the others are told less.
  void leave(const std::exception& error) noexcept {
    try {
      cancel(std::string("left: ") + error.what());
    } catch (...) {
      cancel("left");
    }
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
  // A double holds every integer of 6 bytes, and sums with zeros are exact.
  constexpr std::size_t kBytes = 6;
  const auto num_ranks = static_cast<std::size_t>(world_size());
  const auto own = static_cast<std::size_t>(rank());
  std::vector<double> sizes(num_ranks, 0.0);
  sizes[own] = static_cast<double>(text.size());
  sum(std::span<double>(sizes));
  std::vector<std::size_t> begins{0};
  for (const double size : sizes) {
    const auto num_bytes = static_cast<std::size_t>(size);
    begins.push_back(begins.back() + (num_bytes + kBytes - 1) / kBytes);
  }
  std::vector<double> numbers(begins.back(), 0.0);
  for (std::size_t i = 0; i < text.size(); i += kBytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, text.data() + i, std::min(kBytes, text.size() - i));
    numbers[begins[own] + i / kBytes] = static_cast<double>(number);
  }
  if (!numbers.empty()) sum(std::span<double>(numbers));
  std::vector<std::string> texts(num_ranks);
  for (std::size_t r = 0; r < num_ranks; ++r) {
    texts[r].resize(static_cast<std::size_t>(sizes[r]));
    for (std::size_t i = 0; i < texts[r].size(); i += kBytes) {
      const auto number =
          static_cast<std::uint64_t>(numbers[begins[r] + i / kBytes]);
      std::memcpy(texts[r].data() + i, &number,
                  std::min(kBytes, texts[r].size() - i));
    }
  }
  return texts;
}

}  // namespace mlp::distributed
