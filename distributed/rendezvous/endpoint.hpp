// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "numeric_address.hpp"

/// The second text that each rank gives to a rendezvous: the address at which it
/// listens. The function that reads it accepts any bytes.
namespace mlp::distributed {

/// A numeric address and a port.
struct Endpoint {
  std::string address;
  int port = 0;

  [[nodiscard]] std::string text() const {
    return address.find(':') == std::string::npos
               ? address + ':' + std::to_string(port)
               : '[' + address + "]:" + std::to_string(port);
  }
};

namespace detail {

inline constexpr std::string_view kEndpointStart = "mlp gloo 4 endpoint\n";

}  // namespace detail

[[nodiscard]] inline std::string format_endpoint(const Endpoint& endpoint) {
  return std::string(detail::kEndpointStart) + endpoint.address + '\n' +
         std::to_string(endpoint.port);
}

/// Returns nothing if the bytes are no endpoint that can be connected to.
[[nodiscard]] inline std::optional<Endpoint> parse_endpoint(
    std::string_view bytes) {
  if (!bytes.starts_with(detail::kEndpointStart)) return std::nullopt;
  bytes.remove_prefix(detail::kEndpointStart.size());
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  Endpoint endpoint{std::string(bytes.substr(0, end)), 0};
  bytes.remove_prefix(end + 1);
  const AddressKind kind = kind_of_address(endpoint.address);
  const auto [stop, error] =
      std::from_chars(bytes.data(), bytes.data() + bytes.size(), endpoint.port);
  constexpr int kLastPort = 65535;
  if (kind == AddressKind::kNotNumeric || kind == AddressKind::kAny ||
      error != std::errc() || stop != bytes.data() + bytes.size() ||
      endpoint.port < 1 || endpoint.port > kLastPort) {
    return std::nullopt;
  }
  return endpoint;
}

}  // namespace mlp::distributed
