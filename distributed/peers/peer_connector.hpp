// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../rendezvous/rendezvous.hpp"
#include "peer_handshake.hpp"
#include "tcp_socket.hpp"

/// TCP connections between pairs of ranks, each proved to belong to the group
/// before anything else is sent or read.
namespace mlp::distributed {

/// Connects a rank to its partners: it connects to lower ranks, and accepts
/// higher ones. Other connections are ignored.
class PeerConnector {
 public:
  PeerConnector(const PeerPlan& plan, const Listener& listener)
      : plan_(plan), listener_(listener), peers_(plan.endpoints.size()) {}

  /// \return [world_size] by rank; open for partners only
  /// \throws CommunicationError if a rank cannot be reached, or the time is over
  [[nodiscard]] std::vector<Socket> connect() {
    using Clock = std::chrono::steady_clock;
    constexpr double kYear = 365.0 * 24 * 3600;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(std::min(
                                            plan_.connect_seconds, kYear)));
    for (const int peer : plan_.partners) {
      if (peer < plan_.rank) handshakes_.emplace_back(plan_, peer);
    }
    while (num_connected_ < plan_.partners.size()) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) throw_missing();
      advance(static_cast<int>(std::min<long long>(left.count(), 1000)));
    }
    return std::move(peers_);
  }

 private:
  /// Waits until something has happened, and goes on there.
  void advance(int max_milliseconds) {
    std::vector<pollfd> polled;
    for (const Handshake& each : handshakes_) polled.push_back(each.to_poll());
    polled.push_back({listener_.descriptor(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), max_milliseconds) <= 0) return;
    std::vector<Handshake> going_on;
    for (std::size_t i = 0; i < handshakes_.size(); ++i) {
      Handshake& each = handshakes_[i];
      const bool is_kept = polled[i].revents == 0 || each.advance();
      if (!is_kept) {
        ++num_strangers_;
      } else if (each.is_done()) {
        Socket& peer = peers_.at(static_cast<std::size_t>(each.peer()));
        num_connected_ += peer.is_open() ? 0 : 1;
        if (!peer.is_open()) peer = each.take();
      } else {
        going_on.push_back(std::move(each));
      }
    }
    handshakes_ = std::move(going_on);
    if (polled.back().revents != 0) accept();
  }

  /// If many strangers connect and send nothing, the oldest connections are
  /// closed first.
  void accept() {
    Socket socket = listener_.accept();
    if (!socket.is_open()) return;
    constexpr std::size_t kMaxStrangers = 64;
    if (handshakes_.size() >= peers_.size() + kMaxStrangers) {
      const auto oldest =
          std::find_if(handshakes_.begin(), handshakes_.end(),
                       [](const Handshake& each) { return !each.is_ours(); });
      ++num_strangers_;
      handshakes_.erase(oldest);
    }
    handshakes_.emplace_back(plan_, std::move(socket));
  }

  [[noreturn]] void throw_missing() const {
    std::vector<int> missing;
    for (const int r : plan_.partners) {
      const bool is_there = peers_[static_cast<std::size_t>(r)].is_open();
      if (!is_there) missing.push_back(r);
    }
    std::string sentence =
        list_ranks(missing) + " must connect to rank " +
        std::to_string(plan_.rank) + " at " + listener_.endpoint().text() +
        " or answer it within " + seconds_text(plan_.connect_seconds) +
        " s; got no proof that they belong to the group";
    if (num_strangers_ > 0) {
      sentence +=
          ", and " + std::to_string(num_strangers_) + " connections of others";
    }
    sentence += "; check that no firewall is between, and run again";
    if (missing.size() > 1) throw CommunicationError(sentence);
    throw CommunicationError(missing.front(), "cannot join: " + sentence);
  }

  const PeerPlan& plan_;
  const Listener& listener_;
  std::vector<Socket> peers_;
  std::vector<Handshake> handshakes_;
  std::size_t num_connected_ = 0;
  int num_strangers_ = 0;
};

}  // namespace mlp::distributed
