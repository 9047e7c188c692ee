// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "prediction_table.hpp"

#include <algorithm>
#include <cstddef>

#include "../../core/thread_pool.hpp"
#include "../flags/flag_reader.hpp"

namespace mlp::cli {

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

void write_predictions(const PredictionLines& lines, const Matrix& features,
                       const PredictionTable& table, int num_threads,
                       const TextSink& sink) {
  const Index piece_size = lines.instances_per_piece();
  const Index num_pieces = (features.cols() + piece_size - 1) / piece_size;
  ThreadPool pool(static_cast<int>(
      std::clamp<Index>(num_pieces, 1, std::max(num_threads, 1))));
  std::vector<std::string> texts(static_cast<std::size_t>(pool.num_threads()));
  OrderedPieces pieces(sink, pool.num_threads());
  sink(lines.header());
  pool.parallel_for(num_pieces, [&](Index piece, int thread) {
    std::string& text = texts[static_cast<std::size_t>(thread)];
    text.clear();
    const Index first = piece * piece_size;
    const Index size = std::min(piece_size, features.cols() - first);
    try {
      lines.append(features.middleCols(first, size), table.kept, first, text);
    } catch (...) {
      pieces.cancel();
      throw;
    }
    static_cast<void>(pieces.add(piece, text));
  });
}

}  // namespace mlp::cli
