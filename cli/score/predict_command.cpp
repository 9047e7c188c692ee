// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/atomic_file.hpp"
#include "../../core/error.hpp"
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/output_file.hpp"
#include "../console/usage_error.hpp"
#include "../flags/flag_reader.hpp"
#include "prediction_table.hpp"
#include "scoring_data.hpp"

namespace mlp::cli {

int run_predict(const CommandLine& line, const GlobalOptions& options) {
  const FlagReader flags(line);
  const std::string& model_file = line.arguments[0];
  const std::string& data_file = line.arguments[1];
  const std::string out = flags.text("out", "-");
  const std::vector<OutputColumn> columns =
      parse_output_columns(flags.text("output", "prediction"));
  if (options.is_json) {
    throw UsageError("--json: is not a flag of predict, which writes CSV");
  }
  if (out != "-") check_writable(out);
  check_not_an_input(out, {model_file, data_file});

  const Model model = load_model(model_file).model;
  const datasets::Dataset data =
      load_instances(model, line, data_file, options);
  options.console.detail(describe_backend(options.backend));
  const std::string text =
      format_predictions(model, data.features, columns,
                         *options.backend.implementation, options.num_threads);
  if (out == "-") {
    write_output(text);
  } else {
    write_atomically<ResourceError>(out, text);
    options.console.note("wrote the predictions of " +
                         std::to_string(data.num_instances()) +
                         " instances to " + out);
  }
  return kSuccess;
}

}  // namespace mlp::cli
