// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "global_options.hpp"

#include <cstdint>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "machine.hpp"

namespace mlp::cli {

namespace {

constexpr std::int64_t kMaxThreads = 1024;

int read_threads(const CommandLine& line) {
  const auto text = line.value("threads");
  if (!text) return count_usable_threads();
  const auto threads = parse_int(*text);
  if (!threads || *threads < 1 || *threads > kMaxThreads) {
    refuse_value("threads", "an integer of 1 to 1024", *text);
  }
  return static_cast<int>(*threads);
}

ProgressMode read_progress(const CommandLine& line) {
  const std::string text = line.value("progress").value_or("auto");
  if (text == "auto") return ProgressMode::kAuto;
  if (text == "always") return ProgressMode::kAlways;
  if (text == "never") return ProgressMode::kNever;
  refuse_value("progress", "auto, always or never", text);
}

void check_device(const CommandLine& line) {
  const std::string text = line.value("device").value_or("auto");
  if (text == "auto" || text == "cpu") return;
  const bool has_index = text.substr(0, 5) == "cuda:";
  const auto index = parse_int(has_index ? text.substr(5) : "0");
  if (text == "cuda" || (has_index && index && *index >= 0)) {
    throw NotCompiled("--device: the device " + text, "MLP_WITH_CUDA");
  }
  refuse_value("device", "auto, cpu, cuda or cuda: and a number >= 0", text);
}

}  // namespace

GlobalOptions read_global_options(const CommandLine& line) {
  GlobalOptions options;
  options.is_json = line.has("json");
  options.num_threads = read_threads(line);
  options.progress = read_progress(line);
  options.console.is_quiet = line.has("quiet");
  options.console.is_verbose = line.has("verbose");
  if (options.console.is_quiet && options.console.is_verbose) {
    throw ParamError("--verbose: cannot be had with --quiet; give one of them");
  }
  check_device(line);
  options.backend = choose_backend(line.value("backend").value_or("auto"));
  return options;
}

void refuse_value(std::string_view name, std::string_view interval,
                  const std::string& value) {
  const std::string text(name);
  throw ParamError("--" + text + ": must be " + std::string(interval) +
                   "; got '" + value + "'");
}

}  // namespace mlp::cli
