// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../../core/types.hpp"
#include "../../mlp/backend/reference_backend.hpp"
#include "../../mlp/model/model.hpp"

namespace mlp::cli {

/// A group of columns that predict can write.
enum class OutputColumn { kPrediction, kProbability, kRawPrediction };

/// Reads "prediction,probability,rawPrediction", in any order.
///
/// \throws ParamError for an unknown or repeated name
[[nodiscard]] std::vector<OutputColumn> parse_output_columns(
    std::string_view text);

/// Writes a field of CSV: in quotes where RFC 4180 asks for them.
[[nodiscard]] std::string csv_field(std::string_view text);

/// Predicts instances and writes the result as CSV with a header.
///
/// \param features  [num_features x num_instances]
[[nodiscard]] std::string format_predictions(
    const Model& model, const Matrix& features,
    const std::vector<OutputColumn>& columns,
    const Backend& backend = reference_backend(), int num_threads = 1);

}  // namespace mlp::cli
