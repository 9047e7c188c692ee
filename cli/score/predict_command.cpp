// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/utf8.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../console/usage_error.hpp"
#include "../device/device_choice.hpp"
#include "../flags/flag_reader.hpp"
#include "piecewise_predictions.hpp"
#include "prediction_table.hpp"
#include "scoring_data.hpp"
#include "table_output.hpp"

namespace mlp::cli {

namespace {

/// Returns the format that --format names, or else the one that the name of the
/// file shows.
///
/// \throws UsageError  if the name ends in .json, which could mean either, or as that of
///         a format which is read and not written
OutputFormat choose_format(const FlagReader& flags) {
  const std::string path = flags.text("out");
  for (const std::string_view ending :
       {".json", ".parquet", ".feather", ".arrow"}) {
    const bool is_chosen = ending == ".json" && flags.has("format");
    if (!path.ends_with(ending) || is_chosen) continue;
    const std::string name = path.substr(0, path.size() - ending.size());
    throw UsageError("--out: predictions are CSV or JSON Lines, got '" + path +
                     "'; write " + name + ".csv, or " + name +
                     ".jsonl for JSON Lines");
  }
  const bool has_ending = path.ends_with(".jsonl");
  return flags.choice(
      "format", kOutputFormatNames,
      has_ending ? OutputFormat::kJsonLines : OutputFormat::kCsv);
}

/// Refuses kept texts that JSON cannot store.
///
/// \throws DataError naming the first one
void check_kept_texts(const datasets::LoadedData& data) {
  const std::string& source = data.dataset.source;
  for (const datasets::KeptColumn& kept : data.kept) {
    const std::string column = "column " + datasets::in_quotes(kept.name);
    if (!is_utf8(kept.name)) {
      throw DataError(
          source, FilePosition{1, 0},
          "the name of " + column + ' ' + datasets::not_utf8(source));
    }
    for (std::size_t i = 0; i < kept.texts.size(); ++i) {
      if (is_utf8(kept.texts[i])) continue;
      const datasets::InstancePlace place =
          data.dataset.place_of(static_cast<Index>(i));
      throw DataError(place.file, place.position,
                      "the text " + datasets::in_quotes(kept.texts[i]) +
                          " of " + column + ' ' +
                          datasets::not_utf8(place.file) + "; or write CSV");
    }
  }
}

}  // namespace

int run_predict(const CommandLine& line, const GlobalOptions& given) {
  GlobalOptions options = given;
  open_requested_device(options, Precision::kFloat64);
  const FlagReader flags(line);
  PredictionTable table;
  if (flags.has("output")) {
    table.columns = parse_output_columns(flags.text("output"));
  }
  const TableOutput output(line);
  table.format = choose_format(flags);

  const Model model = load_model(line.arguments[0]).model;
  if (!flags.has("output")) table.columns = default_output_columns(model);
  if (predict_in_pieces(model, line, table, options, output)) return kSuccess;
  datasets::LoadedData data = load_instances(model, line, options);
  if (table.format == OutputFormat::kJsonLines) check_kept_texts(data);
  table.kept = std::move(data.kept);
  options.console.detail(describe_backend(options.backend));
  const PredictionLines lines(model, table.line_content(),
                              *options.backend.implementation);
  output.write(
      [&](const TextSink& sink) {
        write_predictions(lines, data.dataset, table, options.num_threads,
                          sink);
      },
      "the predictions of " + std::to_string(data.dataset.num_instances()) +
          " instances",
      options.console);
  return kSuccess;
}

}  // namespace mlp::cli
