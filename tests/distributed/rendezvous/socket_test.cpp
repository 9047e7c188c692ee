// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/socket.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "../../../core/error.hpp"
#include "../gloo/free_port.hpp"

namespace mlp::distributed {

namespace {

/// Long enough for what happens at once, on a machine under load too.
constexpr double kSeconds = 5.0;

struct Connection {
  Socket client;
  Socket server;
};

Connection connect_at(const std::string& host, int port) {
  std::string reason;
  Socket listener = listen_at(host, port);
  Connection connection;
  connection.client =
      connect_once(host, port, deadline_after(kSeconds), reason);
  REQUIRE_MESSAGE(connection.client.is_open(), reason);
  const Deadline deadline = deadline_after(kSeconds);
  while (!connection.server.is_open() && milliseconds_until(deadline) > 0) {
    connection.server = listener.accept();
  }
  REQUIRE(connection.server.is_open());
  return connection;
}

}  // namespace

TEST_SUITE("distributed/rendezvous/socket") {
  TEST_CASE("carries more bytes than the system holds") {
    Connection connection = connect_at("127.0.0.1", free_port());
    const std::string bytes(10'000'000, 'x');
    std::string received(bytes.size(), ' ');
    Transfer sent = Transfer::kLate;

    std::thread sender([&] {
      sent = connection.client.send(bytes.data(), bytes.size(),
                                    deadline_after(kSeconds));
    });
    const Transfer got = connection.server.receive(
        received.data(), received.size(), deadline_after(kSeconds));
    sender.join();

    CHECK(sent == Transfer::kDone);
    CHECK(got == Transfer::kDone);
    CHECK((received == bytes));
    CHECK(connection.client.local_address() == "127.0.0.1");
  }

  TEST_CASE("waits no longer than its deadline") {
    Connection connection = connect_at("127.0.0.1", free_port());
    char byte = 0;

    CHECK(connection.client.receive(&byte, 1, deadline_after(0.02)) ==
          Transfer::kLate);
    CHECK(connection.client.receive_some(&byte, 1) == -1);
  }

  TEST_CASE("tells when the other end has closed") {
    Connection connection = connect_at("127.0.0.1", free_port());
    char byte = 0;

    connection.server.close();

    CHECK(connection.client.receive(&byte, 1, deadline_after(kSeconds)) ==
          Transfer::kClosed);
    CHECK(connection.client.has_input());
  }

  TEST_CASE("listens at localhost by name") {
    Connection connection = connect_at("localhost", free_port());

    CHECK(connection.client.is_open());
  }

  TEST_CASE("says who may have taken a port") {
    const int port = free_port();
    const std::string place = "127.0.0.1:" + std::to_string(port);
    const Socket listener = listen_at("127.0.0.1", port);

    CHECK_THROWS_WITH_AS(
        static_cast<void>(listen_at("127.0.0.1", port)),
        ("rank 0 must listen at " + place +
         "; got \"Address already in use\"; give the address of the machine "
         "that runs rank 0 and a port that no other program, nor another "
         "training, uses")
            .c_str(),
        CommunicationError);
  }

  TEST_CASE("gives the reason where nobody listens") {
    std::string reason;

    const Socket socket = connect_once("127.0.0.1", free_port(),
                                       deadline_after(kSeconds), reason);

    CHECK(!socket.is_open());
    CHECK(reason == "Connection refused");
  }
}

}  // namespace mlp::distributed
