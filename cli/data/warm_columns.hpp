// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../datasets/csv/csv_options.hpp"
#include "../../datasets/input_column.hpp"
#include "../../datasets/reading/known_columns.hpp"
#include "../../mlp/model/model.hpp"
#include "../fit/train_options.hpp"

/// The columns of the model of --warm-start.
namespace mlp::cli {

/// Expects the label and the features of the model of --warm-start, by their names
/// if it has names: its weights belong to them.
inline void expect_warm_columns(datasets::CsvOptions& csv, const Model& model) {
  const datasets::KnownLabel label = model.known_label();
  if (label != datasets::KnownLabel()) csv.known_label = label;
  csv.feature_names = model.input_columns().empty()
                          ? model.feature_names()
                          : datasets::column_names(model.input_columns());
}

/// Returns the columns of the model of --warm-start, if no flag describes others.
[[nodiscard]] inline std::vector<datasets::InputColumn> columns_of_warm_start(
    const TrainOptions& options) {
  const EncodingFlags& flags = options.encoding;
  const bool has_flag =
      flags.one_hot.is_on() || flags.missing == datasets::MissingRule::kMean;
  if (!options.warm_start || has_flag) return {};
  return options.warm_start->input_columns();
}

/// Refuses other categories than those of the model of --warm-start: its weights
/// would belong to other features.
inline void check_warm_columns(const std::string& source,
                               const std::vector<datasets::InputColumn>& read,
                               const TrainOptions& options) {
  if (!options.warm_start) return;
  const auto& columns = options.warm_start->input_columns();
  if (columns.empty() || datasets::has_same_categories(columns, read)) return;
  throw DataError(
      source,
      "the categories differ from those of the model of "
      "--warm-start; leave out --one-hot and --missing to use those "
      "of the model");
}

}  // namespace mlp::cli
