// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/peers/peer_handshake.hpp"

#include <doctest/doctest.h>
#include <poll.h>

#include <string>

#include "../../../core/error.hpp"
#include "../../../distributed/peers/tcp_socket.hpp"

namespace mlp::distributed {

namespace {

/// Ranks 0 and 1 of a group; rank 1 connects to rank 0.
struct Sides {
  Listener listener{"127.0.0.1"};
  PeerPlan first = plan_of(0);
  PeerPlan second = plan_of(1);

  [[nodiscard]] PeerPlan plan_of(int rank) const {
    return {rank,
            {listener.endpoint(), {"127.0.0.1", 1}},
            std::string(kSecretBytes, 's'),
            10.0,
            {1 - rank}};
  }

  [[nodiscard]] Socket accept() const {
    pollfd waiting{listener.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&waiting, 1, 10'000) == 1);
    return listener.accept();
  }
};

/// Goes on as soon as the socket is ready.
bool advance(Handshake& handshake) {
  pollfd waiting = handshake.to_poll();
  REQUIRE(::poll(&waiting, 1, 10'000) == 1);
  return handshake.advance();
}

/// What a handshake does with the bytes of somebody else.
bool is_heard(const std::string& bytes) {
  const Sides sides;
  Handshake connecting(sides.second, 0);
  Handshake accepting(sides.first, sides.accept());
  const Socket stranger = connecting.take();
  REQUIRE(detail::send_whole(stranger, bytes));
  return advance(accepting);
}

}  // namespace

TEST_SUITE("distributed/peers/peer_handshake") {
  TEST_CASE("connects two ranks that know the secret") {
    const Sides sides;
    Handshake connecting(sides.second, 0);
    Handshake accepting(sides.first, sides.accept());

    CHECK(advance(connecting));
    CHECK(advance(accepting));
    CHECK(accepting.peer() == -1);
    CHECK(advance(connecting));
    CHECK(connecting.is_done());
    CHECK(advance(accepting));
    CHECK(accepting.is_done());
    CHECK(accepting.peer() == 1);
    CHECK(connecting.peer() == 0);
  }

  TEST_CASE("does not accept a rank that does not know the secret") {
    Sides sides;
    sides.second.secret[0] = 'x';
    Handshake connecting(sides.second, 0);
    Handshake accepting(sides.first, sides.accept());
    CHECK(advance(connecting));
    CHECK(advance(accepting));

    // A stranger goes on although the answer proves nothing to it.
    CHECK_THROWS_WITH_AS(advance(connecting),
                         ("rank 0: cannot join: whoever answers at " +
                          sides.listener.endpoint().text() +
                          " does not know the secret of this group; run again")
                             .c_str(),
                         CommunicationError);
    REQUIRE(
        detail::send_whole(connecting.take(), std::string(kProofBytes, 'p')));
    CHECK(!advance(accepting));
    CHECK(!accepting.is_done());
  }

  TEST_CASE("hears nobody who says something else") {
    const std::string nonce(kNonceBytes, 'n');
    CHECK(is_heard(format_hello({1, 0, 2, nonce})));
    CHECK(is_heard("mlp"));  // the rest may follow

    CHECK(!is_heard("GET / HTTP/1.1\r\n" + std::string(100, 'x')));
    CHECK(!is_heard(format_hello({1, 1, 2, nonce})));   // for another rank
    CHECK(!is_heard(format_hello({0, 0, 2, nonce})));   // from itself
    CHECK(!is_heard(format_hello({2, 0, 2, nonce})));   // from no rank
    CHECK(!is_heard(format_hello({-1, 0, 2, nonce})));  // from no rank
    CHECK(!is_heard(format_hello({1, 0, 3, nonce})));   // of another group
  }

  TEST_CASE("says that nobody listens, or that the connection is closed") {
    const Sides sides;
    const PeerPlan nobody{
        1, {{"127.0.0.1", 1}, {"127.0.0.1", 1}}, "", 1.0, {0}};
    Handshake refused(nobody, 0);
    CHECK_THROWS_WITH_AS(
        advance(refused),
        "rank 0: cannot be reached: rank 1 could not connect to it at "
        "127.0.0.1:1: Connection refused; check that it runs, and that no "
        "firewall is between",
        CommunicationError);

    Handshake connecting(sides.second, 0);
    { const Socket closed = sides.accept(); }
    CHECK_THROWS_AS(
        [&] {
          while (advance(connecting)) continue;
        }(),
        CommunicationError);
  }

  TEST_CASE("leaves the bytes after the handshake to others") {
    const Sides sides;
    Handshake connecting(sides.second, 0);
    Handshake accepting(sides.first, sides.accept());
    CHECK(advance(connecting));
    CHECK(advance(accepting));
    CHECK(advance(connecting));
    const Socket sending = connecting.take();
    REQUIRE(detail::send_whole(sending, "numbers"));
    CHECK(advance(accepting));

    const Socket receiving = accepting.take();
    pollfd waiting{receiving.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&waiting, 1, 10'000) == 1);
    char bytes[16] = "";
    CHECK(::recv(receiving.descriptor(), bytes, sizeof bytes, 0) == 7);
    CHECK(std::string(bytes) == "numbers");
  }
}

}  // namespace mlp::distributed
