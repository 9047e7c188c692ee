// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../datasets/csv/column_error.hpp"
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/exit_code.hpp"
#include "../data/class_labels.hpp"
#include "../data/column_advice.hpp"
#include "../data/data_file.hpp"
#include "../data/data_notes.hpp"
#include "../data/data_options.hpp"
#include "data_report.hpp"
#include "model_report.hpp"
#include "suggested_command.hpp"

namespace mlp::cli {

namespace {

/// Returns true if the name ends in .json or the file begins with '{'.
bool is_model_file(const std::string& path) {
  constexpr std::string_view kEnding = ".json";
  if (path == "-") return false;
  const bool has_ending = path.size() > kEnding.size() &&
                          path.substr(path.size() - kEnding.size()) == kEnding;
  if (has_ending) return true;
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  char bytes[64];
  // pread() fails on a pipe and so takes no bytes from it.
  const ssize_t count = ::pread(descriptor, bytes, sizeof bytes, 0);
  ::close(descriptor);
  if (count <= 0) return false;
  const std::string_view text(bytes, static_cast<std::size_t>(count));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

int inspect_model(const std::string& path, const CommandLine& line,
                  const GlobalOptions& options) {
  for (const GivenOption& given : line.options) {
    const bool reads_data =
        !given.option->is_global() && (given.option->commands & kTrain) != 0;
    if (!reads_data) continue;
    throw ParamError(given.option->flag() + ": needs a data file; '" + path +
                     "' is a model");
  }
  const std::string text = read_file<ModelError>(path);
  const ModelDocument document = from_json(text, path);
  const SelfTestReport check = verify_self_test(document);
  const bool is_failed = line.has("verify") && !check.is_passed();
  if (options.is_json) {
    write_output(format_model_json(text, document, check));
  } else if (!is_failed) {
    write_output(format_model_text(document));
    if (line.has("verify")) {
      write_output("verified     " + std::to_string(check.num_instances) +
                   " predictions match the stored ones\n");
    }
  }
  if (is_failed) throw ModelError(path, check.difference);
  return kSuccess;
}

/// Says how to train, as the end of a report.
std::string format_command(const std::optional<std::string>& command) {
  return command ? "train with:  " + *command + '\n' : "";
}

/// Reads the data; describes the columns if some cannot be read as they are.
datasets::LoadedData read_or_describe(SuggestedCommand& command,
                                      const DataOptions& train,
                                      const GlobalOptions& options) {
  try {
    return read_data_file(train, options);
  } catch (const datasets::ColumnError& error) {
    if (error.survey() != nullptr && !options.is_json) {
      command.learn(error);
      write_output(format_survey(*error.survey()) + '\n' +
                   format_command(command.find()));
    }
    throw;
  }
}

int inspect_data(const std::string& path, const CommandLine& line,
                 const GlobalOptions& options) {
  if (line.has("verify")) {
    throw ParamError("--verify: needs a model; '" + path + "' is a data file");
  }
  const DataOptions train = read_data_options(line);
  SuggestedCommand command(line, train, options);
  datasets::LoadedData loaded = read_or_describe(command, train, options);
  command.take(loaded);
  DataReport report;
  report.chosen_label = std::move(loaded.chosen_label);
  report.delimiter = loaded.delimiter;
  report.has_header = loaded.has_header;
  report.missing = std::move(loaded.missing.of_features);
  report.has_texts = !loaded.dataset.label_texts.empty();
  report.is_regression = train.params.task == Task::kRegression;
  report.data = std::move(loaded.dataset);
  if (report.data.has_labels()) {
    const DataTotals totals = totals_of(report.data, train.params.task);
    try {
      report.classes =
          index_labels(report.data, totals, train, options.console);
    } catch (const DataError&) {
      command.refuse_labels();
      if (!options.is_json) write_output(format_command(command.find()));
      throw;
    }
  }
  report.command = command.find();
  write_output(options.is_json ? format_data_json(report)
                               : format_data_text(report) + '\n' +
                                     format_command(report.command));
  return kSuccess;
}

}  // namespace

int run_inspect(const CommandLine& line, const GlobalOptions& options) {
  for (const std::string& path : line.arguments) {
    if (!is_model_file(path)) continue;
    if (line.arguments.size() == 1) return inspect_model(path, line, options);
    throw ParamError("inspect: '" + path +
                     "' is a model; give it alone, or data files only");
  }
  return inspect_data(line.arguments.front(), line, options);
}

}  // namespace mlp::cli
