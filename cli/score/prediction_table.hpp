// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Predicts instances and writes the predictions as CSV or JSON Lines.

#include <string>
#include <string_view>
#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/csv/kept_columns.hpp"
#include "../../mlp/backend/reference_backend.hpp"
#include "../../mlp/model/model.hpp"
#include "../flags/flag_values.hpp"

namespace mlp::cli {

/// Parses a list such as "prediction,probability,rawPrediction".
///
/// \throws ParamError for an unknown or repeated name
[[nodiscard]] std::vector<OutputColumn> parse_output_columns(
    std::string_view text);

/// Formats a CSV field, with quotes if RFC 4180 requires them.
[[nodiscard]] std::string csv_field(std::string_view text);

/// What a table of predictions has.
struct PredictionTable {
  std::vector<OutputColumn> columns;
  OutputFormat format = OutputFormat::kCsv;

  /// Columns of the data; they come first.
  std::vector<datasets::KeptColumn> kept;
};

/// Predicts instances and writes the result: CSV with a header, or for each
/// instance one line that is a JSON object. There, kept columns and classes are
/// texts, and probability and rawPrediction are objects with a number for each
/// class. So is the prediction of a regressor of several numbers; in CSV it is a
/// column for each.
///
/// \param features  [num_features x num_instances]
/// \throws ParamError for a regressor's probability, and for a kept column with
///         the name of an output
[[nodiscard]] std::string format_predictions(
    const Model& model, const Matrix& features, const PredictionTable& table,
    const Backend& backend = reference_backend(), int num_threads = 1);

}  // namespace mlp::cli
