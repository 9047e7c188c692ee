// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/gloo/pair_socket.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../../../core/error.hpp"

namespace mlp::distributed {

namespace {

/// The bytes of an address as Gloo gives them: a sockaddr and more.
std::vector<char> bytes_of(const Endpoint& endpoint) {
  const detail::SystemEndpoint system(endpoint);
  std::vector<char> bytes(sizeof system.address + 8);
  std::memcpy(bytes.data(), &system.address, sizeof system.address);
  return bytes;
}

}  // namespace

TEST_SUITE("distributed/gloo/pair_socket") {
  TEST_CASE("puts a socket in the place of the one that was accepted") {
    const Listener gloo("127.0.0.1");
    Socket accepted;
    std::thread loop([&] {
      while (!accepted.is_open()) accepted = gloo.accept();
    });
    PairSocket place(bytes_of(gloo.endpoint()));
    place.wait_until_accepted();
    loop.join();
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    const Socket far_end(ends[1]);

    place.replace_by(Socket(ends[0]));

    CHECK(place.descriptor() == accepted.descriptor());
    CHECK(detail::send_whole(far_end, "text"));
    std::array<char, 8> text{};
    CHECK(::recv(accepted.descriptor(), text.data(), text.size(), 0) == 4);
    CHECK(std::string(text.data()) == "text");
  }

  TEST_CASE("greets Gloo and sees whether it took the connection for a pair") {
    const Listener gloo("127.0.0.1");
    PairSocket place(bytes_of(gloo.endpoint()), "pair 7");
    Socket accepted;
    while (!accepted.is_open()) accepted = gloo.accept();
    place.wait_until_accepted();
    std::array<char, 8> text{};
    const ssize_t size =
        ::recv(accepted.descriptor(), text.data(), text.size(), 0);

    CHECK(std::string_view(text.data(), std::size_t(size)) == "pair 7");
    CHECK_FALSE(place.has_receive_timeout());
    const timeval timeout{5, 0};
    ::setsockopt(accepted.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &timeout,
                 sizeof timeout);
    CHECK(place.has_receive_timeout());
  }

  TEST_CASE("says that nobody listens at the loopback interface") {
    Endpoint endpoint;
    {
      const Listener closed("127.0.0.1");
      endpoint = closed.endpoint();
    }

    CHECK_THROWS_WITH_AS(
        PairSocket(bytes_of(endpoint)),
        "Gloo must accept a connection at the loopback interface; got: "
        "Connection refused; check that the interface lo is up",
        CommunicationError);
  }
}

}  // namespace mlp::distributed
