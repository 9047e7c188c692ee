// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The scores of a trained model on some instances.

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../datasets/dataset.hpp"
#include "../../../distributed/allreduce.hpp"
#include "../../../mlp/instances/training_instances.hpp"
#include "../../../mlp/model/model.hpp"
#include "../../../mlp/model/regression_metrics.hpp"
#include "../../flags/global_options.hpp"

namespace mlp::cli {

/// The number of instances that were predicted correctly.
struct Accuracy {
  Index num_right = 0;
  Index num_instances = 0;

  void add(const Accuracy& part) {
    num_right += part.num_right;
    num_instances += part.num_instances;
  }

  [[nodiscard]] double ratio() const {
    return static_cast<double>(num_right) / static_cast<double>(num_instances);
  }
};

/// Stands for scores that were left out because the training was stopped.
struct NotMeasured {
  Index num_instances = 0;
};

/// The scores of a model, a classifier or a regressor, on some instances.
using Quality = std::variant<Accuracy, RegressionMetrics, NotMeasured>;

/// Limits the time for the scores of a training that a signal stopped, so that
/// the program ends soon.
class MetricsLimit {
 public:
  /// \param is_stopping  must outlive this object
  explicit MetricsLimit(const std::atomic<bool>* is_stopping)
      : is_stopping_(is_stopping) {}

  /// Returns true if there was a signal and the time is over.
  [[nodiscard]] bool is_exceeded() {
    if (!*is_stopping_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (!end_) end_ = now + kTime;
    return now >= *end_;
  }

 private:
  static constexpr std::chrono::milliseconds kTime{300};

  const std::atomic<bool>* is_stopping_;
  std::optional<std::chrono::steady_clock::time_point> end_;
};

/// Compares what a model predicts with the labels.
///
/// \param data    with labels
/// \param global  its backend and its threads compute
/// \param limit   of the time
/// \param group   unites the instances of all its ranks; null: only this rank
/// \return NotMeasured if the limit is exceeded, on this rank or another
[[nodiscard]] Quality measure_quality(const Model& model,
                                      const TrainingInstances& data,
                                      const GlobalOptions& global,
                                      MetricsLimit& limit,
                                      distributed::Allreduce* group = nullptr);

/// Returns the number of instances that were to be scored.
[[nodiscard]] Index count_instances(const Quality& quality);

/// Returns accuracy or R2; nothing if it has no value.
[[nodiscard]] std::optional<double> score_of(const Quality& quality);

/// The scores of a cross-validation.
struct FoldScores {
  /// Accuracy or R2 of each fold. An R2 without a value counts as 0; the R2 of one
  /// row has none.
  std::vector<double> scores;

  std::vector<double> rmse;    ///< of each fold of a regression
  bool has_undefined = false;  ///< an R2 has no value

  /// Adds the score of a fold, unless it was not measured.
  void add(const Quality& quality);

  /// Describes the fold that was added last.
  [[nodiscard]] std::string describe_last() const;
};

/// The mean of some numbers, and their standard deviation with n - 1, which is 0
/// for one number.
struct MeanAndDeviation {
  double mean = 0.0;
  double deviation = 0.0;

  [[nodiscard]] static MeanAndDeviation of(const std::vector<double>& numbers);
};

}  // namespace mlp::cli
