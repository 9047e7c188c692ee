// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/regression_metrics.hpp"
#include "../../optim/summary.hpp"
#include "../flags/backend_choice.hpp"

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

/// The scores of a model, a classifier or a regressor, on some instances.
using Quality = std::variant<Accuracy, RegressionMetrics>;

/// The results of train.
struct TrainReport {
  optim::Summary summary;
  Quality train;
  std::optional<Quality> test;        ///< with --split
  std::optional<Quality> validation;  ///< with --validation
  double seconds = 0.0;               ///< of the training only
  ChosenBackend backend;
  Precision precision = Precision::kFloat64;
  std::vector<Index> layers;
  std::vector<std::string> label_names;  ///< may be empty
  std::string model_file;                ///< empty if no model was written
};

/// Compares what a model predicts with the labels.
///
/// \param features  [num_features x num_instances]
/// \param labels    [num_instances]
/// \param group     unites the instances of all its ranks; null for those of this
///                  rank only
[[nodiscard]] Quality measure_quality(const Model& model,
                                      const Matrix& features,
                                      const Vector& labels, int num_threads,
                                      const Backend& backend,
                                      distributed::Allreduce* group);

/// The report for scripts.
[[nodiscard]] std::string format_train_json(const TrainReport& report);

/// The report for people.
[[nodiscard]] std::string format_train_text(const TrainReport& report);

}  // namespace mlp::cli
