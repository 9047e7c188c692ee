// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "../../core/memory/page_release.hpp"
#include "../../mlp/backend/backend.hpp"
#include "aligned_array.hpp"
#include "feature_loan.hpp"

namespace mlp::cpu {

/// The features of all instances of a training, converted once.
///
/// The copy needs memory; if the features are lent, it replaces them. Above
/// kMaxBytes nothing is converted.
template <typename T>
class ConvertedFeatures {
 public:
  ConvertedFeatures() = default;
  ConvertedFeatures(const ConvertedFeatures&) = delete;
  ConvertedFeatures& operator=(const ConvertedFeatures&) = delete;
  ~ConvertedFeatures() { give_back(); }

  /// \param instances  all instances
  void convert(const InstanceRange& instances, std::size_t num_features) {
    give_back();
    const auto size = static_cast<std::size_t>(instances.size);
    if (size == 0 || size > kMaxBytes / sizeof(T) / num_features) return;
    features_ = AlignedArray<T>(size * num_features, Fill::kNothing);
    loan_ = FeatureLoan(instances, num_features);
    for (std::size_t first = 0; first < size; first += kRun) {
      const std::size_t end = std::min(first + kRun, size);
      std::transform(instances.features + first * num_features,
                     instances.features + end * num_features,
                     features_.data() + first * num_features,
                     [](double x) { return static_cast<T>(x); });
      loan_.template release_first<T>(end);
    }
  }

  /// Returns [num_features x instances], or null if nothing is converted.
  [[nodiscard]] const T* data() const { return features_.data(); }

 private:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 32;

  /// Instances that are converted and then released.
  static constexpr std::size_t kRun = 64;

  /// Writes the lent features again, and empties the copy meanwhile: both do not
  /// need memory at the same time.
  void give_back() {
    PageRelease copy(features_.data());
    const std::size_t count = loan_.num_released();
    for (std::size_t first = 0; first < count; first += kRun) {
      const std::size_t end = std::min(first + kRun, count);
      const T* const from =
          features_.data() + (loan_.features(first) - loan_.features(0));
      const T* const last =
          features_.data() + (loan_.features(end) - loan_.features(0));
      std::copy(from, last, loan_.features(first));
      copy.release_first(static_cast<std::size_t>(last - features_.data()) *
                         sizeof(T));
    }
    loan_ = {};
    features_ = {};
  }

  AlignedArray<T> features_;
  FeatureLoan loan_;
};

}  // namespace mlp::cpu
