// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../device/device_choice.hpp"
#include "metrics_report.hpp"
#include "scoring_data.hpp"

namespace mlp::cli {

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
                     : format_regression_text(report));
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
