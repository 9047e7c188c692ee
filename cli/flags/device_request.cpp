// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_request.hpp"

#include <array>
#include <limits>
#include <string>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../cuda/device_check.hpp"

namespace mlp::cli {

namespace {

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

std::optional<std::size_t> parse_bytes(std::string_view text) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr std::array<Unit, 7> kUnits = {{{"KiB", 1024.0},
                                                  {"MiB", 1048576.0},
                                                  {"GiB", 1073741824.0},
                                                  {"KB", 1e3},
                                                  {"MB", 1e6},
                                                  {"GB", 1e9},
                                                  {"B", 1.0}}};
  double factor = 1.0;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    factor = unit.bytes;
    text.remove_suffix(unit.name.size());
    break;
  }
  constexpr double kMost = 1e18;
  const auto number = parse_double(text);
  const double bytes = number ? *number * factor : 0.0;
  if (!(bytes >= 1.0 && bytes <= kMost)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

DeviceRequest read_device_request(const FlagReader& flags) {
  DeviceRequest request = parse_device(flags);
  const bool names_backend = flags.text("backend", "auto") != "auto";
  if (request.kind == Kind::kCuda && names_backend) {
    flags.refuse_both("device", "backend",
                      ", which computes on the CPU; use only one of them");
  }
  if (names_backend) request.kind = Kind::kCpu;
  request.memory_bytes = flags
                             .parsed("device-memory", parse_bytes,
                                     "a number of bytes, such as 500MB or 8GB")
                             .value_or(0);
  if (flags.has("device-memory") && request.kind == Kind::kCpu) {
    throw ParamError(
        "--device-memory: is about an NVIDIA device, and the CPU computes; "
        "leave it out, or add --device cuda");
  }
  if (request.kind == Kind::kCuda) {
    cuda::require_device(cuda::find_devices(), request.index, "--device: ");
  }
  return request;
}

}  // namespace mlp::cli
