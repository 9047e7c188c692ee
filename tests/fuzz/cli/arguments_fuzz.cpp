// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Parses any words as a command line, and the flags of train into options. No
// command runs, and no file is opened.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../../cli/flags/command_line.hpp"
#include "../../../cli/flags/flag_reader.hpp"
#include "../../../cli/train/train_flags.hpp"
#include "../outcome.hpp"

namespace mlp::fuzz {

namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Reads the options of train, unless they name a file that would be read.
void read_options(const cli::CommandLine& line) {
  if (line.command == nullptr || line.command->command != cli::kTrain ||
      line.has("help") || line.has("version") || line.has("warm-start") ||
      line.has("initial-weights")) {
    return;
  }
  const auto options =
      outcome_of([&] { return cli::read_train_options(line); });
  if (!options.value) return;
  require(options.value->scale > 0.0, "a positive scale");
  require(options.value->ranks.num_ranks >= 1, "one rank or more");
}

}  // namespace

}  // namespace mlp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> words = mlp::fuzz::split_lines(text);
  const auto line = mlp::fuzz::outcome_of(
      [&] { return mlp::cli::parse_command_line(words); });
  if (!line.value) return 0;
  mlp::fuzz::require(line.value->words == words, "the given words");
  mlp::fuzz::read_options(*line.value);
  return 0;
}
