// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "global_options.hpp"

#include "flag_reader.hpp"
#include "machine.hpp"

namespace mlp::cli {

namespace {

constexpr Interval kThreads = at_least(1).and_at_most(1024);

}  // namespace

GlobalOptions read_global_options(const CommandLine& line) {
  const FlagReader flags(line);
  GlobalOptions options;
  options.is_json = flags.has("json");
  options.num_threads = static_cast<int>(
      flags.integer("threads", kThreads, count_usable_threads()));
  options.progress =
      flags.choice("progress", kProgressNames, ProgressMode::kAuto);
  options.console.is_quiet = flags.has("quiet");
  options.console.is_verbose = flags.has("verbose");
  flags.refuse_both("verbose", "quiet");
  options.device = read_device_request(flags);
  options.backend = choose_backend(flags.text("backend", "auto"));
  return options;
}

}  // namespace mlp::cli
