// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "feature_source.hpp"
#include "shuffled_copy.hpp"

/// Features that are read as a training needs them, because they do not fit into memory.
namespace mlp::datasets {

/// Computes the features of instances from others, each instance for itself.
struct FeatureStep {
  Index num_features = 0;  ///< of the result

  /// \param      from  [num_features before x count]
  /// \param[out] to    [num_features x count]
  std::function<void(const Matrix& from, Eigen::Ref<Matrix> to)> compute;
};

/// Some or all instances of a file or of the caller, and the steps that make features of
/// what is there: categories are encoded and numbers scaled as they are read. Copies share
/// the source.
///
/// Thread safety: several threads may read at the same time.
class StoredFeatures {
 public:
  /// All instances, as they are in the source.
  explicit StoredFeatures(std::shared_ptr<const FeatureSource> source)
      : source_(std::move(source)) {}

  [[nodiscard]] Index num_features() const {
    return steps_.empty() ? source_->num_features()
                          : steps_.back().num_features;
  }

  [[nodiscard]] Index num_instances() const {
    return instances_ ? static_cast<Index>(instances_->size())
                      : source_->num_instances();
  }

  /// Returns how many instances a reader should take at once, at least 1: a few MiB.
  [[nodiscard]] Index instances_at_once() const {
    constexpr Index kNumbers = Index{1} << 19;
    return std::max<Index>(1, kNumbers / num_features());
  }

  /// True if features are computed as they are read.
  [[nodiscard]] bool has_steps() const { return !steps_.empty(); }

  /// Returns some of the instances.
  ///
  /// \param instances  positions in these, in any order
  [[nodiscard]] StoredFeatures select(std::vector<Index> instances) const {
    StoredFeatures some = *this;
    to_source(instances);
    some.instances_ =
        std::make_shared<const std::vector<Index>>(std::move(instances));
    return some;
  }

  /// Copies the chosen instances to a new file in their order, because reading them one
  /// after another is fast. If there is no room for the file, nothing is copied.
  [[nodiscard]] StoredFeatures in_order() const try {
    if (!instances_) return *this;
    const auto file = source_->make_empty(num_instances());
    if (!file) return *this;
    Matrix block;
    const Index at_once = instances_at_once();
    for (Index first = 0; first < num_instances(); first += at_once) {
      resize_anew(block, source_->num_features(),
                  std::min(at_once, num_instances() - first));
      read_source(first, block.cols(), block.data());
      file->write(first, block.data(), block.cols());
    }
    StoredFeatures ordered = *this;
    ordered.source_ = file;
    ordered.instances_ = nullptr;
    return ordered;
  } catch (const ResourceError&) {
    return *this;
  }

  /// Copies the instances to a new file in the order in which mini-batches will read them.
  /// Their positions stay. Without room for the file, the features stay where they are.
  ///
  /// \param order  of the positions; each once
  [[nodiscard]] StoredFeatures copied_for(std::span<const Index> order) const
      try {
    const auto file = source_->make_empty(num_instances());
    if (!file) return *this;
    StoredFeatures copy = *this;
    copy.instances_ = std::make_shared<const std::vector<Index>>(
        ShuffledCopy(*file, order)
            .copy(instances_at_once(),
                  [this](Index first, Index count, double* features) {
                    read_source(first, count, features);
                  }));
    copy.source_ = file;
    return copy;
  } catch (const ResourceError&) {
    return *this;
  }

  /// True if a copy in another order can be made: the features are in a file.
  [[nodiscard]] bool is_in_file() const { return source_->is_file(); }

  /// Returns the instances after one more step.
  [[nodiscard]] StoredFeatures then(FeatureStep step) const {
    StoredFeatures next = *this;
    next.steps_.push_back(std::move(step));
    return next;
  }

  /// Reads the features of some instances.
  ///
  /// \param[out] features  [num_features x count]
  /// \throws as FeatureSource::read()
  void read(Index first, Index count, double* features) const {
    if (steps_.empty()) return read_source(first, count, features);
    Matrix block(source_->num_features(), count);
    read_source(first, count, block.data());
    take_steps(block, features);
  }

  /// Reads the features of instances at any positions.
  ///
  /// \param[out] features  [num_features x instances.size()]
  /// \throws as FeatureSource::read()
  void read_at(std::vector<Index> instances, double* features) const {
    const auto count = static_cast<Index>(instances.size());
    to_source(instances);
    const Ahead ahead = Ahead::kNothing;
    if (steps_.empty()) {
      return read_places(instances.data(), count, ahead, features);
    }
    Matrix block(source_->num_features(), count);
    read_places(instances.data(), count, ahead, block.data());
    take_steps(block, features);
  }

  /// Prepares to read instances at any positions soon.
  void expect(std::vector<Index> instances) const {
    const auto count = static_cast<Index>(instances.size());
    to_source(instances);
    for (Index j = 0; j < count;) {
      const Index last =
          end_of_run(instances.data(), j, count, source_->num_features());
      const Index begin = instances[static_cast<std::size_t>(j)];
      source_->expect(
          begin, instances[static_cast<std::size_t>(last - 1)] - begin + 1);
      j = last;
    }
  }

 private:
  /// Whether a reader will read the instances behind those that it reads.
  enum class Ahead { kNothing, kRest };

  /// Computes the features of what the source has.
  ///
  /// \param block  of the source; its contents change
  void take_steps(Matrix& block, double* features) const {
    const Index count = block.cols();
    Matrix next;
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      resize_anew(next, steps_[i].num_features, count);
      steps_[i].compute(block, next);
      std::swap(block, next);
    }
    steps_.back().compute(block,
                          Eigen::Map<Matrix>(features, num_features(), count));
  }

  /// Replaces positions of these instances by those in the source.
  void to_source(std::vector<Index>& instances) const {
    if (!instances_) return;
    for (Index& i : instances) i = (*instances_)[static_cast<std::size_t>(i)];
  }

  /// Reads what the source has.
  void read_source(Index first, Index count, double* features) const {
    if (!instances_) return source_->read_on(first, count, features);
    read_places(instances_->data() + first, count, Ahead::kRest, features);
  }

  /// Reads instances of the source at any places.
  void read_places(const Index* begin, Index count, Ahead ahead,
                   double* features) const {
    const Index width = source_->num_features();
    const auto read_run = [&](Index first, Index size, double* to) {
      ahead == Ahead::kRest ? source_->read_on(first, size, to)
                            : source_->read(first, size, to);
    };
    for (Index j = 0; j < count;) {
      const Index last = end_of_run(begin, j, count, width);
      const Index span = begin[last - 1] - begin[j] + 1;
      double* const to = features + j * width;
      if (span == last - j) {
        read_run(begin[j], span, to);
      } else {
        Matrix block(width, span);
        read_run(begin[j], span, block.data());
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
  static Index end_of_run(const Index* places, Index j, Index count,
                          Index width) {
    constexpr Index kMostBetween = 8;
    constexpr Index kMostNumbers = Index{1} << 13;
    const Index step = std::clamp<Index>(kMostNumbers / width, 1, kMostBetween);
    Index last = j + 1;
    while (last < count && places[last] > places[last - 1] &&
           places[last] - places[last - 1] <= step) {
      ++last;
    }
    return last;
  }

  std::shared_ptr<const FeatureSource> source_;
  std::shared_ptr<const std::vector<Index>> instances_;  ///< null for all
  std::vector<FeatureStep> steps_;
};

}  // namespace mlp::datasets
