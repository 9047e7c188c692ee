// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>

#include <string>

#include "../../core/error.hpp"

/// Numeric addresses of IPv4 and IPv6.
namespace mlp::distributed {

/// The machines that an address reaches.
enum class AddressKind {
  kNotNumeric,  ///< a host name, or no address
  kAny,         ///< all interfaces of a machine, such as 0.0.0.0
  kLoopback,    ///< the machine itself, such as 127.0.0.1
  kNetwork      ///< an interface that other machines may reach
};

namespace detail {

inline AddressKind kind_of(const in_addr& address) {
  const auto number = ntohl(address.s_addr);
  constexpr auto kLoopbackNet = 127u;
  if (number == INADDR_ANY) return AddressKind::kAny;
  return number >> 24 == kLoopbackNet ? AddressKind::kLoopback
                                      : AddressKind::kNetwork;
}

inline AddressKind kind_of(const in6_addr& address) {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    const unsigned char* const bytes = &address.s6_addr[12];
    in_addr mapped{};
    mapped.s_addr = htonl(static_cast<in_addr_t>(bytes[0]) << 24 |
                          static_cast<in_addr_t>(bytes[1]) << 16 |
                          static_cast<in_addr_t>(bytes[2]) << 8 | bytes[3]);
    return kind_of(mapped);
  }
  if (IN6_IS_ADDR_UNSPECIFIED(&address)) return AddressKind::kAny;
  return IN6_IS_ADDR_LOOPBACK(&address) ? AddressKind::kLoopback
                                        : AddressKind::kNetwork;
}

}  // namespace detail

/// Returns the kind of an address in any notation.
[[nodiscard]] inline AddressKind kind_of_address(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (address.find('\0') != std::string::npos) return AddressKind::kNotNumeric;
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) {
    return detail::kind_of(four);
  }
  if (::inet_pton(AF_INET6, address.c_str(), &six) == 1) {
    return detail::kind_of(six);
  }
  return AddressKind::kNotNumeric;
}

/// Refuses a host name, and an address that would reach the caller instead of
/// this machine.
///
/// \throws ParamError
inline void check_address(const std::string& address) {
  const AddressKind kind = kind_of_address(address);
  if (kind != AddressKind::kNotNumeric && kind != AddressKind::kAny) return;
  throw ParamError(
      "the address of a rank must be the numeric IPv4 or IPv6 address of one "
      "of its interfaces; got \"" +
      address + "\"; give the one that the other ranks can reach");
}

}  // namespace mlp::distributed
