// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../mlp/model_json.hpp"
#include "../commands.hpp"
#include "../console/csv_notes.hpp"
#include "../console/exit_code.hpp"
#include "../console/label_note.hpp"
#include "../flags/csv_flags.hpp"
#include "../flags/flag_reader.hpp"
#include "data_report.hpp"
#include "model_report.hpp"

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
  for (const char* const name :
       {"label", "labels", "header", "delimiter", "features", "ignore"}) {
    if (!line.has(name)) continue;
    throw ParamError(std::string("--") + name + ": needs a data file; '" +
                     path + "' is a model");
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

int inspect_data(const std::string& path, const CommandLine& line,
                 const GlobalOptions& options) {
  if (line.has("verify")) {
    throw ParamError("--verify: needs a model; '" + path + "' is a data file");
  }
  const FlagReader flags(line);
  datasets::LoadOptions load;
  load.csv = read_csv_flags(flags);
  load.csv.num_threads = options.num_threads;
  load.csv.label = flags.text("label");
  load.csv.label_rule = load.csv.label.empty() ? datasets::LabelRule::kOptional
                                               : datasets::LabelRule::kRequired;
  load.labels_file = flags.text("labels");
  flags.refuse_both("label", "labels");
  const datasets::LoadedData loaded = datasets::load(path, load);
  note_guesses(options.console, loaded.dataset.source, loaded.guesses);
  note_label(options.console, loaded, load.csv.label);
  write_output(options.is_json ? format_data_json(loaded.dataset)
                               : format_data_text(loaded.dataset));
  return kSuccess;
}

}  // namespace

int run_inspect(const CommandLine& line, const GlobalOptions& options) {
  const std::string& path = line.arguments.front();
  return is_model_file(path) ? inspect_model(path, line, options)
                             : inspect_data(path, line, options);
}

}  // namespace mlp::cli
