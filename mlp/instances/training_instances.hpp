// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "feature_store.hpp"

namespace mlp {

/// The labelled data of a fit.
///
/// Kernels copy features in the order of their arithmetic. If a fit owns the data,
/// the copy replaces the rows, which halves the memory; rows() then reads from the
/// copy. A float32 copy is rounded. Data of the caller are never changed.
class TrainingInstances {
 public:
  /// Takes data. A fit may replace their features by a copy. Borrowed features stay
  /// the caller's.
  explicit TrainingInstances(datasets::Dataset&& data)
      : own_(std::move(data)), data_(&*own_) {
    if (own_->stored) {
      store_.emplace(own_->stored);
    } else if (own_->borrowed.data == nullptr) {
      store_.emplace(own_->features);
    }
    num_instances_ = data_->num_instances();
  }

  /// Reads data of the caller.
  ///
  /// \param data  must outlive the result, unchanged
  [[nodiscard]] static TrainingInstances view(const datasets::Dataset& data) {
    return TrainingInstances(&data);
  }

  TrainingInstances(const TrainingInstances&) = delete;
  TrainingInstances& operator=(const TrainingInstances&) = delete;

  /// The labels, weights, names and origin. Its features may be in another form, and
  /// its num_instances() is then 0.
  [[nodiscard]] const datasets::Dataset& data() const { return *data_; }

  [[nodiscard]] Index num_instances() const { return num_instances_; }

  /// Returns the features of some instances: in place, or copied to a buffer.
  ///
  /// \param[in,out] buffer  for the copy; its size may change
  /// \return [num_features x count], valid until the next fit or use of the buffer
  [[nodiscard]] Eigen::Map<const Matrix> rows(Index first, Index count,
                                              Matrix& buffer) const {
    return store_ ? store_->rows(first, count, buffer)
                  : data_->rows(first, count, buffer);
  }

  /// The features, if the fit owns them or they are stored; otherwise null.
  [[nodiscard]] FeatureStore* store() { return store_ ? &*store_ : nullptr; }

 private:
  explicit TrainingInstances(const datasets::Dataset* data)
      : data_(data), num_instances_(data->num_instances()) {
    if (data->stored) store_.emplace(data->stored);
  }

  std::optional<datasets::Dataset> own_;
  const datasets::Dataset* data_;
  Index num_instances_ = 0;
  std::optional<FeatureStore> store_;
};

}  // namespace mlp
