// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "open_rendezvous.hpp"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "../../core/error.hpp"
#include "directory_rendezvous.hpp"
#include "tcp_rendezvous.hpp"

namespace mlp::distributed {

namespace {

constexpr std::string_view kScheme = "tcp://";

[[noreturn]] void throw_bad_place(const std::string& where) {
  throw ParamError(
      "the place where workers meet must be a folder or tcp://HOST:PORT with "
      "PORT in 1 .. 65535, an IPv6 address as tcp://[ADDRESS]:PORT; got \"" +
      where + '"');
}

struct Place {
  std::string host;
  int port = 0;
};

Place parse_tcp(const std::string& where) {
  const std::string place = where.substr(kScheme.size());
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos) throw_bad_place(where);
  Place parsed{place.substr(0, colon), 0};
  const bool is_bracketed = parsed.host.size() > 2 &&
                            parsed.host.front() == '[' &&
                            parsed.host.back() == ']';
  if (is_bracketed) {
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  }
  const char* end = place.data() + place.size();
  const auto result =
      std::from_chars(place.data() + colon + 1, end, parsed.port);
  constexpr int kMaxPort = 65535;
  const bool is_port = result.ec == std::errc() && result.ptr == end &&
                       parsed.port >= 1 && parsed.port <= kMaxPort;
  const bool is_host =
      !parsed.host.empty() &&
      parsed.host.find_first_of(is_bracketed ? "[]/@ " : ":[]/@ ") ==
          std::string::npos;
  if (!is_port || !is_host) throw_bad_place(where);
  return parsed;
}

}  // namespace

std::unique_ptr<Rendezvous> open_rendezvous(const std::string& where, int rank,
                                            int world_size,
                                            double timeout_seconds) {
  if (where.starts_with(kScheme)) {
    const Place place = parse_tcp(where);
    return std::make_unique<TcpRendezvous>(place.host, place.port, rank,
                                           world_size, timeout_seconds);
  }
  // A scheme that is mistyped would become a folder.
  if (where.empty() || where.find("://") != std::string::npos) {
    throw_bad_place(where);
  }
  return std::make_unique<DirectoryRendezvous>(where, rank, world_size,
                                               timeout_seconds);
}

}  // namespace mlp::distributed
