// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/utf8.hpp"
#include "handshake.hpp"
#include "local_machine.hpp"
#include "numeric_address.hpp"
#include "rendezvous.hpp"

/// The first text that each rank gives to a rendezvous, before it connects. The
/// functions that read accept any bytes.
namespace mlp::distributed {

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

inline constexpr std::string_view kIdentityStart = "mlp gloo 3 identity\n";
inline constexpr std::string_view kExcuseStart = "mlp gloo 3 excuse\n";
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

/// Reads the texts of all ranks.
///
/// \throws CommunicationError naming the first rank that cannot join, or sent
///         something else
[[nodiscard]] inline std::vector<RankIdentity> read_identities(
    const std::vector<std::string>& texts) {
  std::vector<RankIdentity> identities;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    const int rank = static_cast<int>(r);
    if (const auto excuse = parse_excuse(texts[r])) {
      throw CommunicationError(rank, "cannot join: " + *excuse);
    }
    const auto identity = parse_identity(texts[r], rank);
    if (!identity) {
      throw CommunicationError(
          rank,
          "must introduce itself to the other ranks as this build does; got a "
          "text of " +
              std::to_string(texts[r].size()) +
              " bytes; run the same build everywhere");
    }
    identities.push_back(*identity);
  }
  return identities;
}

namespace detail {

inline bool is_elsewhere(const RankIdentity& a, const RankIdentity& b) {
  return a.machine.empty() || a.machine != b.machine;
}

/// Returns the address at which one rank listens.
///
/// \throws CommunicationError if the others cannot reach it there
inline std::string choose_address(const std::vector<RankIdentity>& identities,
                                  int rank) {
  const RankIdentity& own = identities.at(static_cast<std::size_t>(rank));
  const bool has_others_elsewhere = std::any_of(
      identities.begin(), identities.end(),
      [&own](const RankIdentity& other) { return is_elsewhere(own, other); });
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
