// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../rendezvous/exchange_endpoints.hpp"
#include "../rendezvous/rank_identity.hpp"
#include "../rendezvous/rendezvous.hpp"
#include "peer_connector.hpp"

namespace mlp::distributed {

/// Connections between all ranks that only tell who has left, for a transport
/// that may wait for a lost rank for ever.
class PeerWatch {
 public:
  /// A rank that has closed its connection.
  struct Departure {
    int rank = -1;         ///< the rank that caused it, or -1 if not known
    std::string sentence;  ///< why
  };

  /// Connects to all ranks by TCP. The ranks call all_gather() of the rendezvous
  /// twice, as for Gloo.
  ///
  /// \param address          of this machine, numeric; empty: chosen as for Gloo
  /// \param connect_seconds  the longest time, after the ranks have found each
  ///                         other
  /// \throws CommunicationError if a rank cannot join
  PeerWatch(Rendezvous& rendezvous, const std::string& address,
            double connect_seconds)
      : own_rank_(rendezvous.rank()) {
    const std::string wanted =
        address.empty() ? rendezvous.local_address() : address;
    const std::vector<RankIdentity> identities =
        read_identities(rendezvous.all_gather(
            format_identity(identify_rank(own_rank_, wanted))));
    bool has_told = false;
    try {
      const Listener listener(
          choose_addresses(identities).at(static_cast<std::size_t>(own_rank_)));
      has_told = true;
      const PeerPlan plan{own_rank_,
                          exchange_endpoints(rendezvous, listener.endpoint()),
                          identities.front().secret, connect_seconds,
                          all_others(own_rank_, rendezvous.world_size())};
      peers_ = PeerConnector(plan, listener).connect();
    } catch (const std::exception& error) {
      if (!has_told) excuse(rendezvous, error.what());
      throw;
    }
    messages_.resize(peers_.size());
  }

  /// Looks for a rank that has left, without waiting. One thread calls it.
  [[nodiscard]] std::optional<Departure> find_departure() {
    std::vector<pollfd> polled;
    for (const Socket& peer : peers_) {
      polled.push_back({peer.descriptor(), POLLIN, 0});  // < 0 is ignored
    }
    if (::poll(polled.data(), polled.size(), 0) <= 0) return std::nullopt;
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      if (polled[r].revents != 0 && has_ended(r)) return departure_of(r);
    }
    return std::nullopt;
  }

  /// Tells all ranks that this one leaves. Any thread may call it.
  ///
  /// \param departure  its sentence is cut after 1 KiB
  void tell(const Departure& departure) noexcept {
    try {
      const std::string message =
          std::to_string(departure.rank) + '\n' +
          departure.sentence.substr(0, kMaxSentenceBytes);
      for (const Socket& peer : peers_) {
        if (!peer.is_open()) continue;
        static_cast<void>(detail::send_whole(peer, message));
        ::shutdown(peer.descriptor(), SHUT_WR);
      }
    } catch (const std::exception&) {
      // The sentence needs memory that is missing; the connections close later.
    }
  }

 private:
  static constexpr std::size_t kMaxSentenceBytes = 1024;

  /// Reads the bytes that a rank has sent.
  ///
  /// \return true if nothing more will come
  [[nodiscard]] bool has_ended(std::size_t peer) {
    std::array<char, 256> part{};
    while (true) {
      const ssize_t size =
          ::recv(peers_[peer].descriptor(), part.data(), part.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
      if (size == 0) return true;
      messages_[peer].append(part.data(), static_cast<std::size_t>(size));
      if (messages_[peer].size() > 2 * kMaxSentenceBytes) return true;
    }
  }

  [[nodiscard]] Departure departure_of(std::size_t peer) const {
    const std::string& message = messages_[peer];
    const std::size_t end = message.find('\n');
    if (end == std::string::npos) {
      return {static_cast<int>(peer), "the connection was closed"};
    }
    const auto rank = parse_int(message.substr(0, end));
    const bool is_rank =
        rank && *rank >= -1 && *rank < static_cast<int>(peers_.size());
    return {is_rank ? static_cast<int>(*rank) : static_cast<int>(peer),
            std::string(utf8_prefix(message.substr(end + 1)))};
  }

  int own_rank_;
  std::vector<Socket> peers_;  ///< [world_size]; that of this rank is not open
  std::vector<std::string> messages_;
};

}  // namespace mlp::distributed
