// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "global_options.hpp"

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "flag_reader.hpp"
#include "machine.hpp"

namespace mlp::cli {

namespace {

constexpr Interval kThreads = at_least(1).and_at_most(1024);

void check_device(const FlagReader& flags) {
  const std::string text = flags.text("device", "auto");
  if (text == "auto" || text == "cpu") return;
  const bool has_index = text.substr(0, 5) == "cuda:";
  const auto index = parse_int(has_index ? text.substr(5) : "0");
  if (text == "cuda" || (has_index && index && *index >= 0)) {
    throw DeviceError(
        "--device: this version has no CUDA backend; expected cpu, got '" +
        text + "'; leave the flag out to compute on the CPU");
  }
  flags.refuse("device",
               join_names(kDeviceNames, ", ") + " or cuda:N with N >= 0");
}

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
  check_device(flags);
  options.backend = choose_backend(flags.text("backend", "auto"));
  return options;
}

}  // namespace mlp::cli
