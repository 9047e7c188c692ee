// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rendezvous.hpp"
#include "socket.hpp"

namespace mlp::distributed {

/// Workers meet at an address: rank 0 listens there, the others call.
///
/// Whoever else calls, a port scanner or a worker of another group, is turned
/// away and disturbs nobody. The texts travel in clear, and no secret is asked
/// for: the network must be one that is trusted.
class TcpRendezvous final : public Rendezvous {
 public:
  /// The longest text of a rank.
  static constexpr std::size_t kMaxTextBytes = std::size_t{1} << 26;

  /// Waits until all ranks are here.
  ///
  /// \param host  of rank 0: a name, an IPv4 or an IPv6 address
  /// \param port  1 .. 65535; rank 0 listens there until all have come
  /// \param timeout_seconds  > 0: how long the ranks may be apart, here and in
  ///                         each call of all_gather()
  /// \throws ParamError for a rank, size, port or timeout that cannot be
  /// \throws CommunicationError where the port is taken, ranks are missing, or
  ///         rank 0 refuses this one: its rank is taken, its size another
  TcpRendezvous(std::string host, int port, int rank, int world_size,
                double timeout_seconds);

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  /// \param text  up to kMaxTextBytes
  /// \throws ParamError for a longer one
  /// \throws CommunicationError as the base class says
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override;

  /// This end of the connection to rank 0; for rank 0, of one to another
  /// machine if there is any. Empty for a group of one.
  [[nodiscard]] std::string local_address() const override;

 private:
  void let_others_in();
  void call_rank_0();
  [[nodiscard]] std::vector<std::string> gather(const std::string& text);
  [[nodiscard]] std::vector<std::string> ask(const std::string& text);
  [[noreturn]] void give_up(const std::vector<int>& missing);
  [[noreturn]] void give_up(int to_blame, const std::string& sentence);

  std::string host_;
  int port_;
  int rank_;
  int world_size_;
  double timeout_seconds_;
  /// By rank; of rank 0 at the others, of the others at rank 0.
  std::vector<Socket> members_;
};

}  // namespace mlp::distributed
