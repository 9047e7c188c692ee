// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/peers/tcp_socket.hpp"

#include <doctest/doctest.h>
#include <poll.h>

#include <array>
#include <string>

#include "../../../core/error.hpp"

namespace mlp::distributed {

TEST_SUITE("distributed/peers/tcp_socket") {
  TEST_CASE("listens at a port of its own, at both families") {
    for (const char* const address : {"127.0.0.1", "127.1.2.3", "::1"}) {
      try {
        const Listener first(address);
        const Listener second(address);

        CHECK(first.endpoint().address == address);
        CHECK(first.endpoint().port > 0);
        CHECK(first.endpoint().port != second.endpoint().port);
      } catch (const CommunicationError&) {
        CHECK(address == std::string("::1"));  // no IPv6 on this machine
      }
    }
  }

  TEST_CASE("accepts who connects, and nobody before") {
    const Listener listener("127.0.0.1");
    CHECK(!listener.accept().is_open());
    const detail::SystemEndpoint to(listener.endpoint());
    const Socket socket = detail::make_socket(to);

    ::connect(socket.descriptor(), to.get(), to.size);
    pollfd waiting{listener.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&waiting, 1, 10'000) == 1);
    const Socket accepted = listener.accept();

    REQUIRE(accepted.is_open());
    CHECK(detail::send_whole(accepted, "text"));
    std::array<char, 8> text{};
    waiting.fd = socket.descriptor();
    REQUIRE(::poll(&waiting, 1, 10'000) == 1);
    CHECK(::recv(socket.descriptor(), text.data(), text.size(), 0) == 4);
    CHECK(std::string(text.data()) == "text");
  }

  TEST_CASE("says that this machine does not have an address") {
    CHECK_THROWS_WITH_AS(
        Listener("192.0.2.1"),
        "this rank cannot listen at 192.0.2.1: Cannot assign requested "
        "address; give the address of one of its interfaces",
        CommunicationError);
  }

  TEST_CASE("closes a descriptor once, whoever has it last") {
    int descriptor = -1;
    {
      Socket first(::socket(AF_INET, SOCK_STREAM, 0));
      descriptor = first.descriptor();
      Socket second(std::move(first));
      Socket third;
      third = std::move(second);
      CHECK(third.descriptor() == descriptor);
      CHECK(!first.is_open());
    }
    CHECK(::close(descriptor) == -1);
  }
}

}  // namespace mlp::distributed
