// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Predicts instances and writes the predictions as CSV or JSON Lines.

#include <string>
#include <string_view>
#include <vector>

#include "../../core/ordered_pieces.hpp"
#include "../../core/types.hpp"
#include "../../datasets/csv/kept_columns.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/model/scorer.hpp"
#include "../flags/flag_values.hpp"

namespace mlp::cli {

/// Appends a CSV field, with quotes if RFC 4180 requires them.
void append_csv_field(std::string& text, std::string_view field);

/// The contents of each line.
struct LineContent {
  std::vector<OutputColumn> columns;
  OutputFormat format = OutputFormat::kCsv;

  /// Names of the columns of the data that come first.
  std::vector<std::string> kept_names;
};

/// Predicts instances and formats their lines: CSV, or JSON objects. There, kept
/// columns and classes are texts, and probability and rawPrediction are objects
/// with a number for each class. So are the prediction of a regressor of several
/// numbers and the ends of its intervals; in CSV they are a column for each. A set is
/// an array with the most probable class first; in CSV it is a field that is a line of
/// CSV itself.
///
/// Thread safety: all members are const and may run at the same time.
class PredictionLines {
 public:
  /// \param model  must outlive this object
  /// \throws ParamError for a regressor's probability, for intervals or sets that the
  ///         model does not have, and for a kept column with the name of an output
  PredictionLines(const Model& model, LineContent content,
                  const Backend& backend);

  /// Returns the first line of CSV; empty for JSON Lines.
  [[nodiscard]] std::string header() const;

  /// Predicts instances and appends a line for each.
  ///
  /// \param features  [num_features x size]
  /// \param kept      the kept columns of more instances
  /// \param first     where the instances begin in these
  void append(const ConstMatrixRef& features,
              const std::vector<datasets::KeptColumn>& kept, Index first,
              std::string& text) const;

  /// Returns the number of instances whose features, outputs and lines fit in the
  /// cache of a thread together: a multiple of Scorer::kPartSize.
  [[nodiscard]] Index instances_per_piece() const;

 private:
  struct Predictions;

  [[nodiscard]] bool has(OutputColumn column) const;
  [[nodiscard]] bool predicts_several() const;
  [[nodiscard]] bool has_one_column(OutputColumn column) const;
  [[nodiscard]] std::vector<std::string> column_names() const;
  [[nodiscard]] Predictions predict(const ConstMatrixRef& features) const;
  void append_set(const Predictions& predictions, Index instance,
                  std::string& text) const;
  void append_csv_line(const Predictions& predictions, Index instance,
                       std::string& text) const;
  void append_json_line(const Predictions& predictions, Index instance,
                        std::string& text) const;

  const Model& model_;
  LineContent content_;
  Scorer scorer_;
  std::vector<std::string> classes_;      ///< as a field, or as JSON
  std::vector<std::string> class_keys_;   ///< JSON with a colon
  std::vector<std::string> kept_keys_;    ///< JSON with a colon
  std::vector<std::string> output_keys_;  ///< JSON with a colon
};

/// Returns the columns that are written by default: the prediction, and the intervals
/// or sets that the model has.
[[nodiscard]] std::vector<OutputColumn> default_output_columns(
    const Model& model);

/// Parses a list such as "prediction,probability,rawPrediction".
///
/// \throws ParamError for an unknown or repeated name
[[nodiscard]] std::vector<OutputColumn> parse_output_columns(
    std::string_view text);

/// The contents of a table of predictions.
struct PredictionTable {
  std::vector<OutputColumn> columns;
  OutputFormat format = OutputFormat::kCsv;

  /// Columns of the data; they come first.
  std::vector<datasets::KeptColumn> kept;

  /// Returns the contents of each line.
  [[nodiscard]] LineContent line_content() const;
};

/// Predicts instances and writes the result: CSV with a header, or JSON Lines.
///
/// Threads predict and format pieces of the table. It never is in memory as a whole,
/// and its bytes do not depend on the number of threads.
///
/// \param lines     the lines of this table
/// \param features  [num_features x num_instances]
/// \throws what the sink throws
void write_predictions(const PredictionLines& lines,
                       const datasets::Dataset& data,
                       const PredictionTable& table, int num_threads,
                       const TextSink& sink);

}  // namespace mlp::cli
