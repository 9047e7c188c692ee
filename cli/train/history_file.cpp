// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "history_file.hpp"

#include <cstddef>

#include "../../core/error.hpp"
#include "../../core/files/atomic_file.hpp"
#include "../../core/number_text.hpp"
#include "../console/console.hpp"

namespace mlp::cli {

void HistoryRecorder::record(const optim::Iteration& iteration) {
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  rows_.push_back({iteration.iteration, iteration.step_length,
                   iteration.evaluations, elapsed.count()});
}

std::string HistoryRecorder::csv(const optim::Summary& summary) const {
  std::string text =
      "iteration,objective,validationLoss,stepLength,evaluations,seconds\n";
  auto row = rows_.begin();
  const auto& losses = summary.validation_history;
  for (std::size_t i = 0; i < summary.objective_history.size(); ++i) {
    const auto iteration = static_cast<Index>(i);
    text += std::to_string(i) + ',' +
            format_double(summary.objective_history[i]) + ',';
    if (i < losses.size()) text += format_double(losses[i]);
    while (row != rows_.end() && row->iteration < iteration) ++row;
    if (row != rows_.end() && row->iteration == iteration) {
      text += ',' + format_double(row->step_length) + ',' +
              std::to_string(row->evaluations) + ',' +
              format_double(row->seconds) + '\n';
    } else {
      text += ",,,\n";
    }
  }
  return text;
}

void write_history(const std::string& file, const HistoryRecorder& recorder,
                   const optim::Summary& summary) {
  if (file.empty()) return;
  const std::string text = recorder.csv(summary);
  if (file == "-") return write_output(text);
  write_atomically<ResourceError>(file, text);
}

}  // namespace mlp::cli
