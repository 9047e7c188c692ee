// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Predicts instances and writes the predictions as CSV or JSON Lines.

#include <string>
#include <string_view>
#include <vector>

#include "../../core/ordered_pieces.hpp"
#include "../../core/types.hpp"
#include "../../datasets/csv/kept_columns.hpp"
#include "../flags/flag_values.hpp"
#include "prediction_lines.hpp"

namespace mlp::cli {

/// Parses a list such as "prediction,probability,rawPrediction".
///
/// \throws ParamError for an unknown or repeated name
[[nodiscard]] std::vector<OutputColumn> parse_output_columns(
    std::string_view text);

/// What a table of predictions has.
struct PredictionTable {
  std::vector<OutputColumn> columns;
  OutputFormat format = OutputFormat::kCsv;

  /// Columns of the data; they come first.
  std::vector<datasets::KeptColumn> kept;

  /// Returns what each line has.
  [[nodiscard]] LineContent line_content() const;
};

/// Predicts instances and writes the result: CSV with a header, or JSON Lines.
///
/// Threads predict and format pieces of the table. It never is in memory as a whole,
/// and its bytes do not depend on the number of threads.
///
/// \param lines     the lines of this table
/// \param features  [num_features x num_instances]
/// \throws what the sink throws
void write_predictions(const PredictionLines& lines, const Matrix& features,
                       const PredictionTable& table, int num_threads,
                       const TextSink& sink);

}  // namespace mlp::cli
