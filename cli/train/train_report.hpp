// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/regression_metrics.hpp"
#include "../../optim/summary.hpp"
#include "../fit/stop_signal.hpp"
#include "../fit/train_options.hpp"
#include "../fit/training_data.hpp"
#include "../flags/backend_choice.hpp"
#include "../flags/global_options.hpp"

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

/// The scores of a cross-validation.
struct FoldScores {
  /// Accuracy or R2 of each fold; 0 for an R2 without a value, as that of one row.
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

/// The results of train.
struct TrainReport {
  optim::Summary summary;

  /// Why the training stopped, if the summary's reason does not tell: a signal,
  /// or numbers that are not finite.
  std::string stop;

  bool has_epochs = false;          ///< the objective is a mean over an epoch
  std::optional<FoldScores> folds;  ///< with --folds
  Quality train;
  std::optional<Quality> test;        ///< with --split
  std::optional<Quality> validation;  ///< with --validation
  double seconds = 0.0;               ///< of the training only
  ChosenBackend backend;
  Precision precision = Precision::kFloat64;
  std::vector<Index> layers;
  bool is_regressor = false;
  std::vector<std::string> label_names;  ///< may be empty
  std::vector<FitWarning> warnings;
  std::string model_file;  ///< empty if no model was written
};

/// Compares what a model predicts with the labels.
///
/// \param features  [num_features x num_instances]
/// \param labels    [1 x num_instances], or [num_targets x num_instances] of a
///                  regressor of several numbers
/// \param limit     of the time
/// \param group     unites the instances of all its ranks; null for those of this
///                  rank only
/// \return NotMeasured if the limit is exceeded, on this rank or another
[[nodiscard]] Quality measure_quality(const Model& model,
                                      const Matrix& features,
                                      const ConstMatrixRef& labels,
                                      int num_threads, const Backend& backend,
                                      MetricsLimit& limit,
                                      distributed::Allreduce* group);

/// Says why a training stopped if the reason of its summary does not tell.
///
/// \param signal  that was received, or 0
/// \return "" if the reason tells
[[nodiscard]] std::string describe_stop(const FitResult& fit, int signal);

/// The name of a signal.
[[nodiscard]] std::string signal_name(int signal);

/// Measures and describes the result of a training.
///
/// \param group  of ranks that each have a file of their own, which all call this
///               function; otherwise null
[[nodiscard]] TrainReport make_report(const TrainOptions& options,
                                      const TrainingData& data,
                                      const FitResult& fit,
                                      const GlobalOptions& global,
                                      const StopSignal& signal,
                                      distributed::Allreduce* group);

/// Adds a warning to the report if its score is far above that of the folds or of
/// the test.
void add_overfit_warning(TrainReport& report);

/// The report for scripts.
[[nodiscard]] std::string format_train_json(const TrainReport& report);

/// The report for people.
[[nodiscard]] std::string format_train_text(const TrainReport& report);

}  // namespace mlp::cli
