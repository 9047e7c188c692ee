// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/usage_error.hpp"
#include "../flags/flag_reader.hpp"
#include "prediction_table.hpp"
#include "scoring_data.hpp"
#include "table_output.hpp"

namespace mlp::cli {

namespace {

/// Returns the format that --format names, or else the one that the name of the
/// file shows.
///
/// \throws UsageError  if the name ends in .json, which could mean either
OutputFormat choose_format(const FlagReader& flags) {
  const std::string path = flags.text("out");
  if (path.ends_with(".json") && !flags.has("format")) {
    const std::string name = path.substr(0, path.size() - 5);
    throw UsageError("--out: predictions are CSV or JSON Lines, got '" + path +
                     "'; write " + name + ".csv, or " + name +
                     ".jsonl for JSON Lines");
  }
  const bool has_ending = path.ends_with(".jsonl");
  return flags.choice(
      "format", kOutputFormatNames,
      has_ending ? OutputFormat::kJsonLines : OutputFormat::kCsv);
}

}  // namespace

int run_predict(const CommandLine& line, const GlobalOptions& options) {
  const FlagReader flags(line);
  PredictionTable table;
  table.columns = parse_output_columns(flags.text("output", "prediction"));
  if (options.is_json) {
    throw UsageError(
        "--json: is not a flag of predict, which writes CSV or, with --format "
        "jsonl, JSON Lines");
  }
  const TableOutput output(line);
  table.format = choose_format(flags);

  const Model model = load_model(line.arguments[0]).model;
  datasets::LoadedData data =
      load_instances(model, line, line.arguments[1], options);
  table.kept = std::move(data.kept);
  options.console.detail(describe_backend(options.backend));
  const std::string text =
      format_predictions(model, data.dataset.features, table,
                         *options.backend.implementation, options.num_threads);
  output.write(text,
               "the predictions of " +
                   std::to_string(data.dataset.num_instances()) + " instances",
               options.console);
  return kSuccess;
}

}  // namespace mlp::cli
