// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "prediction_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/thread_pool.hpp"
#include "../../datasets/csv/csv_quotes.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../console/json_output.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

namespace {

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

/// Refuses intervals and sets that a model does not have.
void check_regions(const Model& model,
                   const std::vector<OutputColumn>& columns) {
  for (const OutputColumn column : columns) {
    const bool is_set = column == OutputColumn::kSet;
    const bool is_interval =
        column == OutputColumn::kLower || column == OutputColumn::kUpper;
    if ((!is_set || model.prediction_set()) &&
        (!is_interval || model.prediction_interval())) {
      continue;
    }
    throw ParamError(
        "--output: " + std::string(name_in(kOutputColumnNames, column)) +
        " needs a model with prediction " +
        (is_set ? "sets, which train --coverage gives a classifier"
                : "intervals, which train --interval gives a "
                  "regressor"));
  }
}

void append_numbers(std::string& text, const Matrix& numbers, Index instance) {
  for (Index i = 0; i < numbers.rows(); ++i) {
    append_double(text, numbers(i, instance));
    text += ',';
  }
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

}  // namespace

void append_csv_field(std::string& text, std::string_view field) {
  const bool is_plain = field.find_first_of(",\"\r\n") == field.npos;
  if (is_plain && !field.empty()) {
    text += field;
    return;
  }
  datasets::append_in_double_quotes(text, field);
}

/// The numbers that lines show, and the texts before them.
struct PredictionLines::Predictions {
  Matrix raw;          ///< [num_classes x size]
  Matrix probability;  ///< [num_classes x size], or empty
  Vector prediction;   ///< [size], or empty
  Matrix lower;        ///< of intervals   [num_outputs x size], or empty
  Matrix upper;        ///< as lower

  const std::vector<datasets::KeptColumn>* kept = nullptr;
  Index first = 0;  ///< where the instances begin in the kept columns

