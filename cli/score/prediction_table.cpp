// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "prediction_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../console/json_output.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

namespace {

/// The numbers that a table shows.
struct Predictions {
  Matrix raw;          ///< [num_classes x num_instances]
  Matrix probability;  ///< [num_classes x num_instances], or empty
  Vector prediction;   ///< [num_instances]

  [[nodiscard]] const Matrix& numbers(OutputColumn column) const {
    return column == OutputColumn::kProbability ? probability : raw;
  }
};

/// Returns true if a prediction is several numbers: the raw predictions.
bool predicts_several(const Model& model) {
  return model.is_regressor() && model.num_classes() > 1;
}

/// Returns the names of the columns of a CSV table.
std::vector<std::string> column_names(const Model& model,
                                      const PredictionTable& table) {
  std::vector<std::string> names;
  for (const datasets::KeptColumn& kept : table.kept) {
    names.push_back(kept.name);
  }
  for (const OutputColumn column : table.columns) {
    const std::string name(name_in(kOutputColumnNames, column));
    if (column == OutputColumn::kPrediction && !predicts_several(model)) {
      names.push_back(name);
      continue;
    }
    if (table.format == OutputFormat::kJsonLines) names.push_back(name);
    for (Index i = 0; i < model.num_classes(); ++i) {
      names.push_back(name + '_' + model.class_name(i));
    }
  }
  return names;
}

/// Refuses kept columns with the name of another column.
void check_distinct(const std::vector<std::string>& names,
                    std::size_t num_kept) {
  for (std::size_t i = 0; i < num_kept; ++i) {
    const auto next = names.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::find(next, names.end(), names[i]) == names.end()) continue;
    throw ParamError("--keep: two columns of the output would be named " +
                     datasets::in_quotes(names[i]) +
                     "; keep other columns or rename this one");
  }
}

void append_numbers(std::string& text, const Matrix& numbers, Index instance) {
  for (Index i = 0; i < numbers.rows(); ++i) {
    append_double(text, numbers(i, instance));
    text += ',';
  }
}

std::string format_csv(const Model& model, const Predictions& predictions,
                       const PredictionTable& table,
                       const std::vector<std::string>& names) {
  std::vector<std::string> classes;
  for (Index i = 0; i < model.num_classes(); ++i) {
    classes.push_back(csv_field(model.class_name(i)) + ',');
  }
  std::string text;
  for (const std::string& name : names) text += csv_field(name) + ',';
  text.back() = '\n';
  for (Index j = 0; j < predictions.raw.cols(); ++j) {
    for (const datasets::KeptColumn& kept : table.kept) {
      text += csv_field(kept.texts[static_cast<std::size_t>(j)]) + ',';
    }
    for (const OutputColumn column : table.columns) {
      if (column != OutputColumn::kPrediction || predicts_several(model)) {
        append_numbers(text, predictions.numbers(column), j);
      } else if (model.is_regressor()) {
        append_double(text, predictions.prediction[j]);
        text += ',';
      } else {
        text += classes[static_cast<std::size_t>(predictions.prediction[j])];
      }
    }
    text.back() = '\n';
  }
  return text;
}

/// Appends a number as JSON; infinities and NaN are texts.
void append_json(std::string& text, double number) {
  if (std::isfinite(number)) {
    append_double(text, number);
  } else {
    text += json_text(number);
  }
}

/// Appends an object with a number for each class.
///
/// \param keys  the classes as JSON, each with a colon
void append_object(std::string& text, const std::vector<std::string>& keys,
                   const Matrix& numbers, Index instance) {
  text += '{';
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i != 0) text += ',';
    text += keys[i];
    append_json(text, numbers(static_cast<Index>(i), instance));
  }
  text += '}';
}

std::string format_json_lines(const Model& model,
                              const Predictions& predictions,
                              const PredictionTable& table) {
  std::vector<std::string> classes;
  std::vector<std::string> keys;
  for (Index i = 0; i < model.num_classes(); ++i) {
    classes.push_back(json_text(model.class_name(i)));
    keys.push_back(classes.back() + ':');
  }
  std::vector<std::string> kept_keys;
  for (const datasets::KeptColumn& kept : table.kept) {
    kept_keys.push_back(json_text(kept.name) + ':');
  }
  std::vector<std::string> output_keys;
  for (const OutputColumn column : table.columns) {
    output_keys.push_back(json_text(name_in(kOutputColumnNames, column)) + ':');
  }
  std::string text;
  for (Index j = 0; j < predictions.raw.cols(); ++j) {
    text += '{';
    for (std::size_t i = 0; i < table.kept.size(); ++i) {
      text += kept_keys[i];
      text += json_text(table.kept[i].texts[static_cast<std::size_t>(j)]) + ',';
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const OutputColumn column = table.columns[i];
      text += output_keys[i];
      if (column != OutputColumn::kPrediction || predicts_several(model)) {
        append_object(text, keys, predictions.numbers(column), j);
      } else if (model.is_regressor()) {
        append_json(text, predictions.prediction[j]);
      } else {
        text += classes[static_cast<std::size_t>(predictions.prediction[j])];
      }
      text += ',';
    }
    text.back() = '}';
    text += '\n';
  }
  return text;
}

bool has(const std::vector<OutputColumn>& columns, OutputColumn column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

}  // namespace

std::vector<OutputColumn> parse_output_columns(std::string_view text) {
  std::vector<OutputColumn> columns;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const auto column = find_named(kOutputColumnNames, name);
    if (!column || has(columns, *column)) {
      refuse_value("output",
                   std::string(kChoices<kNamesOf<kOutputColumnNames>>) +
                       ", each at most once and separated by commas",
                   std::string(name));
    }
    columns.push_back(*column);
    if (comma == text.npos) return columns;
    text.remove_prefix(comma + 1);
  }
}

std::string csv_field(std::string_view text) {
  const bool is_plain = text.find_first_of(",\"\r\n") == text.npos;
  if (is_plain && !text.empty()) return std::string(text);
  std::string field = "\"";
  for (const char letter : text) {
    if (letter == '"') field += '"';
    field += letter;
  }
  return field + '"';
}

std::string format_predictions(const Model& model, const Matrix& features,
                               const PredictionTable& table,
                               const Backend& backend, int num_threads) {
  if (model.is_regressor() && has(table.columns, OutputColumn::kProbability)) {
    throw ParamError(
        "--output: must be prediction or rawPrediction for a regressor, which "
        "has no probabilities");
  }
  const bool is_csv = table.format == OutputFormat::kCsv;
  const std::vector<std::string> names = column_names(model, table);
  check_distinct(names, table.kept.size());
  const Scorer scorer(model, backend);
  Predictions predictions;
  predictions.raw = scorer.predict_raw(features, num_threads);
  if (has(table.columns, OutputColumn::kPrediction) &&
      !predicts_several(model)) {
    predictions.prediction = model.to_prediction(predictions.raw);
  }
  if (has(table.columns, OutputColumn::kProbability)) {
    predictions.probability = model.to_probability(predictions.raw);
  }
  return is_csv ? format_csv(model, predictions, table, names)
                : format_json_lines(model, predictions, table);
}

}  // namespace mlp::cli
