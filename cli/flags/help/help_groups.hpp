// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "../command_table.hpp"
#include "../option_table.hpp"

/// The groups of flags in the help: what most users need comes first.
namespace mlp::cli {

/// Flags that belong together.
struct HelpGroup {
  std::string_view title;
  std::span<const std::string_view> flags;  ///< their names, in order
};

namespace detail {

inline constexpr auto kBasicFlags = std::to_array<std::string_view>(
    {"out",      "label",       "preset",         "effort", "for",   "layers",
     "task",     "standardize", "no-standardize", "split",  "folds", "interval",
     "coverage", "seed",        "layer",          "output", "keep",  "format",
     "strict",   "verify",      "json",           "man"});
inline constexpr auto kDataFlags = std::to_array<std::string_view>(
    {"header", "delimiter", "decimal", "na", "features", "ignore", "missing",
     "one-hot", "unknown", "label-kind", "labels", "weight-col", "group",
     "scale", "stratify", "write-split"});
inline constexpr auto kNetworkFlags = std::to_array<std::string_view>(
    {"numeric-encoding", "activation", "init", "initial-weights", "warm-start",
     "freeze", "residual", "one-output", "batch-norm", "dropout",
     "thresholds"});
inline constexpr auto kSolverFlags = std::to_array<std::string_view>(
    {"solver", "step-size", "schedule", "batch-size", "momentum", "nesterov",
     "beta1", "beta2", "epsilon", "in-order", "shuffle", "history-size",
     "reg-param", "class-weights", "label-smoothing", "clip-norm",
     "clip-value"});
inline constexpr auto kStopFlags = std::to_array<std::string_view>(
    {"max-iter", "tol", "gradient-tol", "stall-epochs", "validation",
     "patience", "history"});
inline constexpr auto kCheckpointFlags = std::to_array<std::string_view>(
    {"checkpoint", "checkpoint-every", "resume", "force"});
inline constexpr auto kComputationFlags = std::to_array<std::string_view>(
    {"device", "backend", "precision", "device-memory", "memory", "cache-dir"});
inline constexpr auto kSparkFlags = std::to_array<std::string_view>(
    {"block-size", "partitions", "partition-sizes", "seed-hash"});
inline constexpr auto kRankFlags = std::to_array<std::string_view>(
    {"ranks", "transport", "reproducible", "rank-timeout", "rendezvous", "rank",
     "world-size", "address", "exchange-plan", "wire", "autotune", "timeline"});

}  // namespace detail

/// The table, in the order of the help. The flags of every command follow it.
inline constexpr auto kHelpGroups = std::to_array<HelpGroup>({
    {"BASIC FLAGS", detail::kBasicFlags},
    {"DATA", detail::kDataFlags},
    {"NETWORK", detail::kNetworkFlags},
    {"SOLVER", detail::kSolverFlags},
    {"WHEN TO STOP", detail::kStopFlags},
    {"CHECKPOINTS", detail::kCheckpointFlags},
    {"COMPUTATION", detail::kComputationFlags},
    {"AS SPARK DIVIDES DATA AND SEEDS", detail::kSparkFlags},
    {"SEVERAL RANKS", detail::kRankFlags},
});

/// The flags of one section of a page.
struct HelpSection {
  std::string_view title;
  std::vector<const OptionInfo*> options;
};

inline constexpr std::string_view kOtherFlagsTitle = "OTHER FLAGS";
inline constexpr std::string_view kGlobalFlagsTitle = "FLAGS OF EVERY COMMAND";

/// Returns the sections of the page of a command. Flags without a group have a
/// section of their own, which is empty if the table is complete; the flags of
/// every command come last.
[[nodiscard]] inline std::vector<HelpSection> help_sections(Command command) {
  std::vector<HelpSection> sections;
  std::vector<const OptionInfo*> shown;
  const auto belongs = [&](const OptionInfo& option) {
    return !option.is_global() && (option.commands & command) != 0;
  };
  for (const HelpGroup& group : kHelpGroups) {
    HelpSection section{group.title, {}};
    for (const std::string_view name : group.flags) {
      const auto found = std::find_if(
          kOptionTable.begin(), kOptionTable.end(),
          [&](const OptionInfo& option) { return option.name == name; });
      if (found == kOptionTable.end() || !belongs(*found)) continue;
      section.options.push_back(&*found);
    }
    shown.insert(shown.end(), section.options.begin(), section.options.end());
    sections.push_back(section);
  }
  HelpSection others{kOtherFlagsTitle, {}};
  HelpSection globals{kGlobalFlagsTitle, {}};
  for (const OptionInfo& option : kOptionTable) {
    if (option.is_global()) globals.options.push_back(&option);
    const bool is_shown =
        std::find(shown.begin(), shown.end(), &option) != shown.end();
    if (belongs(option) && !is_shown) others.options.push_back(&option);
  }
  sections.push_back(others);
  sections.push_back(globals);
  std::erase_if(sections, [](const HelpSection& section) {
    return section.options.empty();
  });
  return sections;
}

}  // namespace mlp::cli
