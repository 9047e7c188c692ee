// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/memory/available_memory.hpp"
#include "../core/types.hpp"
#include "input_column.hpp"
#include "reading/limits.hpp"
#include "reading/source_file.hpp"
#include "stored/stored_features.hpp"

/// Instances, the result of every reader. Their features may be in a file.
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

  /// Features that do not fit into memory: they are in a file, or borrowed and computed
  /// as they are read. null if all are in memory as they are. The reader has checked that
  /// they are finite, or missing in `columns`.
  std::shared_ptr<const StoredFeatures> stored;

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
  ///
  /// \throws DataError for stored features: visit_features() reads those
  [[nodiscard]] Eigen::Map<const Matrix> feature_matrix() const {
    if (stored) {
      throw DataError(
          source,
          "has features that do not fit into memory, and this needs "
          "them there; use fewer rows, or more memory");
    }
    if (borrowed.data != nullptr) {
      return {borrowed.data, borrowed.num_features, borrowed.num_instances};
    }
    return {features.data(), features.rows(), features.cols()};
  }

  /// Calls f(first, features) for consecutive instances, in their order: once with all
  /// that are in memory, or block by block with stored ones.
  ///
  /// \throws ResourceError if the file cannot be read
  template <typename F>
  void visit_features(const F& f) const {
    if (!stored) return f(Index{0}, feature_matrix());
    Matrix buffer;
    for (Index first = 0; first < num_instances();) {
      const Index count =
          std::min(stored->instances_at_once(), num_instances() - first);
      f(first, rows(first, count, buffer));
      first += count;
    }
  }

  /// Returns the features of consecutive instances: in place, or read to a buffer.
  ///
  /// \param[in,out] buffer  for stored ones; its size may change
  /// \return [num_features x count]
  /// \throws ResourceError if the file cannot be read
  [[nodiscard]] Eigen::Map<const Matrix> rows(Index first, Index count,
                                              Matrix& buffer) const {
    if (!stored) {
      const auto all = feature_matrix();
      return {all.data() + first * all.rows(), all.rows(), count};
    }
    resize_anew(buffer, stored->num_features(), count);
    stored->read(first, count, buffer.data());
    return {buffer.data(), buffer.rows(), count};
  }

  /// Calls f(i, values) for each feature, with its values of all instances. Stored ones
  /// are read in several passes, as many features at once as take 256 MiB.
  ///
  /// \throws ResourceError if the file cannot be read
  template <typename F>
  void visit_columns(const F& f) const {
    if (!stored) {
      const auto all = feature_matrix();
      for (Index i = 0; i < all.rows(); ++i) f(i, all.row(i));
      return;
    }
    constexpr Index kNumbers = Index{1} << 25;
    const Index at_once = std::clamp<Index>(
        kNumbers / std::max<Index>(1, num_instances()), 1, num_features());
    Matrix some(num_instances(), at_once);
    for (Index begin = 0; begin < num_features(); begin += at_once) {
      const Index count = std::min(at_once, num_features() - begin);
      visit_features([&](Index first, const auto& block) {
        some.block(first, 0, block.cols(), count) =
            block.middleRows(begin, count).transpose();
      });
      for (Index i = 0; i < count; ++i) f(begin + i, some.col(i).transpose());
    }
  }

  /// Copies the values of one feature   [num_instances]
  ///
  /// \throws ResourceError if the file cannot be read
  [[nodiscard]] Vector column(Index feature) const {
    Vector values(num_instances());
    visit_features([&](Index first, const auto& block) {
      values.segment(first, block.cols()) = block.row(feature).transpose();
    });
    return values;
  }

  /// Copies the features of the first instances, or of all if these are fewer.
  ///
  /// \return [num_features x at most count]
  [[nodiscard]] Matrix first_features(Index count) const {
    Matrix buffer;
    return rows(0, std::min(count, num_instances()), buffer);
  }

  /// Replaces the features by others, which are computed of each instance for itself.
  /// Stored ones, and borrowed ones that are too large to be copied, are computed as they
  /// are read.
  ///
  /// \throws DataError, ResourceError if the features are too many or do not fit in the
  ///         memory
  void compute_features(FeatureStep step) {
    const double bytes = sizeof(double) *
                         static_cast<double>(step.num_features) *
                         static_cast<double>(num_instances());
    if (borrowed.data != nullptr && !may_copy(bytes)) store_borrowed();
    if (stored) {
      stored =
          std::make_shared<const StoredFeatures>(stored->then(std::move(step)));
      return;
    }
    const bool is_in_place = step.num_features == num_features();
    if (is_in_place) own_features();
    Matrix computed;
    if (!is_in_place) {
      check_matrix_size(source, static_cast<std::uint64_t>(step.num_features),
                        static_cast<std::uint64_t>(num_instances()));
      check_matrix_memory(source, step.num_features, num_instances());
      computed.resize(step.num_features, num_instances());
    }
    Matrix& to = is_in_place ? features : computed;
    constexpr Index kBlock = 256;
    Matrix block;
    for (Index first = 0; first < num_instances(); first += kBlock) {
      const Index count = std::min(kBlock, num_instances() - first);
      resize_anew(block, num_features(), count);
      block = feature_matrix().middleCols(first, count);
      step.compute(block, to.middleCols(first, count));
    }
    if (is_in_place) return;
    features = std::move(computed);
    borrowed = {};
  }

  /// Reads borrowed features as stored ones, which need no copy.
  void store_borrowed() {
    stored = std::make_shared<const StoredFeatures>(
        std::make_shared<const BorrowedFeatures>(borrowed));
    borrowed = {};
  }

  /// Copies borrowed features, so that they can be changed. Stored ones stay.
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

  [[nodiscard]] Index num_instances() const {
    return stored ? stored->num_instances() : feature_matrix().cols();
  }
  [[nodiscard]] Index num_features() const {
    return stored ? stored->num_features() : feature_matrix().rows();
  }
  [[nodiscard]] bool has_labels() const {
    return labels.size() != 0 || targets.size() != 0 || !label_texts.empty();
  }
};

}  // namespace mlp::datasets
