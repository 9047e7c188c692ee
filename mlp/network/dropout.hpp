// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../../core/index.hpp"

namespace mlp {

/// Computes which units of a layer dropout removes in one step.
///
/// The other units are multiplied by 1 / (1 - rate), so that the expected sum
/// is unchanged. A hash of the instance and the unit decides, not a random
/// stream: the result does not depend on threads or on the order of calls, and
/// needs no memory.
///
/// \source Srivastava et al. 2014, Dropout, 10 (the inverted form); Steele, Lea
///         and Flood 2014, Fast Splittable Pseudorandom Number Generators, 5
///         (the hash, SplitMix64)
class DropoutMask {
 public:
  /// \param seed   the seed of the step
  /// \param layer  0-based
  /// \param rate   the share of the units to remove, in [0, 1)
  constexpr DropoutMask(std::uint64_t seed, Index layer, double rate)
      : key_(mix(seed + kStep * (static_cast<std::uint64_t>(layer) + 1))),
        threshold_(static_cast<std::uint64_t>(rate * 0x1.0p53)),
        scale_(1.0 / (1.0 - rate)) {}

  /// Returns 0 for a unit that is removed, else 1 / (1 - rate).
  ///
  /// \param instance  position in the mini-batch
  [[nodiscard]] constexpr double factor(Index instance, Index unit) const {
    const std::uint64_t place = (static_cast<std::uint64_t>(instance) << 32) +
                                static_cast<std::uint64_t>(unit);
    const bool is_kept = mix(key_ + kStep * place) >> 11 >= threshold_;
    return is_kept ? scale_ : 0.0;
  }

  /// Computes a hash of a number.
  [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

  std::uint64_t key_;
  std::uint64_t threshold_;
  double scale_;
};

}  // namespace mlp
