// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "../input_column.hpp"
#include "../missing_values.hpp"
#include "../reading/known_columns.hpp"
#include "../reading/vector_columns.hpp"
#include "csv_dialect.hpp"

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

/// Which columns are read as categories.
struct OneHotRule {
  /// True for every column of texts.
  bool is_auto = false;

  /// More columns, even if their values are numbers: names or 0-based indices;
  /// negative indices count from the end.
  std::vector<std::string> columns;

  /// True if nobody asked for it: files of other formats than CSV are read too.
  bool is_default = false;

  /// True for columns of Arrow tables that have a dictionary, whatever their values are;
  /// is_auto takes them, too.
  bool has_dictionaries = false;

  [[nodiscard]] bool takes_dictionaries() const {
    return is_auto || has_dictionaries;
  }

  [[nodiscard]] bool is_on() const { return is_auto || !columns.empty(); }

  friend bool operator==(const OneHotRule&, const OneHotRule&) = default;
};

/// Options for reading a CSV file.
struct CsvOptions {
  /// The label column: a name or a 0-based index; negative indices count from
  /// the end. If both match, the name is used. If empty, the label is the
  /// known one, or without it the column named label, class, target or species in
  /// any case, or else the last column.
  std::string label;

  /// The label column of the training that the file is for, used if `label` is
  /// empty. The file must have it: the reader never takes another column then.
  std::optional<KnownLabel> known_label;

  /// The column with the weights of the instances, given like the label. It is
  /// not a feature. If empty, there are no weights.
  std::string weight;

  /// The column that names the group of each instance, given like the label. It is
  /// not a feature. If empty, there are no groups.
  std::string group;

  LabelRule label_rule = LabelRule::kRequired;

  /// Keeps labels as texts even if all are numbers. Set it if the classes of
  /// the model have names.
  bool label_as_text = false;

  /// The feature columns, in this order, if the file has a header. Without a
  /// header only their number is used. If empty, all columns except the label
  /// and the weight are features.
  std::vector<std::string> feature_names;

  /// How many columns at the end have values that the names of folders give. They have no
  /// index, and the default label is never one of them.
  Index num_folder_columns = 0;

  /// The vectors of files whose rows have a field for each element. The other indices of
  /// these options count the fields then. The default label is never an element.
  VectorColumns vectors;

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

  /// Label columns of a regression of several numbers. They are no features; their
  /// texts are returned after those of the kept columns.
  std::vector<std::string> targets;

  /// ',', ';', tab, '|' or ' ', which stands for any number of spaces and tabs; 0
  /// chooses by the first record.
  char delimiter = 0;

  /// '.' or ',': what separates the decimals of numbers.
  char decimal = '.';

  /// The texts that mean a missing value.
  MissingTexts missing_texts;

  /// Missing values of a file whose columns are not known.
  MissingRule missing = MissingRule::kRefuse;

  /// True if nobody asked for `missing`: files of other formats than CSV are read too,
  /// and columns of numbers without a missing value stay plain features.
  bool is_missing_default = false;

  /// True if the text stands for the rows of a table of another format: a line is a
  /// record, whatever its fields have, and no row repeats the header.
  bool is_of_table = false;

  /// True if a training makes features of missing values, ColumnFeatureRules.
  bool marks_missing = false;

  OneHotRule one_hot;

  /// The columns of a model, Model::input_columns(), if it has any. Their
  /// categories and values for missing replace one_hot and MissingRule::kMean.
  /// use_columns() sets them.
  std::vector<InputColumn> columns;

  /// What the reader does with a category that `columns` does not have.
  UnknownRule unknown = UnknownRule::kRefuse;

  /// Returns the number of features that a file must have; 0 accepts any.
  [[nodiscard]] Index num_expected_features() const {
    return feature_names.empty() ? num_features
                                 : static_cast<Index>(feature_names.size());
  }

  /// Expects the columns of a model, by their names if they have names.
  void use_columns(const std::vector<InputColumn>& of_model) {
    columns = of_model;
    feature_names = column_names(of_model);
    num_features = static_cast<Index>(of_model.size());
  }

  /// Returns true if somebody asked for an encoding of columns.
  [[nodiscard]] bool asks_for_columns() const {
    return (one_hot.is_on() && !one_hot.is_default) ||
           (missing == MissingRule::kMean && !is_missing_default);
  }

  /// Reads texts and missing values as the preset modern does, where nobody asked for
  /// something else.
  void use_preset(bool has_one_hot, bool has_missing, bool has_unknown) {
    if (!has_one_hot) one_hot = {true, {}, true};
    if (!has_missing) missing = MissingRule::kMean;
    if (!has_unknown) unknown = UnknownRule::kOther;
    is_missing_default = !has_missing;
    marks_missing = missing == MissingRule::kMean;
  }

  /// Returns true if columns that cannot be features are left out: nobody chose the
  /// features.
  [[nodiscard]] bool leaves_out_columns() const {
    return one_hot.is_default && columns.empty() && features.empty() &&
           feature_names.empty();
  }

  /// Reads fields as a model says, Model::input_rules(), if it has categories.
  ///
  /// \pre use_columns() was called if it has columns
  void use_rules(const InputRules& of_model) {
    if (has_categories(columns)) unknown = of_model.unknown;
    missing_texts = missing_texts_of(of_model);
  }

  /// Returns true if features may be texts. A reading that only describes a file takes
  /// dictionaries, and decides about the header as the training does.
  [[nodiscard]] bool may_have_texts() const {
    return one_hot.is_on() || one_hot.has_dictionaries ||
           has_categories(columns);
  }

  /// Maximum number of threads, used for large files; does not change a result.
  int num_threads = 1;
};

/// The column that is used as the label.
struct ChosenLabel {
  /// 0-based index of the column.
  Index column = 0;

  /// Empty if the file has no header.
  std::string name;

  /// True if neither label nor known_label tells it, or known_label is an index and
  /// the file has names.
  bool is_default = false;

  friend bool operator==(const ChosenLabel&, const ChosenLabel&) = default;
};

}  // namespace mlp::datasets
