// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "train_report.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>
#include <variant>

#include "../../core/number_text.hpp"
#include "../../mlp/model/coverage.hpp"
#include "../../mlp/model/scorer.hpp"
#include "../../mlp/training/training_warnings.hpp"
#include "../console/json_output.hpp"
#include "../console/metric_text.hpp"
#include "../console/training_notes.hpp"

namespace mlp::cli {

namespace {

/// The column of the values.
constexpr std::size_t kColumn = 16;

/// Formats a line, such as "train accuracy  0.9933 (149 of 150 right)".
std::string describe_quality(std::string name, const Quality& quality) {
  std::string text;
  if (const auto* accuracy = std::get_if<Accuracy>(&quality)) {
    name += " accuracy";
    text = four_digits(accuracy->ratio()) + " (" +
           std::to_string(accuracy->num_right) + " of " +
           std::to_string(accuracy->num_instances) + " right)\n";
  } else if (const auto* metrics = std::get_if<RegressionMetrics>(&quality)) {
    name += " R2";
    text = four_digits(defined_or_zero(metrics->r2)) +
           print_number(" (RMSE %.6g", metrics->rmse) +
           (metrics->num_targets == 1
                ? ""
                : "; means over " + std::to_string(metrics->num_targets) +
                      " labels") +
           ")\n";
  } else {
    name += " scores";
    text = "not measured, because the training was stopped\n";
  }
  name.resize(std::max(name.size() + 2, kColumn), ' ');
  return name + text;
}

void add_quality(JsonObject& json, const std::string& name,
                 const Quality& quality, bool is_regressor) {
  if (std::holds_alternative<NotMeasured>(quality)) {
    json.add_json(name + (is_regressor ? "R2" : "Accuracy"), "null");
    if (is_regressor) json.add_json(name + "Rmse", "null");
    return;
  }
  if (const auto* accuracy = std::get_if<Accuracy>(&quality)) {
    json.add(name + "Accuracy", accuracy->ratio());
    return;
  }
  const auto& metrics = std::get<RegressionMetrics>(quality);
  json.add(name + "R2", defined_or_zero(metrics.r2))
      .add(name + "Rmse", metrics.rmse);
}

/// Formats "0.9733 +- 0.0149".
std::string describe_numbers(const char* format,
                             const std::vector<double>& numbers) {
  const auto [mean, deviation] = MeanAndDeviation::of(numbers);
  return print_number(format, mean) + " +- " + print_number(format, deviation);
}

/// Formats a line, such as
/// "folds  accuracy 0.9733 +- 0.0149 (standard deviation) over 5 folds".
std::string describe_folds(const FoldScores& folds) {
  const bool is_regression = !folds.rmse.empty();
  std::string line = "folds           ";
  line += is_regression ? "R2 " : "accuracy ";
  line += describe_numbers("%.4f", folds.scores);
  line += " (standard deviation";
  if (is_regression) line += "; RMSE " + describe_numbers("%.6g", folds.rmse);
  return line + ") over " + std::to_string(folds.scores.size()) + " folds\n";
}

void add_folds(JsonObject& json, const std::string& name,
               const std::vector<double>& numbers) {
  if (numbers.empty()) return;
  const auto [mean, deviation] = MeanAndDeviation::of(numbers);
  json.add("fold" + name, numbers)
      .add("fold" + name + "Mean", mean)
      .add("fold" + name + "Deviation", deviation);
}

/// Formats a line about intervals or sets; "" if there are none.
std::string coverage_line(std::string name,
                          const std::optional<Coverage>& coverage,
                          const TrainReport& report) {
  if (!coverage) return "";
  name += " coverage ";
  name.resize(std::max(name.size(), kColumn), ' ');
  return name +
         describe_coverage(*coverage, *report.coverage, report.is_regressor) +
         '\n';
}

/// Formats what the folds of a selection say about unseen rows.
std::string describe_selection(const SelectionReport& selection,
                               const TrainReport& report) {
  const bool is_regressor = report.is_regressor;
  std::string text =
      "chosen          " + std::to_string(selection.num_networks) +
      (selection.num_networks == 1 ? " network" : " networks") + " as layers " +
      format_list(report.layers) + ", encoding " +
      format_numeric_encoding(selection.encoding) + ", penalty " +
      format_double(selection.reg_param);
  if (selection.num_linear > 0) {
    text += "; " + std::to_string(selection.num_linear) +
            " of them without bins, penalty " +
            format_double(selection.linear_reg_param);
  }
  if (!is_regressor) {
    text += print_number(", temperature %.3g", selection.temperature);
  }
  text += '\n';
  const UnseenScores& unseen = selection.unseen;
  if (unseen.num_instances == 0) return text;
  const std::string over = " over " + std::to_string(unseen.num_instances) +
                           " rows, each unseen by the network of its fold\n";
  const std::string coverage = coverage_line("unseen", unseen.coverage, report);
  if (is_regressor) {
    return text + "unseen R2       " + four_digits(1.0 - unseen.loss) + over +
           coverage;
  }
  return text + "unseen accuracy " + four_digits(unseen.accuracy) + over +
         "unseen log-loss " + four_digits(unseen.loss) +
         ", calibration error " + four_digits(unseen.calibration_error) + '\n' +
         coverage;
}

void add_coverage(JsonObject& json, const std::string& name,
                  const std::optional<Coverage>& coverage) {
  if (!coverage) return;
  json.add(name + "Coverage", coverage->share)
      .add(name + "MeanSize", coverage->mean_size);
}

void add_selection(JsonObject& json, const SelectionReport& selection,
                   bool is_regressor) {
  json.add("selectionFolds", selection.num_folds)
      .add("networks", selection.num_networks)
      .add("unseenRows", selection.unseen.num_instances)
      .add("numericEncoding", format_numeric_encoding(selection.encoding))
      .add("regParam", selection.reg_param)
      .add("linearNetworks", selection.num_linear)
      .add("linearRegParam", selection.linear_reg_param)
      .add("multiplications", selection.num_multiplications);
  const UnseenScores& unseen = selection.unseen;
  if (!is_regressor) json.add("temperature", selection.temperature);
  if (unseen.num_instances == 0) return;
  add_coverage(json, "unseen", unseen.coverage);
  if (is_regressor) {
    json.add("unseenR2", 1.0 - unseen.loss);
    return;
  }
  json.add("unseenAccuracy", unseen.accuracy)
      .add("unseenLogLoss", unseen.loss)
      .add("calibrationError", unseen.calibration_error);
}

/// Formats the objective and the validation loss of the weights that the training
/// returns.
std::string describe_objective(const TrainReport& report) {
  const optim::Summary& summary = report.summary;
  if (summary.objective_history.empty()) return "";
  const auto best = static_cast<std::size_t>(summary.best_iteration());
  const std::string unit = report.has_epochs ? "epoch" : "iteration";
  std::string text =
      "objective       " + six_digits(summary.objective_history[best]);
  const bool is_validated = best < summary.validation_history.size();
  if (report.has_epochs && best > 0) text += " (mean over the epoch)";
  if (!is_validated) return text + '\n';
  return text + "\nvalidation loss " +
         six_digits(summary.validation_history[best]) + " (the lowest, at " +
         unit + ' ' + std::to_string(best) + ", whose weights are kept)\n";
}

/// Warns if the score of the training is far above the score of the test.
void add_test_warning(TrainReport& report) {
  const auto train = score_of(report.train);
  const auto test = score_of(*report.test);
  if (!train || !test) return;
  if (auto warning = warn_of_overfit_on_test(
          *train, *test, count_instances(*report.test), !report.is_regressor)) {
    report.warnings.push_back(*std::move(warning));
  }
}

}  // namespace

std::string describe_stop(const FitResult& fit, int signal) {
  if (has_diverged(fit)) return "diverged";
  if (fit.summary.convergence_reason !=
      optim::ConvergenceReason::kStoppedByCallback) {
    return "";
  }
  return "stopped by " + (signal != 0 ? signal_name(signal) : "another rank");
}

void add_overfit_warning(TrainReport& report) {
  const auto* accuracy = std::get_if<Accuracy>(&report.train);
  const auto* metrics = std::get_if<RegressionMetrics>(&report.train);
  if (report.test) add_test_warning(report);
  if (!report.folds || (!accuracy && !metrics)) return;
  // R2 of one row has no value.
  if (report.folds->has_undefined) return;
  const auto [mean, deviation] = MeanAndDeviation::of(report.folds->scores);
  const auto num_folds = static_cast<double>(report.folds->scores.size());
  if (auto warning = warn_of_overfit(accuracy ? accuracy->ratio() : metrics->r2,
                                     mean, deviation / std::sqrt(num_folds))) {
    report.warnings.push_back(*std::move(warning));
  }
}

TrainReport make_report(const TrainingJob& job, const TrainingData& data,
                        const FitResult& fit, const StopSignal& signal) {
  const Model& model = fit.model;
  TrainReport report;
  report.summary = fit.summary;
  report.stop = describe_stop(fit, signal.received());
  report.has_epochs = has_mini_batches(job.params.solver);
  MetricsLimit limit(signal.flag());
  const auto measure = [&](const datasets::Dataset& part) {
    return measure_quality(model, TrainingInstances::view(part), job.global,
                           limit);
  };
  report.train = measure_quality(model, *data.instances, job.global, limit,
                                 job.group_of_parts());
  if (data.test) report.test = measure(*data.test);
  report.coverage = job.options.coverage;
  if (data.test && report.coverage) {
    const Scorer scorer(model, *job.global.backend.implementation);
    report.test_coverage = measure_coverage(
        model, scorer.predict_raw(*data.test, job.global.num_threads),
        data.test->target_matrix());
  }
  if (data.validation) report.validation = measure(*data.validation);
  report.backend = job.global.backend;
  report.precision = job.options.precision;
  report.layers = model.layers();
  report.is_regressor = model.is_regressor();
  report.label_names = data.classes.names;
  report.warnings = fit.warnings;
  report.selection = fit.selection;
  report.stored = data.stored;
  return report;
}

std::string format_train_json(const TrainReport& report) {
  const optim::Summary& summary = report.summary;
  JsonObject json;
  json.add("objectiveHistory", summary.objective_history);
  if (!summary.validation_history.empty()) {
    json.add("validationHistory", summary.validation_history)
        .add("bestIteration", summary.best_iteration());
  }
  json.add("totalIterations", summary.total_iterations())
      .add("evaluations", summary.evaluations)
      .add("convergenceReason",
           optim::text_of(summary.convergence_reason).name);
  const auto add = [&](const std::string& name, const Quality& quality) {
    add_quality(json, name, quality, report.is_regressor);
  };
  add("train", report.train);
  if (report.test) add("test", *report.test);
  add_coverage(json, "test", report.test_coverage);
  if (report.validation) add("validation", *report.validation);
  if (report.folds) {
    add_folds(json, report.is_regressor ? "R2" : "Accuracy",
              report.folds->scores);
    add_folds(json, "Rmse", report.folds->rmse);
  }
  if (report.selection) {
    add_selection(json, *report.selection, report.is_regressor);
  }
  json.add("seconds", report.seconds)
      .add("rows", count_instances(report.train));
  if (report.test) json.add("testRows", count_instances(*report.test));
  if (report.validation) {
    json.add("validationRows", count_instances(*report.validation));
  }
  json.add("layers", report.layers)
      .add("backend", report.backend.name)
      .add("kernels", report.backend.implementation->name())
      .add("device", report.backend.device)
      .add("precision", precision_name(report.precision));
  if (report.stored && report.stored->sparse_bytes == 0.0) {
    JsonObject file;
    file.add("folder", report.stored->folder)
        .add("neededBytes", static_cast<Index>(report.stored->needed_bytes))
        .add("allowedBytes", static_cast<Index>(report.stored->allowed_bytes));
    json.add_json("featureFile", file.text());
  }
  json.add_json("warnings", warnings_json(report.warnings));
  if (report.model_file.empty()) {
    json.add_json("model", "null");
  } else {
    json.add("model", report.model_file);
  }
  if (report.is_regressor) return json.text();
  std::vector<std::string> labels = report.label_names;
  const auto num_classes = static_cast<std::size_t>(report.layers.back());
  while (labels.size() < num_classes) {
    labels.push_back(std::to_string(labels.size()));
  }
  return json.add("labels", labels).text();
}

std::string format_train_text(const TrainReport& report) {
  const optim::Summary& summary = report.summary;
  const auto& reason = optim::text_of(summary.convergence_reason);
  std::string text = report.folds ? describe_folds(*report.folds) : "";
  if (report.selection) {
    text += describe_selection(*report.selection, report);
  }
  text += describe_quality("train", report.train);
  if (report.test) text += describe_quality("test", *report.test);
  text += coverage_line("test", report.test_coverage, report);
  if (report.validation) {
    text += describe_quality("validation", *report.validation);
  }
  if (!report.selection) {
    text += describe_objective(report);
    const std::string why =
        std::string(reason.name) + ": " + std::string(reason.sentence);
    text += "iterations      " + std::to_string(summary.total_iterations()) +
            " (" + (report.stop.empty() ? why : report.stop) + ")\n";
  }
  text += "seconds         " + print_number("%.3g", report.seconds) + '\n';
  return text + "model           " +
         (report.model_file.empty() ? "not saved" : report.model_file) + '\n';
}

}  // namespace mlp::cli
