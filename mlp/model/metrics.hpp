// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../network/topology.hpp"

namespace mlp {

/// The metrics of Spark's classification summary, and the confusion matrix.
///
/// labels() lists the true labels that occur in the data; it does not list a
/// class that is only predicted. All vectors by label have the order of
/// labels().
///
/// \source Spark mllib/evaluation/MulticlassMetrics.scala
class Metrics {
 public:
  /// \param labels       true class indices       [num_instances]
  /// \param predictions  predicted class indices  [num_instances]
  /// \throws ShapeError if the two have different sizes, DataError if there are
  ///         no instances
  Metrics(const ConstVectorRef& labels, const ConstVectorRef& predictions) {
    if (labels.size() != predictions.size()) {
      throw ShapeError("predictions must be " + std::to_string(labels.size()) +
                       ", one per label; got " +
                       std::to_string(predictions.size()));
    }
    if (labels.size() == 0) {
      throw DataError("metrics need at least 1 instance; got 0");
    }
    for (Index i = 0; i < labels.size(); ++i) count(labels[i], predictions[i]);
    labels_.reserve(by_label_.size());
    for (const auto& entry : by_label_) labels_.push_back(entry.first);
  }

  /// Returns the true labels that occur, ascending   [num_labels]
  [[nodiscard]] const std::vector<double>& labels() const { return labels_; }

  [[nodiscard]] Index num_instances() const { return total_; }

  /// Returns the share of the instances that are predicted correctly.
  [[nodiscard]] double accuracy() const {
    Index right = 0;
    for (const auto& entry : by_label_) right += entry.second.true_positives;
    return ratio(right, total_);
  }

  /// Returns TP / (TP + FP), 0 for a label never predicted   [num_labels]
  [[nodiscard]] std::vector<double> precision_by_label() const {
    return by_label([](const Counts& c) {
      const Index predicted = c.true_positives + c.false_positives;
      return predicted == 0 ? 0.0 : ratio(c.true_positives, predicted);
    });
  }

  /// Returns TP / instances of the label   [num_labels]
  [[nodiscard]] std::vector<double> recall_by_label() const {
    return by_label(
        [](const Counts& c) { return ratio(c.true_positives, c.instances); });
  }

  [[nodiscard]] std::vector<double> true_positive_rate_by_label() const {
    return recall_by_label();
  }

  /// Returns FP / instances of other labels; NaN if only one label occurs
  /// [num_labels]
  [[nodiscard]] std::vector<double> false_positive_rate_by_label() const {
    return by_label([this](const Counts& c) {
      return ratio(c.false_positives, total_ - c.instances);
    });
  }

  /// Returns (1 + beta^2) P R / (beta^2 P + R), 0 if P + R is 0   [num_labels]
  [[nodiscard]] std::vector<double> f_measure_by_label(
      double beta = 1.0) const {
    std::vector<double> result = precision_by_label();
    const std::vector<double> recall = recall_by_label();
    const double beta2 = beta * beta;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double p = result[i];
      const double r = recall[i];
      result[i] = p + r == 0.0 ? 0.0 : (1.0 + beta2) * p * r / (beta2 * p + r);
    }
    return result;
  }

  /// Returns the mean of the recalls of the labels that occur.
  ///
  /// Spark's summary does not have it; scikit-learn calls it balanced accuracy.
  [[nodiscard]] double balanced_accuracy() const {
    double sum = 0.0;
    for (const double recall : recall_by_label()) sum += recall;
    return sum / static_cast<double>(labels_.size());
  }

  [[nodiscard]] double weighted_precision() const {
    return weighted(precision_by_label());
  }
  [[nodiscard]] double weighted_recall() const {
    return weighted(recall_by_label());
  }
  [[nodiscard]] double weighted_true_positive_rate() const {
    return weighted_recall();
  }
  [[nodiscard]] double weighted_false_positive_rate() const {
    return weighted(false_positive_rate_by_label());
  }
  [[nodiscard]] double weighted_f_measure(double beta = 1.0) const {
    return weighted(f_measure_by_label(beta));
  }

  /// Counts instances by true and predicted class.
  ///
  /// \param num_classes  the smallest size of the matrix; it grows to hold the
  ///                     largest class that occurs
  /// \return [num_classes x num_classes], entry (label, prediction)
  /// \throws DataError if a label or prediction is not a class index
  [[nodiscard]] Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic>
  confusion_matrix(Index num_classes = 0) const {
    for (const auto& entry : confusion_) {
      num_classes = std::max({num_classes, class_index(entry.first.first) + 1,
                              class_index(entry.first.second) + 1});
    }
    Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> matrix;
    matrix.setZero(num_classes, num_classes);
    for (const auto& entry : confusion_) {
      matrix(static_cast<Index>(entry.first.first),
             static_cast<Index>(entry.first.second)) = entry.second;
    }
    return matrix;
  }

 private:
  struct Counts {
    Index instances = 0;
    Index true_positives = 0;
    Index false_positives = 0;
  };

  void count(double label, double prediction) {
    ++total_;
    ++confusion_[{label, prediction}];
    Counts& of_label = by_label_[label];
    ++of_label.instances;
    if (label == prediction) ++of_label.true_positives;
  }

  template <typename Rate>
  [[nodiscard]] std::vector<double> by_label(Rate rate) const {
    std::vector<double> rates;
    rates.reserve(by_label_.size());
    for (auto entry : by_label_) {
      for (const auto& cell : confusion_) {
        const bool is_predicted = cell.first.second == entry.first;
        if (is_predicted && cell.first.first != entry.first) {
          entry.second.false_positives += cell.second;
        }
      }
      rates.push_back(rate(entry.second));
    }
    return rates;
  }

  /// Returns the mean of the rates, weighted by the share of each label.
  [[nodiscard]] double weighted(const std::vector<double>& rates) const {
    double sum = 0.0;
    std::size_t i = 0;
    for (const auto& entry : by_label_) {
      sum += rates[i++] * static_cast<double>(entry.second.instances) /
             static_cast<double>(total_);
    }
    return sum;
  }

  /// Converts a number to an index of the confusion matrix.
  static Index class_index(double label) {
    const bool is_class = label >= 0.0 && label == std::floor(label) &&
                          label < static_cast<double>(Topology::kMaxWidth);
    if (!is_class) {
      throw DataError("a confusion matrix needs class indices 0.." +
                      std::to_string(Topology::kMaxWidth - 1) + "; got " +
                      format_double(label));
    }
    return static_cast<Index>(label);
  }

  static double ratio(Index part, Index whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  Index total_ = 0;
  std::map<double, Counts> by_label_;
  std::map<std::pair<double, double>, Index> confusion_;
  std::vector<double> labels_;
};

}  // namespace mlp
