// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "metrics_report.hpp"

#include <cstdio>
#include <vector>

#include "../console/json_output.hpp"
#include "../console/text_table.hpp"

namespace mlp::cli {

namespace {

using Counts = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic>;

std::vector<Index> row_of(const Counts& counts, Index row) {
  std::vector<Index> cells;
  for (Index j = 0; j < counts.cols(); ++j) cells.push_back(counts(row, j));
  return cells;
}

std::vector<std::string> class_names(const Model& model) {
  std::vector<std::string> names;
  for (Index i = 0; i < model.num_classes(); ++i) {
    names.push_back(model.class_name(i));
  }
  return names;
}

std::string confusion_json(const Counts& counts) {
  std::string json = "[";
  for (Index i = 0; i < counts.rows(); ++i) {
    json += (i == 0 ? "" : ", ") + json_text(row_of(counts, i));
  }
  return json + ']';
}

std::string four_digits(double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4f", number);
  return buffer;
}

std::string format_label_table(const Metrics& metrics, const Model& model) {
  const std::vector<double> precision = metrics.precision_by_label();
  const std::vector<double> recall = metrics.recall_by_label();
  const std::vector<double> f_measure = metrics.f_measure_by_label();
  const std::vector<double> false_rate = metrics.false_positive_rate_by_label();
  TextTable table({"class", "precision", "recall", "F-measure", "FP rate"});
  for (std::size_t i = 0; i < precision.size(); ++i) {
    const auto label = static_cast<Index>(metrics.labels()[i]);
    table.add({model.class_name(label), four_digits(precision[i]),
               four_digits(recall[i]), four_digits(f_measure[i]),
               four_digits(false_rate[i])});
  }
  table.add({"weighted", four_digits(metrics.weighted_precision()),
             four_digits(metrics.weighted_recall()),
             four_digits(metrics.weighted_f_measure()),
             four_digits(metrics.weighted_false_positive_rate())});
  return table.text();
}

std::string format_confusion_table(const Counts& counts, const Model& model) {
  std::vector<std::string> header = {"true \\ predicted"};
  for (const std::string& name : class_names(model)) header.push_back(name);
  TextTable table(header);
  for (Index i = 0; i < counts.rows(); ++i) {
    std::vector<std::string> cells = {model.class_name(i)};
    for (const Index count : row_of(counts, i)) {
      cells.push_back(std::to_string(count));
    }
    table.add(cells);
  }
  return table.text();
}

}  // namespace

std::string format_metrics_json(const Metrics& metrics, const Model& model,
                                const ChosenBackend& backend) {
  JsonObject json;
  json.add("accuracy", metrics.accuracy()).add("labels", metrics.labels());
  if (!model.label_names().empty()) {
    std::vector<std::string> names;
    for (const double label : metrics.labels()) {
      names.push_back(model.class_name(static_cast<Index>(label)));
    }
    json.add("labelNames", names);
  }
  json.add("precisionByLabel", metrics.precision_by_label())
      .add("recallByLabel", metrics.recall_by_label())
      .add("truePositiveRateByLabel", metrics.true_positive_rate_by_label())
      .add("falsePositiveRateByLabel", metrics.false_positive_rate_by_label())
      .add("fMeasureByLabel", metrics.f_measure_by_label())
      .add("weightedPrecision", metrics.weighted_precision())
      .add("weightedRecall", metrics.weighted_recall())
      .add("weightedTruePositiveRate", metrics.weighted_true_positive_rate())
      .add("weightedFalsePositiveRate", metrics.weighted_false_positive_rate())
      .add("weightedFMeasure", metrics.weighted_f_measure())
      .add_json("confusionMatrix",
                confusion_json(metrics.confusion_matrix(model.num_classes())))
      .add("rows", metrics.num_instances())
      .add("backend", backend.name)
      .add("kernels", backend.implementation->name());
  return json.text();
}

std::string format_metrics_text(const Metrics& metrics, const Model& model) {
  return "accuracy  " + four_digits(metrics.accuracy()) + "  on " +
         std::to_string(metrics.num_instances()) + " instances\n\n" +
         format_label_table(metrics, model) + '\n' +
         format_confusion_table(metrics.confusion_matrix(model.num_classes()),
                                model);
}

std::string format_regression_json(const RegressionMetrics& metrics,
                                   const ChosenBackend& backend) {
  return JsonObject()
      .add("rootMeanSquaredError", metrics.rmse)
      .add("meanAbsoluteError", metrics.mae)
      .add("r2", metrics.r2)
      .add("rows", metrics.num_instances)
      .add("backend", backend.name)
      .add("kernels", backend.implementation->name())
      .text();
}

std::string format_regression_text(const RegressionMetrics& metrics) {
  char text[160];
  std::snprintf(text, sizeof text,
                "R2    %.6g  on %lld instances\nRMSE  %.6g\nMAE   %.6g\n",
                metrics.r2, static_cast<long long>(metrics.num_instances),
                metrics.rmse, metrics.mae);
  return text;
}

}  // namespace mlp::cli
