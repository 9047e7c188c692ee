// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../../core/types.hpp"

/// What the reader of a CSV file assumed because no option decided it.
namespace mlp::datasets {

/// Assumptions that can be wrong, so that a program can report them.
struct CsvGuesses {
  /// True if the first row is a header although all its names are numbers.
  bool is_number_header = false;

  /// True if the first row is data although it reads 0, 1, 2, ...
  bool is_number_row = false;

  /// A column whose name in the header is a number like those of data; the first
  /// row may be data then.
  std::optional<Index> number_as_name;

  /// Columns without a name that name the rows; they are left out.
  std::vector<Index> row_names;

  /// Columns without a name that are features although no option lists them.
  std::vector<Index> unnamed_features;

  /// Other columns that may be the label if no option names it, at most three.
  std::vector<std::string> other_labels;

  /// A name that several features have; their order tells them apart.
  std::optional<std::string> repeated_name;

  /// The name of the label, if a feature has it too: a model cannot find both.
  std::optional<std::string> name_of_label_and_feature;

  friend bool operator==(const CsvGuesses&, const CsvGuesses&) = default;
};

}  // namespace mlp::datasets
