// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "global_options.hpp"

#include <limits>
#include <string>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../cuda/device_check.hpp"
#include "machine.hpp"

namespace mlp::cli {

namespace {

constexpr Interval kThreads = at_least(1).and_at_most(1024);

using Kind = DeviceRequest::Kind;

DeviceRequest parse_device(const FlagReader& flags) {
  const std::string text = flags.text("device", "auto");
  DeviceRequest request;
  if (text == "auto") return request;
  request.kind = text == "cpu" ? Kind::kCpu : Kind::kCuda;
  if (text == "cpu" || text == "cuda") return request;
  request.has_index = text.substr(0, 5) == "cuda:";
  const auto index = parse_int(request.has_index ? text.substr(5) : "");
  const bool is_valid =
      index && *index >= 0 && *index <= std::numeric_limits<int>::max();
  if (!is_valid) {
    flags.refuse("device",
                 join_names(kDeviceNames, ", ") + " or cuda:N with N >= 0");
  }
  request.index = static_cast<int>(*index);
  return request;
}

}  // namespace

DeviceRequest read_device_request(const FlagReader& flags) {
  DeviceRequest request = parse_device(flags);
  const bool names_backend = flags.text("backend", "auto") != "auto";
  if (request.kind == Kind::kCuda && names_backend) {
    flags.refuse_both("device", "backend",
                      ", which computes on the CPU; use only one of them");
  }
  if (names_backend) request.kind = Kind::kCpu;
  request.memory_bytes =
      flags.parsed("device-memory", parse_bytes, kBytesRule).value_or(0);
  if (flags.has("device-memory") && request.kind == Kind::kCpu) {
    throw ParamError(kUnusedDeviceMemory);
  }
  if (request.kind == Kind::kCuda) {
    cuda::require_device(cuda::find_devices(), request.index, "--device: ");
  }
  return request;
}

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
