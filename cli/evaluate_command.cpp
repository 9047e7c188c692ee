// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../mlp/classifier.hpp"
#include "../mlp/model_json.hpp"
#include "commands.hpp"
#include "default_backend.hpp"
#include "exit_code.hpp"
#include "metrics_report.hpp"
#include "scoring_data.hpp"

namespace mlp::cli {

int run_evaluate(const CommandLine& line, const GlobalOptions& options) {
  const Model model = load_model(line.arguments[0]).model;
  const datasets::Dataset data =
      load_labelled_instances(model, line, line.arguments[1], options);
  const Metrics metrics = evaluate(model, data, default_backend());
  write_output(options.is_json ? format_metrics_json(metrics, model)
                               : format_metrics_text(metrics, model));
  return kSuccess;
}

}  // namespace mlp::cli
