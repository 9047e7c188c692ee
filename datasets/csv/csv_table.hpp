// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../left_out_columns.hpp"
#include "../missing_values.hpp"
#include "csv_options.hpp"
#include "kept_columns.hpp"
#include "layout/csv_guesses.hpp"

namespace mlp::datasets {

/// The contents of a CSV file.
struct CsvTable {
  Dataset dataset;

  /// Empty if no column is the label.
  std::optional<ChosenLabel> chosen_label;

  bool has_header = false;

  /// The columns of the features by their indices in the file; empty if the features have
  /// names.
  std::vector<std::string> feature_columns;

  char delimiter = 0;  ///< 0 for other formats

  /// In the order of the options.
  std::vector<KeptColumn> kept;

  CsvGuesses guesses;

  /// If CsvOptions::leaves_out_columns().
  std::vector<LeftOutColumn> left_out;

  /// Of all rows of the file, those that were left out included.
  MissingValues missing;

  /// Between the rows; they are skipped.
  Index num_empty_lines = 0;
};

}  // namespace mlp::datasets
