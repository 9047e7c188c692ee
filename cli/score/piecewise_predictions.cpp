// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "piecewise_predictions.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/ordered_pieces.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/utf8.hpp"
#include "../../datasets/load/csv_pieces.hpp"
#include "../../datasets/load/data_files.hpp"
#include "scoring_data.hpp"

namespace mlp::cli {

namespace {

using datasets::CsvPieces;

/// Refuses texts that JSON cannot store. Loading the data tells which.
void check_texts(const std::vector<datasets::KeptColumn>& kept) {
  for (const datasets::KeptColumn& column : kept) {
    const bool is_valid =
        is_utf8(column.name) &&
        std::all_of(column.texts.begin(), column.texts.end(), is_utf8);
    if (!is_valid) throw DataError("a kept text is not UTF-8");
  }
}

/// Predicts all pieces and passes their lines on.
class PieceScoring {
 public:
  PieceScoring(CsvPieces& pieces, const PredictionLines& lines,
               OutputFormat format)
      : pieces_(pieces),
        lines_(lines),
        is_json_(format == OutputFormat::kJsonLines) {}

  void run(int num_threads, const TextSink& sink) {
    ThreadPool pool(
        static_cast<int>(std::min<Index>(num_threads, pieces_.max_pieces())));
    OrderedPieces ordered(sink, pool.num_threads());
    sink(lines_.header());
    pool.parallel_for(pool.num_threads(),
                      [&](Index, int) { work_on(ordered); });
  }

 private:
  /// Predicts one piece after the other until the file ends.
  void work_on(OrderedPieces& ordered) const try {
    CsvPieces::Piece piece;
    std::string text;
    while (pieces_.next(piece)) {
      if (is_json_) check_texts(piece.kept());
      text.clear();
      // A long header is a piece without rows.
      if (piece.features().cols() != 0) {
        lines_.append(piece.features(), piece.kept(), 0, text);
      }
      if (!ordered.add(piece.number(), text)) return;
    }
  } catch (...) {
    ordered.cancel();
    throw;
  }

  CsvPieces& pieces_;
  const PredictionLines& lines_;
  bool is_json_;
};

/// Returns true if rows have the same bits in batches of any size.
bool may_score_in_pieces(const GlobalOptions& options) {
  return options.backend.device == "cpu" && options.backend.name == "cpu";
}

}  // namespace

bool predict_in_pieces(const Model& model, const CommandLine& line,
                       const PredictionTable& table,
                       const GlobalOptions& options,
                       const TableOutput& output) try {
  if (!output.is_replaced() || !may_score_in_pieces(options)) return false;
  datasets::LoadOptions load = instance_options(model, line, options);
  if (load.scale != 1.0) return false;
  // A missing value ends the pieces. The whole file is then read, and it filled in.
  if (model.input_columns().empty()) load.csv.columns.clear();
  const datasets::DataFiles files = datasets::find_data_files(line.data());
  if (files.paths.size() != 1 || !files.columns.empty()) return false;
  const std::unique_ptr<CsvPieces> pieces =
      CsvPieces::open(files.paths.front(), load.csv);
  if (!pieces) return false;
  const datasets::LoadedData description = pieces->description();
  PredictionTable named = table;
  named.kept = description.kept;
  const PredictionLines lines(model, named.line_content(),
                              *options.backend.implementation);
  std::string contents;
  output.write(
      [&](const TextSink& sink) {
        PieceScoring(*pieces, lines, table.format)
            .run(options.num_threads, sink);
        contents = "the predictions of " + std::to_string(pieces->finish()) +
                   " instances";
        note_instances(model, load, description, options.console);
        options.console.detail(describe_backend(options.backend));
      },
      contents, options.console);
  return true;
} catch (const DataError&) {
  return false;
} catch (const ParamError&) {
  return false;
}

}  // namespace mlp::cli
