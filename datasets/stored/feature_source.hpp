// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include "../../core/types.hpp"

/// Where features are that a training reads again and again.
namespace mlp::datasets {

/// Features of instances that are copied to memory as they are needed.
///
/// Thread safety: several threads may read at the same time.
class FeatureSource {
 public:
  virtual ~FeatureSource() = default;

  [[nodiscard]] virtual Index num_features() const = 0;
  [[nodiscard]] virtual Index num_instances() const = 0;

  /// Copies the features of some instances.
  ///
  /// \param[out] features  [num_features x count]
  /// \throws ResourceError if a file cannot be read
  virtual void read(Index first, Index count, double* features) const = 0;

  /// Copies the features of some instances, and prepares to copy those that follow: the
  /// caller reads all of them in their order.
  ///
  /// \throws as read()
  virtual void read_on(Index first, Index count, double* features) const {
    read(first, count, features);
  }

  /// True for a file, which is read fastest in its order.
  [[nodiscard]] virtual bool is_file() const { return false; }

  /// Prepares to copy the features of some instances soon.
  virtual void expect(Index /*first*/, Index /*count*/) const {}

  /// Makes a source for as many instances, which write() writes; null for those of the
  /// caller, which are copied nowhere.
  ///
  /// \throws ResourceError if there is no room
  [[nodiscard]] virtual std::shared_ptr<FeatureSource> make_empty(
      Index /*num_instances*/) const {
    return nullptr;
  }

  /// Writes instances over those at a position, or behind the last one.
  ///
  /// \param features  [num_features x count]
  /// \pre made by make_empty(), or a file
  virtual void write(Index /*first*/, const double* /*features*/,
                     Index /*count*/) {}
};

/// Features in memory that the caller owns, such as a mapped file.
struct FeatureView {
  const double* data = nullptr;
  Index num_features = 0;
  Index num_instances = 0;
};

/// Features of the caller, which must outlive this object.
class BorrowedFeatures final : public FeatureSource {
 public:
  explicit BorrowedFeatures(const FeatureView& view) : view_(view) {}

  [[nodiscard]] Index num_features() const override {
    return view_.num_features;
  }
  [[nodiscard]] Index num_instances() const override {
    return view_.num_instances;
  }

  void read(Index first, Index count, double* features) const override {
    std::copy_n(view_.data + first * view_.num_features,
                count * view_.num_features, features);
  }

 private:
  FeatureView view_;
};

}  // namespace mlp::datasets
