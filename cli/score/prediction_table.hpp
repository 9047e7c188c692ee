// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Predicts instances and writes the predictions as CSV.

#include <string>
#include <string_view>
#include <vector>

#include "../../core/types.hpp"
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

/// Predicts instances and writes the result as CSV with a header.
///
/// \param features  [num_features x num_instances]
[[nodiscard]] std::string format_predictions(
    const Model& model, const Matrix& features,
    const std::vector<OutputColumn>& columns,
    const Backend& backend = reference_backend(), int num_threads = 1);

}  // namespace mlp::cli
