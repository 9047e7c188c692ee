// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../core/types.hpp"

namespace mlp::datasets {

/// How Spark would hold the rows. LIBSVM files give sparse vectors, everything
/// else dense ones; the arithmetic is the same, but Spark's sort before
/// randomSplit() compares the kind too.
enum class VectorKind { kDense, kSparse };

/// A zero that a sparse row states explicitly. Spark stores it, so that it takes
/// part in the sort before randomSplit().
struct StoredZero {
  Index instance = 0;
  Index feature = 0;

  friend bool operator==(const StoredZero&, const StoredZero&) = default;
};

/// Instances in memory, with what a reader learned about them.
///
/// \invariant Every non-empty member that has one entry per instance has
///            num_instances() entries; partition_sizes sums to num_instances().
struct Dataset {
  /// [num_features x num_instances]
  Matrix features;

  /// Class indices, or any numbers a regressor learns   [num_instances], or
  /// empty where the data have no label or its texts are not indexed yet.
  Vector labels;

  /// What each instance counts   [num_instances], or empty for 1 each.
  Vector weights;

  /// The label column as text, where one of its fields is not a number
  /// [num_instances], else empty.
  std::vector<std::string> label_texts;

  /// [num_features], or empty where the file names none.
  std::vector<std::string> feature_names;

  /// The label column's name; empty where the file names none.
  std::string label_name;

  /// The file the instances came from, for messages; may be empty.
  std::string source;

  /// The file the labels came from, where that is one of their own.
  std::string label_source;

  /// 1-based line of each instance in source   [num_instances]; empty for
  /// formats without lines.
  std::vector<Index> lines;

  VectorKind vector_kind = VectorKind::kDense;

  /// Ordered by instance, then feature; empty unless kSparse.
  std::vector<StoredZero> stored_zeros;

  /// Instances per Spark partition, in order; empty means one partition.
  std::vector<Index> partition_sizes;

  [[nodiscard]] Index num_instances() const { return features.cols(); }
  [[nodiscard]] Index num_features() const { return features.rows(); }
  [[nodiscard]] bool has_labels() const {
    return labels.size() != 0 || !label_texts.empty();
  }
};

}  // namespace mlp::datasets
