// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <string>

#include "../../core/files/read_file.hpp"
#include "numeric_address.hpp"

/// The description of its machine that a rank sends to the others.
namespace mlp::distributed {

/// Returns an identifier of this machine and network namespace: processes with
/// the same one reach each other at a loopback address. Containers of one
/// machine may have the same boot and other networks.
///
/// \return empty if the system does not tell
[[nodiscard]] inline std::string machine_id() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat network {};
  if (boot.empty() || ::stat("/proc/self/ns/net", &network) != 0) return "";
  return boot + '/' + std::to_string(network.st_ino);
}

namespace detail {

/// Returns this machine's address on the way to another one; sends nothing.
inline std::string address_towards(const sockaddr* other, socklen_t size) {
  const int probe = ::socket(other->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return "";
  const mlp::detail::DescriptorGuard guard(probe);
  sockaddr_storage own{};
  socklen_t own_size = sizeof own;
  auto* const own_address = reinterpret_cast<sockaddr*>(&own);
  if (::connect(probe, other, size) != 0 ||
      ::getsockname(probe, own_address, &own_size) != 0) {
    return "";
  }
  const void* bytes =
      own.ss_family == AF_INET
          ? static_cast<const void*>(
                &reinterpret_cast<const sockaddr_in*>(&own)->sin_addr)
          : &reinterpret_cast<const sockaddr_in6*>(&own)->sin6_addr;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::inet_ntop(own.ss_family, bytes, text.data(), text.size()) == nullptr) {
    return "";
  }
  return text.data();
}

}  // namespace detail

/// Returns the address of the interface of the default route, IPv4 if there is
/// one, and otherwise IPv6; empty if there is none.
///
/// The other ends are addresses for documentation, which no machine has.
/// \source RFC 5737, section 3; RFC 3849, section 2
[[nodiscard]] inline std::string default_route_address() {
  constexpr in_port_t kDiscard = 9;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(kDiscard);
  ::inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(kDiscard);
  ::inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
  std::string found = detail::address_towards(
      reinterpret_cast<const sockaddr*>(&four), sizeof four);
  if (kind_of_address(found) == AddressKind::kNetwork) return found;
  found = detail::address_towards(reinterpret_cast<const sockaddr*>(&six),
                                  sizeof six);
  return kind_of_address(found) == AddressKind::kNetwork ? found : "";
}

}  // namespace mlp::distributed
