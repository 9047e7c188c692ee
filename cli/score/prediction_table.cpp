// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "prediction_table.hpp"

#include <algorithm>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

namespace {

std::string make_header(const Model& model,
                        const std::vector<OutputColumn>& columns) {
  std::string header;
  for (const OutputColumn column : columns) {
    const std::string name(name_in(kOutputColumnNames, column));
    if (column == OutputColumn::kPrediction) {
      header += name + ',';
      continue;
    }
    for (Index i = 0; i < model.num_classes(); ++i) {
      header += csv_field(name + '_' + model.class_name(i)) + ',';
    }
  }
  header.back() = '\n';
  return header;
}

void append_numbers(std::string& text, const Matrix& numbers, Index instance) {
  for (Index i = 0; i < numbers.rows(); ++i) {
    append_double(text, numbers(i, instance));
    text += ',';
  }
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
                               const std::vector<OutputColumn>& columns,
                               const Backend& backend, int num_threads) {
  if (model.is_regressor() && has(columns, OutputColumn::kProbability)) {
    throw ParamError(
        "--output: must be prediction or rawPrediction for a regressor, which "
        "has no probabilities");
  }
  const Scorer scorer(model, backend);
  const Matrix raw = scorer.predict_raw(features, num_threads);
  const Vector prediction = model.to_prediction(raw);
  const Matrix probability = has(columns, OutputColumn::kProbability)
                                 ? model.to_probability(raw)
                                 : Matrix();
  std::vector<std::string> names;
  for (Index i = 0; i < model.num_classes(); ++i) {
    names.push_back(csv_field(model.class_name(i)) + ',');
  }
  std::string text = make_header(model, columns);
  for (Index j = 0; j < raw.cols(); ++j) {
    for (const OutputColumn column : columns) {
      if (column == OutputColumn::kPrediction && model.is_regressor()) {
        append_double(text, prediction[j]);
        text += ',';
      } else if (column == OutputColumn::kPrediction) {
        text += names[static_cast<std::size_t>(prediction[j])];
      } else {
        append_numbers(
            text, column == OutputColumn::kProbability ? probability : raw, j);
      }
    }
    text.back() = '\n';
  }
  return text;
}

}  // namespace mlp::cli
