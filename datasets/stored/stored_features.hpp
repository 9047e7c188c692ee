// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../core/types.hpp"
#include "feature_file.hpp"

/// Features in a file, as a training reads them.
namespace mlp::datasets {

/// Computes the features of instances from others, each instance for itself.
struct FeatureStep {
  Index num_features = 0;  ///< of the result

  /// \param      from  [num_features before x count]
  /// \param[out] to    [num_features x count]
  std::function<void(const Matrix& from, Eigen::Ref<Matrix> to)> compute;
};

/// Some or all instances of a file, and the steps that make features of what the file
/// has: categories are encoded and numbers scaled as they are read. Copies share the file.
///
/// Thread safety: several threads may read at the same time.
class StoredFeatures {
 public:
  /// All instances, as they are in the file.
  explicit StoredFeatures(std::shared_ptr<const FeatureFile> file)
      : file_(std::move(file)) {}

  [[nodiscard]] Index num_features() const {
    return steps_.empty() ? file_->num_features() : steps_.back().num_features;
  }

  [[nodiscard]] Index num_instances() const {
    return instances_ ? static_cast<Index>(instances_->size())
                      : file_->num_instances();
  }

  /// Where the file is, for messages.
  [[nodiscard]] const std::string& folder() const { return file_->folder(); }

  /// Returns some of the instances.
  ///
  /// \param instances  positions in these, in any order
  [[nodiscard]] StoredFeatures select(std::vector<Index> instances) const {
    StoredFeatures some = *this;
    if (instances_) {
      for (Index& i : instances) i = (*instances_)[static_cast<std::size_t>(i)];
    }
    some.instances_ =
        std::make_shared<const std::vector<Index>>(std::move(instances));
    return some;
  }

  /// Returns the instances after one more step.
  [[nodiscard]] StoredFeatures then(FeatureStep step) const {
    StoredFeatures next = *this;
    next.steps_.push_back(std::move(step));
    return next;
  }

  /// Reads the features of some instances.
  ///
  /// \param[out] features  [num_features x count]
  /// \throws ResourceError as UnlinkedFile::read()
  void read(Index first, Index count, double* features) const {
    if (steps_.empty()) return read_file(first, count, features);
    Matrix block(file_->num_features(), count);
    read_file(first, count, block.data());
    Matrix next;
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      next.resize(steps_[i].num_features, count);
      steps_[i].compute(block, next);
      std::swap(block, next);
    }
    steps_.back().compute(block,
                          Eigen::Map<Matrix>(features, num_features(), count));
  }

 private:
  /// Reads what the file has.
  void read_file(Index first, Index count, double* features) const {
    if (!instances_) return file_->read(first, count, features);
    const Index width = file_->num_features();
    const Index* const begin = instances_->data() + first;
    for (Index j = 0; j < count;) {
      const Index last = end_of_run(begin, j, count);
      const Index span = begin[last - 1] - begin[j] + 1;
      double* const to = features + j * width;
      if (span == last - j) {
        file_->read(begin[j], span, to);
      } else {
        Matrix block(width, span);
        file_->read(begin[j], span, block.data());
        for (Index i = j; i < last; ++i) {
          Eigen::Map<Vector>(features + i * width, width) =
              block.col(begin[i] - begin[j]);
        }
      }
      j = last;
    }
  }

  /// Returns the end of the positions from j on that are read at once: they ascend, and
  /// few others are between them.
  static Index end_of_run(const Index* places, Index j, Index count) {
    constexpr Index kMostBetween = 8;
    Index last = j + 1;
    while (last < count && places[last] > places[last - 1] &&
           places[last] - places[last - 1] <= kMostBetween) {
      ++last;
    }
    return last;
  }

  std::shared_ptr<const FeatureFile> file_;
  std::shared_ptr<const std::vector<Index>> instances_;  ///< null for all
  std::vector<FeatureStep> steps_;
};

}  // namespace mlp::datasets
