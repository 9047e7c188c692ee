// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../mlp/backend/precision.hpp"
#include "../../mlp/classifier.hpp"
#include "../../mlp/model/coverage.hpp"
#include "../../mlp/selection/select_model.hpp"
#include "../../optim/summary.hpp"
#include "../fit/folds/quality.hpp"
#include "../fit/stop_signal.hpp"
#include "../fit/training_data.hpp"
#include "../fit/training_job.hpp"
#include "../flags/backend_choice.hpp"

namespace mlp::cli {

/// The results of train.
struct TrainReport {
  optim::Summary summary;

  /// Why the training stopped, if the summary's reason does not tell: a signal,
  /// or numbers that are not finite.
  std::string stop;

  bool has_epochs = false;          ///< the objective is a mean over an epoch
  std::optional<FoldScores> folds;  ///< with --folds
  std::optional<SelectionReport> selection;  ///< with --effort standard
  Quality train;
  std::optional<Quality> test;  ///< with --split

  /// Asked for with --interval or --coverage.
  std::optional<double> coverage;
  std::optional<Coverage> test_coverage;  ///< with --split
  std::optional<Quality> validation;      ///< with --validation
  double seconds = 0.0;                   ///< of the training only
  ChosenBackend backend;
  Precision precision = Precision::kFloat64;
  std::vector<Index> layers;
  bool is_regressor = false;
  std::vector<std::string> label_names;  ///< may be empty
  std::vector<FitWarning> warnings;
  std::optional<datasets::StoreNote> stored;  ///< with features in a file
  std::string model_file;                     ///< empty if no model was written
};

/// Says why a training stopped if the reason of its summary does not tell.
///
/// \param signal  that was received, or 0
/// \return "" if the reason tells
[[nodiscard]] std::string describe_stop(const FitResult& fit, int signal);

/// Measures and describes the result of a training.
///
/// If each rank has files of its own, all ranks call this function.
[[nodiscard]] TrainReport make_report(const TrainingJob& job,
                                      const TrainingData& data,
                                      const FitResult& fit,
                                      const StopSignal& signal);

/// Adds a warning to the report if the score of the training is far above the score
/// of the folds or of the test.
void add_overfit_warning(TrainReport& report);

/// The report for scripts.
[[nodiscard]] std::string format_train_json(const TrainReport& report);

/// The report for people.
[[nodiscard]] std::string format_train_text(const TrainReport& report);

}  // namespace mlp::cli
