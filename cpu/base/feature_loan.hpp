// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "../../core/memory/page_release.hpp"
#include "../../mlp/backend/backend.hpp"

namespace mlp::cpu {

/// Returns true if numbers are the same after they were converted to T and back.
template <typename T>
[[nodiscard]] bool keeps_numbers([[maybe_unused]] const double* numbers,
                                 [[maybe_unused]] std::size_t count) {
  if constexpr (std::is_same_v<T, double>) return true;
  std::size_t num_rounded = 0;  // without a branch, so that vectors compare
  for (std::size_t i = 0; i < count; ++i) {
    num_rounded +=
        static_cast<double>(static_cast<T>(numbers[i])) != numbers[i] ? 1 : 0;
  }
  return num_rounded == 0;
}

/// The features that the caller of bind() lends: their pages go back to the
/// system while an evaluator has a copy of them. Who holds the copy must write
/// them again.
class FeatureLoan {
 public:
  /// Nothing is lent.
  FeatureLoan() = default;

  /// \param instances  lent or not
  FeatureLoan(const InstanceRange& instances, std::size_t num_features)
      : features_(instances.lent_features),
        num_features_(num_features),
        may_round_(instances.may_round_lent_features),
        pages_(features_) {}

  /// Releases instances that were copied as numbers of type T. Instances that T
  /// would round stay, and so do all that follow, unless they may be rounded.
  ///
  /// \param count  number of instances, from the first one; not less than before
  template <typename T>
  void release_first(std::size_t count) {
    if (features_ == nullptr || is_over_) return;
    const std::size_t end = count * num_features_;
    is_over_ = !may_round_ &&
               !keeps_numbers<T>(features_ + num_copied_, end - num_copied_);
    if (is_over_) return;
    num_copied_ = end;
    pages_.release_first(end * sizeof(double));
  }

  /// The number of instances, from the first one, that must be written again. If they
  /// may be rounded, all are: the same for every place of the pages in memory.
  [[nodiscard]] std::size_t num_released() const {
    if (num_features_ == 0) return 0;
    if (may_round_) return num_copied_ / num_features_;
    const std::size_t bytes = num_features_ * sizeof(double);
    return (pages_.end() + bytes - 1) / bytes;
  }

  /// The features of an instance that must be written again.
  [[nodiscard]] double* features(std::size_t instance) const {
    return features_ + instance * num_features_;
  }

 private:
  double* features_ = nullptr;  // [num_features x instances]
  std::size_t num_features_ = 0;
  bool may_round_ = false;
  PageRelease pages_;
  std::size_t num_copied_ = 0;  // numbers
  bool is_over_ = false;
};

}  // namespace mlp::cpu
