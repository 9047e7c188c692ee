// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/utf8.hpp"
#include "handshake.hpp"
#include "numeric_address.hpp"
#include "rendezvous.hpp"

/// The first text that each rank gives to a rendezvous, before it connects. The
/// functions that read accept any bytes.
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
  const mlp::DescriptorGuard guard(probe);
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

/// A rank as the others see it.
struct RankIdentity {
  std::string machine;        ///< machine_id()
  std::string given_address;  ///< that its user chose; may be empty
  std::string route_address;  ///< default_route_address()
  std::string secret;  ///< of the group, from rank 0: [kSecretBytes]; or empty
};

/// Describes the calling rank. Rank 0 makes the group's secret.
[[nodiscard]] inline RankIdentity identify_rank(
    int rank, const std::string& given_address) {
  return {machine_id(), given_address, default_route_address(),
          rank == 0 ? random_bytes(kSecretBytes) : ""};
}

namespace detail {

inline constexpr std::string_view kIdentityStart = "mlp gloo 4 identity\n";
inline constexpr std::string_view kExcuseStart = "mlp gloo 4 excuse\n";
inline constexpr std::size_t kMaxIdentityBytes = 1024;

/// Removes the first line from a text and returns it.
inline std::optional<std::string> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string line(text.substr(0, end));
  text.remove_prefix(end + 1);
  return line;
}

inline bool is_empty_or_numeric(const std::string& address) {
  return address.empty() ||
         kind_of_address(address) != AddressKind::kNotNumeric;
}

}  // namespace detail

[[nodiscard]] inline std::string format_identity(const RankIdentity& identity) {
  return std::string(detail::kIdentityStart) + identity.machine + '\n' +
         identity.given_address + '\n' + identity.route_address + '\n' +
         identity.secret;
}

/// Returns nothing if the bytes are no identity of that rank.
[[nodiscard]] inline std::optional<RankIdentity> parse_identity(
    std::string_view bytes, int rank) {
  if (bytes.size() > detail::kMaxIdentityBytes ||
      !bytes.starts_with(detail::kIdentityStart)) {
    return std::nullopt;
  }
  bytes.remove_prefix(detail::kIdentityStart.size());
  const auto machine = detail::take_line(bytes);
  const auto given = detail::take_line(bytes);
  const auto route = detail::take_line(bytes);
  if (!machine || !given || !route || !detail::is_empty_or_numeric(*given) ||
      !detail::is_empty_or_numeric(*route) ||
      bytes.size() != (rank == 0 ? kSecretBytes : 0)) {
    return std::nullopt;
  }
  return RankIdentity{*machine, *given, *route, std::string(bytes)};
}

/// The text of a rank that cannot join, in place of any other.
[[nodiscard]] inline std::string format_excuse(const std::string& sentence) {
  return std::string(detail::kExcuseStart) + sentence;
}

/// Tells the other ranks why this one cannot join, so that none waits for it. It
/// is called in place of the next exchange.
inline void excuse(Rendezvous& rendezvous,
                   const std::string& sentence) noexcept {
  try {
    static_cast<void>(rendezvous.all_gather(format_excuse(sentence)));
  } catch (const std::exception&) {
    // This rank's own error is the one to report.
  }
}

/// Returns the sentence of a rank that cannot join, or nothing.
[[nodiscard]] inline std::optional<std::string> parse_excuse(
    std::string_view bytes) {
  constexpr std::size_t kMaxSentenceBytes = 4096;
  if (!bytes.starts_with(detail::kExcuseStart)) return std::nullopt;
  bytes.remove_prefix(detail::kExcuseStart.size());
  return std::string(utf8_prefix(bytes.substr(0, kMaxSentenceBytes)));
}

namespace detail {

/// Reads the texts of all ranks.
///
/// \param required  what each rank must do, for messages
/// \param parse     reads a text; nothing for one that is wrong
/// \throws CommunicationError naming the first rank that cannot join, or sent
///         something else
template <typename Parsed, typename Parse>
std::vector<Parsed> read_texts(const std::vector<std::string>& texts,
                               const std::string& required,
                               const Parse& parse) {
  std::vector<Parsed> all;
  for (const std::string& text : texts) {
    const int rank = static_cast<int>(all.size());
    if (const auto excuse = parse_excuse(text)) {
      throw CommunicationError(rank, "cannot join: " + *excuse);
    }
    const std::optional<Parsed> parsed = parse(text, rank);
    if (!parsed) {
      throw CommunicationError(rank, required + "; got a text of " +
                                         std::to_string(text.size()) +
                                         " bytes; run the same build "
                                         "everywhere");
    }
    all.push_back(*parsed);
  }
  return all;
}

/// Returns the address at which one rank listens.
///
/// \throws CommunicationError if the others cannot reach it there
inline std::string choose_address(const std::vector<RankIdentity>& identities,
                                  int rank) {
  const RankIdentity& own = identities.at(static_cast<std::size_t>(rank));
  const bool has_others_elsewhere = std::any_of(
      identities.begin(), identities.end(), [&own](const RankIdentity& other) {
        return own.machine.empty() || own.machine != other.machine;
      });
  if (!has_others_elsewhere) {
    return own.given_address.empty() ? "127.0.0.1" : own.given_address;
  }
  const std::string address =
      own.given_address.empty() ? own.route_address : own.given_address;
  const bool is_loopback = kind_of_address(address) == AddressKind::kLoopback;
  if (!is_loopback && !address.empty()) return address;
  throw CommunicationError(
      rank,
      std::string("must listen at an address that the ranks on other machines "
                  "can reach; ")
          .append(is_loopback ? "got a loopback address"
                              : "its machine has no default route")
          .append("; give each rank the address of its machine, by --address "
                  "or GlooOptions::address"));
}

}  // namespace detail

/// \throws CommunicationError as detail::read_texts()
[[nodiscard]] inline std::vector<RankIdentity> read_identities(
    const std::vector<std::string>& texts) {
  return detail::read_texts<RankIdentity>(
      texts, "must introduce itself to the other ranks as this build does",
      parse_identity);
}

/// Returns the addresses at which the ranks listen. For each rank, this is the
/// address that its user chose, a loopback address if all ranks are on one machine,
/// or the address of its default route. All ranks get the same result, or throw the
/// same error.
///
/// \return [world_size]
/// \throws CommunicationError naming a rank that the others cannot reach
[[nodiscard]] inline std::vector<std::string> choose_addresses(
    const std::vector<RankIdentity>& identities) {
  std::vector<std::string> addresses;
  for (std::size_t r = 0; r < identities.size(); ++r) {
    addresses.push_back(
        detail::choose_address(identities, static_cast<int>(r)));
  }
  return addresses;
}

}  // namespace mlp::distributed
