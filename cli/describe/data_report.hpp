// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../datasets/csv/csv_options.hpp"
#include "../data/class_labels.hpp"

namespace mlp::cli {

/// A data file as a training reads it.
struct DataReport {
  datasets::Dataset data;
  Classes classes;  ///< if there are labels

  std::optional<datasets::ChosenLabel> chosen_label;
  std::vector<Index> missing;  ///< values of each feature; may be empty
  std::vector<std::string> feature_columns;  ///< of features without names
  char delimiter = 0;                  ///< of a CSV file; 0 for other formats
  bool has_header = false;             ///< of a CSV file
  bool has_texts = false;              ///< the labels are texts
  bool is_regression = false;          ///< the labels are numbers to predict
  std::optional<std::string> command;  ///< that trains on the file
};

/// Describes the content of a data file as JSON.
[[nodiscard]] std::string format_data_json(const DataReport& report);

/// Describes the content of a data file as text.
[[nodiscard]] std::string format_data_text(const DataReport& report);

}  // namespace mlp::cli
