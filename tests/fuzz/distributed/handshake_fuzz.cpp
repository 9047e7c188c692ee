// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Sends any bytes to a rank that waits for connections, in two parts. Nobody
// joins who does not know the secret.

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../../distributed/peers/peer_handshake.hpp"
#include "../outcome.hpp"

namespace mlp::fuzz {

namespace {

using namespace mlp::distributed;

/// Returns the plan of rank 0 of three.
PeerPlan make_plan() {
  PeerPlan plan;
  plan.endpoints.assign(3, Endpoint{"127.0.0.1", 1});
  plan.secret = std::string(kSecretBytes, 's');
  plan.connect_seconds = 1.0;
  plan.partners = all_others(0, 3);
  return plan;
}

void receive(std::string_view bytes) {
  static const PeerPlan plan = make_plan();
  std::array<int, 2> ends{};
  require(
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0,
      "two connected sockets");
  const Socket stranger(ends[0]);
  Handshake handshake(plan, Socket(ends[1]));
  const std::size_t half = bytes.size() / 2;
  bool goes_on = true;
  // A part may have both a hello and a proof, which take a step each.
  const auto advance = [&] {
    for (int i = 0; i < 3 && goes_on; ++i) goes_on = handshake.advance();
  };
  for (const auto part : {bytes.substr(0, half), bytes.substr(half)}) {
    if (part.empty()) continue;
    require(mlp::distributed::detail::send_whole(stranger, part),
            "room for a short message");
    advance();
  }
  ::shutdown(ends[0], SHUT_WR);
  advance();
  require(!goes_on, "an end");
  require(!handshake.is_done(), "no group with a stranger");
}

}  // namespace

}  // namespace mlp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  mlp::fuzz::receive({reinterpret_cast<const char*>(data), size});
  return 0;
}
