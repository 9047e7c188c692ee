// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/usage_error.hpp"
#include "../flags/flag_reader.hpp"
#include "prediction_table.hpp"
#include "scoring_data.hpp"
#include "table_output.hpp"

namespace mlp::cli {

int run_predict(const CommandLine& line, const GlobalOptions& options) {
  const FlagReader flags(line);
  const std::vector<OutputColumn> columns =
      parse_output_columns(flags.text("output", "prediction"));
  if (options.is_json) {
    throw UsageError("--json: is not a flag of predict, which writes CSV");
  }
  const TableOutput output(line);

  const Model model = load_model(line.arguments[0]).model;
  const datasets::Dataset data =
      load_instances(model, line, line.arguments[1], options);
  options.console.detail(describe_backend(options.backend));
  const std::string text =
      format_predictions(model, data.features, columns,
                         *options.backend.implementation, options.num_threads);
  output.write(text,
               "the predictions of " + std::to_string(data.num_instances()) +
                   " instances",
               options.console);
  return kSuccess;
}

}  // namespace mlp::cli
