// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../datasets/stored/stored_features.hpp"

namespace mlp {

/// Features in the order of a backend's arithmetic.
class PackedFeatures {
 public:
  virtual ~PackedFeatures() = default;

  /// Copies the features of some instances, rounded if they are packed in single
  /// precision.
  ///
  /// \param[out] features  [num_features x count]
  virtual void read(Index first, Index count, double* features) const = 0;
};

/// The features of a training that are not rows of the caller: rows that it owns, the
/// copy of a backend that replaced them, or stored ones. Rows and copy are never in
/// memory at the same time.
///
/// Thread safety: several threads may read at the same time.
class FeatureStore {
 public:
  /// \param rows  [num_features x num_instances]; must outlive this object, which
  ///              shrinks it
  explicit FeatureStore(Matrix& rows)
      : rows_(&rows), num_features_(rows.rows()), num_instances_(rows.cols()) {}

  /// \param stored  features that stay where they are
  explicit FeatureStore(std::shared_ptr<const datasets::StoredFeatures> stored)
      : num_features_(stored->num_features()),
        num_instances_(stored->num_instances()),
        stored_(std::move(stored)) {}

  [[nodiscard]] Index num_features() const { return num_features_; }
  [[nodiscard]] Index num_instances() const { return num_instances_; }

  /// True for stored features, which nothing replaces.
  [[nodiscard]] bool is_stored() const { return stored_ != nullptr; }

  /// Returns the rows   [num_features x num_instances]; null if a copy replaced
  /// them, and for stored features.
  ///
  /// \throws ResourceError if the memory for the copy did not suffice
  [[nodiscard]] const double* rows() const {
    if (stored_ || packed_) return nullptr;
    require_whole();
    return rows_->data();
  }

  /// Copies the features of some instances, from wherever they are.
  ///
  /// \param[out] features  [num_features x count]
  /// \throws as rows(); ResourceError if the file cannot be read
  void read(Index first, Index count, double* features) const {
    if (stored_) return stored_->read(first, count, features);
    if (packed_) return packed_->read(first, count, features);
    require_whole();
    std::copy_n(rows_->data() + first * num_features_, count * num_features_,
                features);
  }

  /// Copies the features of instances at any positions. Those that follow each other are
  /// read at once.
  ///
  /// \param[out] features  [num_features x instances.size()]
  /// \throws as read()
  void read_at(std::vector<Index> instances, double* features) const {
    if (stored_) return stored_->read_at(std::move(instances), features);
    for (std::size_t j = 0; j < instances.size();) {
      std::size_t end = j + 1;
      while (end < instances.size() &&
             instances[end] == instances[end - 1] + 1) {
        ++end;
      }
      read(instances[j], static_cast<Index>(end - j),
           features + static_cast<Index>(j) * num_features_);
      j = end;
    }
  }

  /// Prepares to read stored features of instances at any positions soon.
  void expect(std::vector<Index> instances) const {
    if (stored_) stored_->expect(std::move(instances));
  }

  /// Copies features in a file in the order in which mini-batches will read them; others
  /// stay where they are.
  ///
  /// \param order  of the positions, which the instances keep; each once
  [[nodiscard]] FeatureStore copied_for(std::span<const Index> order) const {
    FeatureStore copy = *this;
    if (stored_) {
      copy.stored_ = std::make_shared<const datasets::StoredFeatures>(
          stored_->copied_for(order));
    }
    return copy;
  }

  /// Returns the features of some instances: in place, or copied to a buffer.
  ///
  /// \param[in,out] buffer  for the copy; its size may change
  /// \throws as read()
  [[nodiscard]] Eigen::Map<const Matrix> rows(Index first, Index count,
                                              Matrix& buffer) const {
    if (const double* const all = rows()) {
      return {all + first * num_features_, num_features_, count};
    }
    resize_anew(buffer, num_features_, count);
    read(first, count, buffer.data());
    return {buffer.data(), num_features_, count};
  }

  /// Frees the rows from an instance on, which a backend has copied. The memory
  /// goes back in large steps, so some of them may stay.
  ///
  /// \return where the other rows are now: an allocator may move them
  const double* release_from(Index first) {
    constexpr Index kStepBytes = Index{1} << 22;
    const Index row_bytes = num_features_ * static_cast<Index>(sizeof(double));
    const Index bytes = (rows_->cols() - first) * row_bytes;
    if (bytes >= kStepBytes || first == 0) {
      rows_->conservativeResize(Eigen::NoChange, first);
    }
    return rows_->data();
  }

  /// Replaces the rows by a copy of all of them.
  void replace_rows(std::shared_ptr<const PackedFeatures> packed) {
    packed_ = std::move(packed);
    rows_->resize(num_features_, 0);
  }

  /// Makes rows of the copy again, and drops the copy.
  void restore_rows() {
    if (!packed_) return;
    rows_->resize(num_features_, num_instances_);
    packed_->read(0, num_instances_, rows_->data());
    packed_.reset();
  }

 private:
  void require_whole() const {
    if (rows_->cols() == num_instances_) return;
    throw ResourceError(
        "the features of " + std::to_string(num_instances_ - rows_->cols()) +
        " instances were lost when a fit ran out of memory; read them again");
  }

  Matrix* rows_ = nullptr;  // null for stored features
  Index num_features_;
  Index num_instances_;
  std::shared_ptr<const datasets::StoredFeatures> stored_;
  std::shared_ptr<const PackedFeatures> packed_;
};

}  // namespace mlp
