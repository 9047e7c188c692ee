// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_flags.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"

namespace mlp::cli {

namespace {

/// Reads 30s, 5m, 1h or a number of iterations.
std::optional<CheckpointFlags> parse_checkpoint_every(std::string_view text) {
  constexpr std::string_view kUnits = "smh";
  constexpr double kSeconds[] = {1.0, 60.0, 3600.0};
  CheckpointFlags interval;
  if (text.empty()) return std::nullopt;
  const std::size_t unit = kUnits.find(text.back());
  if (unit == kUnits.npos) {
    interval.every_iterations = parse_int(text).value_or(0);
    return interval.every_iterations >= 1 ? std::optional(interval)
                                          : std::nullopt;
  }
  const auto number = parse_double(text.substr(0, text.size() - 1));
  if (!number || *number < 0.0) return std::nullopt;
  interval.every_seconds = *number * kSeconds[unit];
  return interval;
}

}  // namespace

CheckpointFlags read_checkpoint_flags(const FlagReader& flags) {
  const bool is_resuming = flags.has("resume");
  const bool needs_file = is_resuming || flags.has("checkpoint-every");
  if (needs_file && !flags.has("checkpoint")) {
    throw ParamError(
        std::string(is_resuming ? "--resume" : "--checkpoint-every") +
        ": needs the file of the state; add --checkpoint FILE");
  }
  CheckpointFlags options =
      flags
          .parsed("checkpoint-every", parse_checkpoint_every,
                  "a time such as 30s, 5m or 1h, or a number of iterations "
                  ">= 1")
          .value_or(CheckpointFlags());
  options.file = flags.text("checkpoint");
  options.is_resuming = is_resuming;
  options.is_forced = flags.has("force");
  flags.refuse_both("resume", "force");
  return options;
}

}  // namespace mlp::cli
