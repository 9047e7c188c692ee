// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

#include "rendezvous_frame.hpp"
#include "socket.hpp"

namespace mlp::distributed {

/// Where rank 0 of a TcpRendezvous lets the other ranks in, and nobody else.
class RendezvousDoor {
 public:
  RendezvousDoor(Socket listener, int world_size)
      : listener_(std::move(listener)),
        world_size_(world_size),
        members_(static_cast<std::size_t>(world_size)) {}

  /// Waits until all have come, or the deadline.
  ///
  /// \return by rank; a closed socket for who is missing, and for rank 0
  [[nodiscard]] std::vector<Socket> open_until(Deadline deadline);

 private:
  /// Somebody who has called and not yet said all of the greeting.
  struct Guest {
    Socket socket;
    Deadline patience;
    std::array<char, FrameHeader::kBytes> greeting{};
    std::size_t filled = 0;
  };

  [[nodiscard]] bool is_complete() const;
  void wait(Deadline deadline) const;
  void accept_guests();
  [[nodiscard]] bool hear(Guest& guest);
  void admit(Guest& guest);

  Socket listener_;
  int world_size_;
  std::vector<Socket> members_;
  std::deque<Guest> guests_;
};

}  // namespace mlp::distributed
