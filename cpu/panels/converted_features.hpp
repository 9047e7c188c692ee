// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "../../mlp/instances/feature_store.hpp"
#include "../../mlp/instances/instance_range.hpp"
#include "../base/aligned_array.hpp"

namespace mlp::cpu {

/// The features of all instances of a training, converted once.
template <typename T>
class ConvertedFeatures final : public PackedFeatures {
 public:
  /// Converts the features; they replace those that a training owns.
  ///
  /// \param instances  all instances
  /// \return null if they should not be copied: InstanceRange::may_be_copied()
  [[nodiscard]] static std::shared_ptr<const ConvertedFeatures> convert(
      const InstanceRange& instances, std::size_t num_features) {
    const auto size = static_cast<std::size_t>(instances.size);
    if (!instances.may_be_copied(static_cast<double>(size) *
                                 static_cast<double>(num_features) *
                                 sizeof(T))) {
      return {};
    }
    const auto converted =
        std::make_shared<ConvertedFeatures>(size, num_features);
    pack_slices(
        instances, kSlice,
        [&](const InstanceRange& all, Index first, Index count) {
          const double* const from = all.features + converted->offset(first);
          std::transform(from, from + converted->offset(count),
                         converted->features_.data() + converted->offset(first),
                         [](double x) { return static_cast<T>(x); });
        });
    if (instances.may_replace_rows()) instances.store->replace_rows(converted);
    return converted;
  }

  /// \param size  number of instances; their features are unspecified
  ConvertedFeatures(std::size_t size, std::size_t num_features)
      : num_features_(num_features),
        features_(size * num_features, Fill::kNothing) {}

  /// Returns [num_features x instances].
  [[nodiscard]] const T* data() const { return features_.data(); }

  void read(Index first, Index count, double* features) const override {
    std::copy_n(data() + offset(first), offset(count), features);
  }

 private:
  /// Instances that are converted before their rows are freed.
  static constexpr Index kSlice = 64;

  [[nodiscard]] std::size_t offset(Index instance) const {
    return static_cast<std::size_t>(instance) * num_features_;
  }

  std::size_t num_features_;
  AlignedArray<T> features_;
};

}  // namespace mlp::cpu
