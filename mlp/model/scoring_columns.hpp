// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/standard_scaler.hpp"
#include "model.hpp"

namespace mlp {

/// Returns the columns of a table of numbers, in which a missing value has the mean of
/// its column that a scaler subtracts.
///
/// \param scaler  of the features
/// \param names   of the features, or empty
/// \return empty if the scaler subtracts no means: no value may be missing
[[nodiscard]] inline std::vector<datasets::InputColumn> scoring_columns(
    const datasets::StandardScaler& scaler,
    const std::vector<std::string>& names) {
  const Vector& mean = scaler.mean;
  // A scaler that only divides does not know the means.
  if ((mean.array() == 0.0).all()) return {};
  std::vector<datasets::InputColumn> columns(
      static_cast<std::size_t>(mean.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!names.empty()) columns[i].name = names[i];
    columns[i].missing_value = mean[static_cast<Index>(i)];
  }
  return columns;
}

/// Returns the columns of a table that a model scores: those of its training. If these
/// were numbers without a missing value, and the model subtracts their means, a missing
/// value has the mean of its column.
///
/// \return empty if the columns are the features and no value may be missing
[[nodiscard]] inline std::vector<datasets::InputColumn> scoring_columns(
    const Model& model) {
  if (!model.input_columns().empty() || !model.scaler()) {
    return model.input_columns();
  }
  return scoring_columns(*model.scaler(), model.feature_names());
}

}  // namespace mlp
