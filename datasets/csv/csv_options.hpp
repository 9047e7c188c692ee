// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../core/types.hpp"

namespace mlp::datasets {

/// What a CSV reader does about the label column.
enum class LabelRule {
  kRequired,  ///< training, evaluation: some column is the label
  kOptional,  ///< prediction: a label column is left out where there is one
  kAbsent     ///< every column is a feature, or chosen by name
};

/// How to read a CSV file.
struct CsvOptions {
  /// The label column: a name, or a 0-based index, negative from the end; a
  /// name wins. Empty: the column named label, class, target or species in any
  /// case, else the last one.
  std::string label;

  /// The column that says what each instance counts, named as the label is; it
  /// is no feature. Empty: there is none.
  std::string weight;

  LabelRule label_rule = LabelRule::kRequired;

  /// Keeps the labels as texts even if all are numbers: the classes of the
  /// model have names.
  bool label_as_text = false;

  /// The columns that become the features, in this order, where the file has a
  /// header; else they only say how many there are. Empty: all but the label and
  /// the weight.
  std::vector<std::string> feature_names;

  /// The number of features that is expected; 0: any. The size of feature_names
  /// wins.
  Index num_features = 0;

  /// ',', ';' or tab; 0: the one that occurs most often in the first record.
  char delimiter = 0;

  /// Threads at most, which large files are read by; never changes a result.
  int num_threads = 1;
};

/// The column that became the label.
struct ChosenLabel {
  /// 0-based.
  Index column = 0;

  /// Empty where the file has no header.
  std::string name;

  /// True where no option named it.
  bool is_default = false;

  friend bool operator==(const ChosenLabel&, const ChosenLabel&) = default;
};

}  // namespace mlp::datasets
