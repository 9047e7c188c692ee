// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/types.hpp"
#include "input_column.hpp"
#include "reading/source_file.hpp"

/// Instances in memory, the result of every reader.
namespace mlp::datasets {

/// The kind of vector that Spark would use for the rows.
///
/// Rows of LIBSVM files are sparse, all others dense. The arithmetic is the
/// same, but the sort in Spark's randomSplit() also compares the kind.
enum class VectorKind { kDense, kSparse };

/// A zero that a sparse row states explicitly. Spark stores it, so the sort in
/// randomSplit() takes it into account.
struct StoredZero {
  Index instance = 0;
  Index feature = 0;

  friend bool operator==(const StoredZero&, const StoredZero&) = default;
};

/// Where an instance was read, for messages.
struct InstancePlace {
  std::string file;

  /// The line is 0 if it is not known.
  FilePosition position;
};

/// Features in memory that the caller owns.
struct FeatureView {
  const double* data = nullptr;
  Index num_features = 0;
  Index num_instances = 0;
};

/// A set of instances with their labels, weights, names and origin.
///
/// \invariant Every non-empty member that has one entry per instance has
///            num_instances() entries; partition_sizes sums to num_instances().
struct Dataset {
  /// [num_features x num_instances]; empty if the features are borrowed.
  Matrix features;

  /// Features that a fit reads in place, so that the caller need not copy them;
  /// they must outlive this object. null if `features` has them.
  FeatureView borrowed;

  /// Class indices, or any numbers for regression   [num_instances]. Empty if
  /// there are no labels or label_texts are not indexed yet.
  Vector labels;

  /// The numbers of each instance if a regression has several
  /// [num_targets x num_instances]; labels are then empty.
  Matrix targets;

  /// Names of the targets   [num_targets], or empty
  std::vector<std::string> target_names;

  /// Weight of each instance   [num_instances]; empty if all weights are 1.
  Vector weights;

  /// The group of each instance, from 0 in the order of the instances
  /// [num_instances]; empty without groups. Instances of one group stay together if
  /// instances are divided.
  std::vector<Index> groups;

  /// The labels as texts if one of them is not a number   [num_instances];
  /// otherwise empty.
  std::vector<std::string> label_texts;

  /// The numbers among labels that the file writes in one way only, and not as
  /// integers usually are: 1.0 or 01. Ascending.
  std::vector<std::pair<double, std::string>> label_spellings;

  /// [num_features]; empty if the file has no names.
  std::vector<std::string> feature_names;

  /// The columns of the features as read, if some are categories or may be
  /// missing: a category is stored as its index, -1 if it is unknown, and a
  /// missing value as NaN. encode() makes features of them. Empty if the features
  /// are ready   [num_features]
  std::vector<InputColumn> columns;

  /// True for the features that standardising leaves as they are: 1 or 0 for a category
  /// or a missing value   [num_features]; empty if there are none.
  std::vector<bool> are_indicators;

  /// Name of the label column; empty if the file has no names.
  std::string label_name;

  /// Name of the file with the instances, or of all files together, for messages;
  /// may be empty. place_of() has the file of an instance.
  std::string source;

  /// In the order in which they were read; empty if there is only one.
  std::vector<SourceFile> files;

  /// Name of the file with the labels if it is a separate file.
  std::string label_source;

  /// 1-based line of each instance in source   [num_instances]; empty for
  /// formats without lines. Several files are counted as if each continued the one
  /// before it.
  std::vector<Index> lines;

  VectorKind vector_kind = VectorKind::kDense;

  /// Sorted by instance, then feature; empty unless kSparse.
  std::vector<StoredZero> stored_zeros;

  /// Number of instances in each Spark partition; empty for one partition.
  std::vector<Index> partition_sizes;

  /// Returns the features, owned or borrowed   [num_features x num_instances]
  [[nodiscard]] Eigen::Map<const Matrix> feature_matrix() const {
    if (borrowed.data != nullptr) {
      return {borrowed.data, borrowed.num_features, borrowed.num_instances};
    }
    return {features.data(), features.rows(), features.cols()};
  }

  /// Copies borrowed features, so that they can be changed.
  void own_features() {
    if (borrowed.data == nullptr) return;
    features = feature_matrix();
    borrowed = {};
  }

  /// Returns the numbers that a regression predicts, labels or targets
  /// [num_targets x num_instances]
  [[nodiscard]] Eigen::Map<const Matrix> target_matrix() const {
    if (targets.size() != 0) {
      return {targets.data(), targets.rows(), targets.cols()};
    }
    return {labels.data(), labels.size() == 0 ? 0 : 1, labels.size()};
  }

  /// Returns the file and the line of an instance.
  ///
  /// \param instance  0-based
  [[nodiscard]] InstancePlace place_of(Index instance) const {
    const auto at = static_cast<std::size_t>(instance);
    if (at >= lines.size()) return {source, {}};
    const Index line = lines[at];
    if (files.empty()) return {source, {static_cast<std::size_t>(line), 0}};
    const SourceFile& file = files[find_file(files, line)];
    return {file.name, {static_cast<std::size_t>(line - file.lines_before), 0}};
  }

  [[nodiscard]] Index num_instances() const { return feature_matrix().cols(); }
  [[nodiscard]] Index num_features() const { return feature_matrix().rows(); }
  [[nodiscard]] bool has_labels() const {
    return labels.size() != 0 || targets.size() != 0 || !label_texts.empty();
  }
};

}  // namespace mlp::datasets
