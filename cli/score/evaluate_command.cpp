// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/label_index.hpp"
#include "../../mlp/model/coverage.hpp"
#include "../../mlp/model/metrics.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/probability_metrics.hpp"
#include "../../mlp/model/regression_metrics.hpp"
#include "../../mlp/model/scorer.hpp"
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/json_output.hpp"
#include "../console/metric_text.hpp"
#include "../console/text_table.hpp"
#include "../device/device_choice.hpp"
#include "../flags/backend_choice.hpp"
#include "scoring_data.hpp"

namespace mlp::cli {

namespace {

/// The metrics of a classifier.
struct ClassifierReport {
  Metrics metrics;
  ProbabilityMetrics probabilities;
  std::optional<Coverage> coverage;  ///< of prediction sets
};

/// The metrics of a regressor.
struct RegressorReport {
  std::vector<std::string> names;            ///< of the targets
  std::vector<RegressionMetrics> by_target;  ///< at least one
  std::optional<Coverage> coverage;          ///< of prediction intervals
};

using Counts = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic>;

std::vector<Index> row_of(const Counts& counts, Index row) {
  std::vector<Index> cells;
  for (Index j = 0; j < counts.cols(); ++j) cells.push_back(counts(row, j));
  return cells;
}

/// Returns the class indices in the order of the names, numbers by their value;
/// classes without a name come last   [num_classes]
std::vector<Index> classes_by_name(const Model& model) {
  std::vector<Index> classes = datasets::order_by_name(model.label_names());
  for (auto i = static_cast<Index>(classes.size()); i < model.num_classes();
       ++i) {
    classes.push_back(i);
  }
  return classes;
}

/// Returns the names of all classes in the order of their indices.
std::vector<std::string> names_of_classes(const Model& model) {
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

std::string format_label_table(const Metrics& metrics, const Model& model,
                               const std::vector<Index>& classes) {
  const std::vector<double> precision = metrics.precision_by_label();
  const std::vector<double> recall = metrics.recall_by_label();
  const std::vector<double> f_measure = metrics.f_measure_by_label();
  const std::vector<double> false_rate =
      defined_or_zero(metrics.false_positive_rate_by_label());
  const std::vector<double>& labels = metrics.labels();
  TextTable table({"class", "precision", "recall", "F-measure", "FP rate"});
  for (const Index label : classes) {
    const auto found = std::lower_bound(labels.begin(), labels.end(),
                                        static_cast<double>(label));
    if (found == labels.end() || *found != static_cast<double>(label)) continue;
    const auto i = static_cast<std::size_t>(found - labels.begin());
    table.add({model.class_name(label), four_digits(precision[i]),
               four_digits(recall[i]), four_digits(f_measure[i]),
               four_digits(false_rate[i])});
  }
  table.add(
      {"weighted", four_digits(metrics.weighted_precision()),
       four_digits(metrics.weighted_recall()),
       four_digits(metrics.weighted_f_measure()),
       four_digits(defined_or_zero(metrics.weighted_false_positive_rate()))});
  return table.text();
}

std::string format_confusion_table(const Counts& counts, const Model& model,
                                   const std::vector<Index>& classes) {
  std::vector<std::string> header = {"true \\ predicted"};
  for (const Index label : classes) header.push_back(model.class_name(label));
  TextTable table(header);
  for (const Index label : classes) {
    std::vector<std::string> cells = {model.class_name(label)};
    for (const Index prediction : classes) {
      cells.push_back(std::to_string(counts(label, prediction)));
    }
    table.add(cells);
  }
  return table.text();
}

/// Formats the area under the ROC curve, and which classes it is a mean of.
std::string describe_roc_auc(const ProbabilityMetrics& probabilities) {
  if (!probabilities.roc_auc) {
    return "not defined, because only one class occurs";
  }
  const auto& areas = probabilities.roc_auc_by_class;
  const std::string text = four_digits(*probabilities.roc_auc);
  if (areas.size() == 2) return text;
  const auto num_used =
      std::count_if(areas.begin(), areas.end(),
                    [](const auto& area) { return area.has_value(); });
  const auto num_left = static_cast<std::ptrdiff_t>(areas.size()) - num_used;
  return text + "  mean of " + std::to_string(num_used) +
         " classes, each against the rest" +
         (num_left == 0 ? std::string()
                        : "; " + std::to_string(num_left) +
                              " without instances are left out");
}

std::string roc_auc_json(const std::optional<double>& area) {
  return area ? json_text(*area) : "null";
}

/// Lists the areas of the labels that occur.
std::string roc_auc_by_label_json(const ClassifierReport& report) {
  std::string json = "[";
  for (const double label : report.metrics.labels()) {
    const auto at = static_cast<std::size_t>(label);
    json += json.size() > 1 ? ", " : "";
    json += roc_auc_json(report.probabilities.roc_auc_by_class[at]);
  }
  return json + ']';
}

/// Measures a classifier on labelled instances.
ClassifierReport measure_classifier(const Model& model,
                                    const datasets::Dataset& data,
                                    const Backend& backend, int num_threads) {
  const Scorer scorer(model, backend);
  Matrix raw = scorer.predict_raw(data, num_threads);
  Metrics metrics(data.labels, model.to_prediction(raw));
  const auto coverage = measure_coverage(model, raw, data.target_matrix());
  return {
      std::move(metrics),
      measure_probabilities(data.labels, model.to_probability(std::move(raw))),
      coverage};
}

void add_coverage(JsonObject& json, const std::optional<Coverage>& coverage) {
  if (!coverage) return;
  json.add("coverage", coverage->share).add("meanSize", coverage->mean_size);
}

/// Formats the metrics and the backend as JSON. Metrics of Spark have its names. The
/// classes have the order of their indices.
std::string format_metrics_json(const ClassifierReport& report,
                                const Model& model,
                                const ChosenBackend& backend) {
  const Metrics& metrics = report.metrics;
  JsonObject json;
  json.add("accuracy", metrics.accuracy())
      .add("balancedAccuracy", metrics.balanced_accuracy())
      .add("logLoss", report.probabilities.log_loss)
      .add_json("rocAuc", roc_auc_json(report.probabilities.roc_auc))
      .add("labels", metrics.labels());
  if (!model.label_names().empty()) {
    std::vector<std::string> names;
    for (const double label : metrics.labels()) {
      names.push_back(model.class_name(static_cast<Index>(label)));
    }
    json.add("labelNames", names);
  }
  add_coverage(json, report.coverage);
  json.add("precisionByLabel", metrics.precision_by_label())
      .add("recallByLabel", metrics.recall_by_label())
      .add("truePositiveRateByLabel", metrics.true_positive_rate_by_label())
      .add("falsePositiveRateByLabel",
           defined_or_zero(metrics.false_positive_rate_by_label()))
      .add("fMeasureByLabel", metrics.f_measure_by_label())
      .add_json("rocAucByLabel", roc_auc_by_label_json(report))
      .add("weightedPrecision", metrics.weighted_precision())
      .add("weightedRecall", metrics.weighted_recall())
      .add("weightedTruePositiveRate", metrics.weighted_true_positive_rate())
      .add("weightedFalsePositiveRate",
           defined_or_zero(metrics.weighted_false_positive_rate()))
      .add("weightedFMeasure", metrics.weighted_f_measure())
      .add("confusionClasses", names_of_classes(model))
      .add_json("confusionMatrix",
                confusion_json(metrics.confusion_matrix(model.num_classes())))
      .add("rows", metrics.num_instances())
      .add("backend", backend.name)
      .add("kernels", backend.implementation->name())
      .add("device", backend.device);
  return json.text();
}

/// Formats the metrics as text: a table by class, and the confusion matrix. The
/// classes have the order of their names, if they have names.
std::string format_metrics_text(const ClassifierReport& report,
                                const Model& model) {
  const Metrics& metrics = report.metrics;
  const std::vector<Index> classes = classes_by_name(model);
  return "accuracy           " + four_digits(metrics.accuracy()) + "  on " +
         std::to_string(metrics.num_instances()) +
         " instances\nbalanced accuracy  " +
         four_digits(metrics.balanced_accuracy()) + "\nlog-loss           " +
         six_digits(report.probabilities.log_loss) + "\nROC AUC            " +
         describe_roc_auc(report.probabilities) + '\n' +
         (report.coverage
              ? "coverage           " +
                    describe_coverage(*report.coverage,
                                      model.prediction_set()->coverage, false) +
                    '\n'
              : "") +
         '\n' + format_label_table(metrics, model, classes) + '\n' +
         format_confusion_table(metrics.confusion_matrix(model.num_classes()),
                                model, classes);
}

/// Measures a regressor on labelled instances.
RegressorReport measure_regressor(const Model& model,
                                  const datasets::Dataset& data,
                                  const Backend& backend, int num_threads) {
  const Matrix raw = Scorer(model, backend).predict_raw(data, num_threads);
  const auto labels = data.target_matrix();
  RegressorReport report;
  for (Index i = 0; i < labels.rows(); ++i) {
    report.names.push_back(model.class_name(i));
    report.by_target.push_back(measure_regression(labels.row(i), raw.row(i)));
  }
  report.coverage = measure_coverage(model, raw, labels);
  return report;
}

/// Formats the metrics of a regressor as JSON with Spark's names. If it predicts
/// several numbers, the metrics are means, and lists have the metrics of each number.
std::string format_regression_json(const RegressorReport& report,
                                   const ChosenBackend& backend) {
  const RegressionMetrics mean = mean_metrics(report.by_target);
  JsonObject json;
  json.add("rootMeanSquaredError", mean.rmse)
      .add("meanAbsoluteError", mean.mae)
      .add("r2", defined_or_zero(mean.r2));
  if (report.by_target.size() > 1) {
    std::vector<double> rmse;
    std::vector<double> mae;
    std::vector<double> r2;
    for (const RegressionMetrics& metrics : report.by_target) {
      rmse.push_back(metrics.rmse);
      mae.push_back(metrics.mae);
      r2.push_back(defined_or_zero(metrics.r2));
    }
    json.add("labelNames", report.names)
        .add("rootMeanSquaredErrorByLabel", rmse)
        .add("meanAbsoluteErrorByLabel", mae)
        .add("r2ByLabel", r2);
  }
  add_coverage(json, report.coverage);
  return json.add("rows", mean.num_instances)
      .add("backend", backend.name)
      .add("kernels", backend.implementation->name())
      .add("device", backend.device)
      .text();
}

/// Formats the metrics of a regressor as text, for several numbers as a table.
std::string format_regression_text(const RegressorReport& report,
                                   const Model& model) {
  const RegressionMetrics mean = mean_metrics(report.by_target);
  std::string text = "R2    " + six_digits(defined_or_zero(mean.r2)) + "  on " +
                     std::to_string(mean.num_instances) + " instances\nRMSE  " +
                     six_digits(mean.rmse) + "\nMAE   " + six_digits(mean.mae) +
                     '\n';
  if (report.coverage) {
    text += "coverage  " +
            describe_coverage(*report.coverage,
                              model.prediction_interval()->coverage, true) +
            '\n';
  }
  if (report.by_target.size() == 1) return text;
  TextTable table({"label", "R2", "RMSE", "MAE"});
  for (std::size_t i = 0; i < report.by_target.size(); ++i) {
    const RegressionMetrics& metrics = report.by_target[i];
    table.add({report.names[i], six_digits(defined_or_zero(metrics.r2)),
               six_digits(metrics.rmse), six_digits(metrics.mae)});
  }
  return text + "These are means over " +
         std::to_string(report.by_target.size()) + " labels.\n\n" +
         table.text();
}

}  // namespace

int run_evaluate(const CommandLine& line, const GlobalOptions& given) {
  GlobalOptions options = given;
  open_requested_device(options, Precision::kFloat64);
  const Model model = load_model(line.arguments[0]).model;
  const datasets::Dataset data = load_labelled_instances(model, line, options);
  options.console.detail(describe_backend(options.backend));
  if (model.is_regressor()) {
    const RegressorReport report = measure_regressor(
        model, data, *options.backend.implementation, options.num_threads);
    write_output(options.is_json
                     ? format_regression_json(report, options.backend)
                     : format_regression_text(report, model));
    return kSuccess;
  }
  const ClassifierReport report = measure_classifier(
      model, data, *options.backend.implementation, options.num_threads);
  write_output(options.is_json
                   ? format_metrics_json(report, model, options.backend)
                   : format_metrics_text(report, model));
  return kSuccess;
}

}  // namespace mlp::cli