  [[nodiscard]] const Matrix& numbers(OutputColumn column) const {
    return column == OutputColumn::kProbability ? probability
           : column == OutputColumn::kLower     ? lower
           : column == OutputColumn::kUpper     ? upper
                                                : raw;
  }
  [[nodiscard]] const std::string& kept_text(std::size_t column,
                                             Index instance) const {
    return (*kept)[column].texts[static_cast<std::size_t>(first + instance)];
  }
};

PredictionLines::PredictionLines(const Model& model, LineContent content,
                                 const Backend& backend)
    : model_(model), content_(std::move(content)), scorer_(model, backend) {
  if (model.is_regressor() && has(OutputColumn::kProbability)) {
    throw ParamError(
        "--output: must be prediction or rawPrediction for a regressor, which "
        "has no probabilities");
  }
  check_regions(model, content_.columns);
  check_distinct(column_names(), content_.kept_names.size());
  const bool is_csv = content_.format == OutputFormat::kCsv;
  for (Index i = 0; i < model.num_classes(); ++i) {
    const std::string json = json_text(model.class_name(i));
    class_keys_.push_back(json + ':');
    classes_.emplace_back();
    if (is_csv) {
      append_csv_field(classes_.back(), model.class_name(i));
    } else {
      classes_.back() = json;
    }
  }
  for (const std::string& name : content_.kept_names) {
    kept_keys_.push_back(json_text(name) + ':');
  }
  for (const OutputColumn column : content_.columns) {
    output_keys_.push_back(json_text(name_in(kOutputColumnNames, column)) +
                           ':');
  }
}

bool PredictionLines::has(OutputColumn column) const {
  const auto& columns = content_.columns;
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

/// Returns true if a prediction is several numbers: the raw predictions.
bool PredictionLines::predicts_several() const {
  return model_.is_regressor() && model_.num_classes() > 1;
}

/// Returns true if a column is one number or text in CSV and JSON.
bool PredictionLines::has_one_column(OutputColumn column) const {
  if (column == OutputColumn::kSet) return true;
  const bool is_of_numbers = column == OutputColumn::kPrediction ||
                             column == OutputColumn::kLower ||
                             column == OutputColumn::kUpper;
  return is_of_numbers && !predicts_several();
}

std::vector<std::string> PredictionLines::column_names() const {
  std::vector<std::string> names = content_.kept_names;
  for (const OutputColumn column : content_.columns) {
    const std::string name(name_in(kOutputColumnNames, column));
    if (has_one_column(column)) {
      names.push_back(name);
      continue;
    }
    if (content_.format == OutputFormat::kJsonLines) names.push_back(name);
    for (Index i = 0; i < model_.num_classes(); ++i) {
      names.push_back(name + '_' + model_.class_name(i));
    }
  }
  return names;
}

std::string PredictionLines::header() const {
  if (content_.format != OutputFormat::kCsv) return "";
  std::string text;
  for (const std::string& name : column_names()) {
    append_csv_field(text, name);
    text += ',';
  }
  text.back() = '\n';
  return text;
}

PredictionLines::Predictions PredictionLines::predict(
    const ConstMatrixRef& features) const {
  Predictions predictions;
  predictions.raw = scorer_.predict_raw(features);
  if (has(OutputColumn::kPrediction) && !predicts_several()) {
    predictions.prediction = model_.to_prediction(predictions.raw);
  }
  if (has(OutputColumn::kLower)) {
    predictions.lower =
        predictions.raw.colwise() + model_.prediction_interval()->lower;
  }
  if (has(OutputColumn::kUpper)) {
    predictions.upper =
        predictions.raw.colwise() + model_.prediction_interval()->upper;
  }
  if (has(OutputColumn::kProbability) || has(OutputColumn::kSet)) {
    predictions.probability = model_.to_probability(predictions.raw);
  }
  return predictions;
}

void PredictionLines::append(const ConstMatrixRef& features,
                             const std::vector<datasets::KeptColumn>& kept,
                             Index first, std::string& text) const {
  Predictions predictions = predict(features);
  predictions.kept = &kept;
  predictions.first = first;
  const bool is_csv = content_.format == OutputFormat::kCsv;
  for (Index j = 0; j < features.cols(); ++j) {
    if (is_csv) {
      append_csv_line(predictions, j, text);
    } else {
      append_json_line(predictions, j, text);
    }
  }
}

/// Appends the classes of a set.
void PredictionLines::append_set(const Predictions& predictions, Index instance,
                                 std::string& text) const {
  std::string classes;
  for (const Index k : model_.prediction_set()->classes(
           predictions.probability.col(instance))) {
    if (!classes.empty()) classes += ',';
    classes += classes_[static_cast<std::size_t>(k)];
  }
  if (content_.format == OutputFormat::kCsv) {
    append_csv_field(text, classes);
  } else {
    text += '[' + classes + ']';
  }
}

void PredictionLines::append_csv_line(const Predictions& predictions,
                                      Index instance, std::string& text) const {
  for (std::size_t i = 0; i < content_.kept_names.size(); ++i) {
    append_csv_field(text, predictions.kept_text(i, instance));
    text += ',';
  }
  for (const OutputColumn column : content_.columns) {
    if (column == OutputColumn::kSet) {
      append_set(predictions, instance, text);
      text += ',';
      continue;
    }
    if (column != OutputColumn::kPrediction || predicts_several()) {
      append_numbers(text, predictions.numbers(column), instance);
      continue;
    }
    const double prediction = predictions.prediction[instance];
    if (model_.is_regressor()) {
      append_double(text, prediction);
    } else {
      text += classes_[static_cast<std::size_t>(prediction)];
    }
    text += ',';
  }
  text.back() = '\n';
}

void PredictionLines::append_json_line(const Predictions& predictions,
                                       Index instance,
                                       std::string& text) const {
  text += '{';
  for (std::size_t i = 0; i < content_.kept_names.size(); ++i) {
    text += kept_keys_[i];
    append_json_string(text, predictions.kept_text(i, instance));
    text += ',';
  }
  for (std::size_t i = 0; i < content_.columns.size(); ++i) {
    const OutputColumn column = content_.columns[i];
    text += output_keys_[i];
    if (column == OutputColumn::kSet) {
      append_set(predictions, instance, text);
    } else if (!has_one_column(column)) {
      append_object(text, class_keys_, predictions.numbers(column), instance);
    } else if (column != OutputColumn::kPrediction) {
      append_json(text, predictions.numbers(column)(0, instance));
    } else if (model_.is_regressor()) {
      append_json(text, predictions.prediction[instance]);
    } else {
      text +=
          classes_[static_cast<std::size_t>(predictions.prediction[instance])];
    }
    text += ',';
  }
  text.back() = '}';
  text += '\n';
}

Index PredictionLines::instances_per_piece() const {
  constexpr Index kNumbersPerPiece = 131072;
  const Index width = model_.num_features() + 3 * model_.num_classes();
  return std::max<Index>(kNumbersPerPiece / width / Scorer::kPartSize, 1) *
         Scorer::kPartSize;
}

std::vector<OutputColumn> default_output_columns(const Model& model) {
  std::vector<OutputColumn> columns = {OutputColumn::kPrediction};
  if (model.prediction_interval()) {
    columns.insert(columns.end(), {OutputColumn::kLower, OutputColumn::kUpper});
  }
  if (model.prediction_set()) columns.push_back(OutputColumn::kSet);
  return columns;
}

std::vector<OutputColumn> parse_output_columns(std::string_view text) {
  std::vector<OutputColumn> columns;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const auto column = find_named(kOutputColumnNames, name);
    if (!column ||
        std::find(columns.begin(), columns.end(), *column) != columns.end()) {
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

LineContent PredictionTable::line_content() const {
  LineContent content{columns, format, {}};
  for (const auto& column : kept) content.kept_names.push_back(column.name);
  return content;
}

void write_predictions(const PredictionLines& lines,
                       const datasets::Dataset& data,
                       const PredictionTable& table, int num_threads,
                       const TextSink& sink) {
  const Index piece_size = lines.instances_per_piece();
  const Index num_pieces = (data.num_instances() + piece_size - 1) / piece_size;
  ThreadPool pool(static_cast<int>(
      std::clamp<Index>(num_pieces, 1, std::max(num_threads, 1))));
  std::vector<std::string> texts(static_cast<std::size_t>(pool.num_threads()));
  OrderedPieces pieces(sink, pool.num_threads());
  sink(lines.header());
  pool.parallel_for(num_pieces, [&](Index piece, int thread) {
    std::string& text = texts[static_cast<std::size_t>(thread)];
    text.clear();
    const Index first = piece * piece_size;
    const Index size = std::min(piece_size, data.num_instances() - first);
    try {
      Matrix buffer;
      lines.append(data.rows(first, size, buffer), table.kept, first, text);
    } catch (...) {
      pieces.cancel();
      throw;
    }
    static_cast<void>(pieces.add(piece, text));
  });
}

}  // namespace mlp::cli
