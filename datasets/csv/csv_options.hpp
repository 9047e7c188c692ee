// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../../core/types.hpp"

/// Options of the CSV reader.
namespace mlp::datasets {

/// Whether a CSV file must have a label column.
enum class LabelRule {
  kRequired,  ///< training, evaluation: one column is the label
  kOptional,  ///< prediction: a label column is ignored if there is one
  kAbsent     ///< every column is a feature, or features are chosen by name
};

/// Whether the first row of a CSV file has the names of the columns.
enum class HeaderRule {
  kAuto,  ///< decided by the first row and the rows below
  kYes,
  kNo
};

/// Options for reading a CSV file.
struct CsvOptions {
  /// The label column: a name or a 0-based index; negative indices count from
  /// the end. If both match, the name is used. If empty, the label is the
  /// column named label, class, target or species in any case, or else the last
  /// column.
  std::string label;

  /// The name of the column that is the label if `label` is empty and the header
  /// has this name once. It comes before the usual names.
  std::string usual_label;

  /// The column with the weights of the instances, given like the label. It is
  /// not a feature. If empty, there are no weights.
  std::string weight;

  LabelRule label_rule = LabelRule::kRequired;

  /// Keeps labels as texts even if all are numbers. Set it if the classes of
  /// the model have names.
  bool label_as_text = false;

  /// The feature columns, in this order, if the file has a header. Without a
  /// header only their number is used. If empty, all columns except the label
  /// and the weight are features.
  std::vector<std::string> feature_names;

  /// The expected number of features; 0 accepts any. If feature_names is not
  /// empty, its size is used instead.
  Index num_features = 0;

  HeaderRule header = HeaderRule::kAuto;

  /// The columns that are features, in this order, each given like the label. If
  /// empty, all columns except the label, the weight and the ignored ones are
  /// features.
  std::vector<std::string> features;

  /// Columns that are not read, each given like the label.
  std::vector<std::string> ignored;

  /// Columns whose texts are returned beside the instances, each given like the
  /// label. A kept column may also be a feature.
  std::vector<std::string> kept;

  /// ',', ';', tab or '|'; 0 selects the most frequent one in the first record.
  char delimiter = 0;

  /// Maximum number of threads, used for large files; does not change a result.
  int num_threads = 1;
};

/// The column that is used as the label.
struct ChosenLabel {
  /// 0-based index of the column.
  Index column = 0;

  /// Empty if the file has no header.
  std::string name;

  /// True if neither label nor usual_label names it.
  bool is_default = false;

  friend bool operator==(const ChosenLabel&, const ChosenLabel&) = default;
};

}  // namespace mlp::datasets
