// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/rendezvous_door.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "../gloo/free_port.hpp"

namespace mlp::distributed {

namespace {

/// Long enough for what happens at once, on a machine under load too.
constexpr double kSeconds = 10.0;

/// A door of a group of two, opened by a thread until rank 1 has come.
class OpenDoor {
 public:
  OpenDoor()
      : port_(free_port()),
        door_(listen_at("127.0.0.1", port_), 2),
        thread_([this] {
          members_ = door_.open_until(deadline_after(kSeconds));
        }) {}
  ~OpenDoor() {
    if (thread_.joinable()) thread_.join();
  }

  Socket call() {
    std::string reason;
    return connect_once("127.0.0.1", port_, deadline_after(kSeconds), reason);
  }

  /// What a guest that sends these bytes is told; empty where it is left alone.
  std::string say(const std::string& bytes) {
    Socket guest = call();
    static_cast<void>(
        guest.send(bytes.data(), bytes.size(), deadline_after(kSeconds)));
    FrameHeader header;
    std::string text;
    static_cast<void>(
        receive_frame(guest, 1000, header, text, deadline_after(kSeconds)));
    return text;
  }

  bool has_rank_1() {
    thread_.join();
    return members_.at(1).is_open();
  }

 private:
  int port_;
  RendezvousDoor door_;
  std::vector<Socket> members_;
  std::thread thread_;
};

std::string greeting(std::uint32_t rank, std::uint64_t world_size) {
  const auto bytes =
      FrameHeader{FrameKind::kGreeting, rank, world_size}.bytes();
  return {bytes.begin(), bytes.end()};
}

void send_all(Socket& socket, const std::string& bytes) {
  static_cast<void>(
      socket.send(bytes.data(), bytes.size(), deadline_after(kSeconds)));
}

}  // namespace

TEST_SUITE("distributed/rendezvous/rendezvous_door") {
  TEST_CASE("turns strangers away and lets the member in") {
    OpenDoor door;
    Socket silent = door.call();

    CHECK(door.say("GET / HTTP/1.1\r\nHost: rank-0\r\n\r\n") == "");
    CHECK(door.say(greeting(1, 3)) ==
          "the world size must be 2, as rank 0 was told; got 3; give all ranks "
          "the same");
    CHECK(door.say(greeting(2, 2)) == "the rank must be 1 .. 1; got 2");
    CHECK(door.say(greeting(0, 2)) == "the rank must be 1 .. 1; got 0");
    std::string other_version = greeting(1, 2);
    other_version[7] = '0';
    CHECK(door.say(other_version) ==
          "this worker is of another version of the library; run the same one "
          "everywhere");

    Socket member = door.call();
    send_all(member, greeting(1, 2));

    CHECK(door.has_rank_1());
  }

  TEST_CASE("hears a greeting that comes byte by byte") {
    OpenDoor door;
    Socket member = door.call();

    for (const char byte : greeting(1, 2)) send_all(member, {byte});

    CHECK(door.has_rank_1());
  }

  TEST_CASE("refuses a second worker of one rank") {
    const int port = free_port();
    RendezvousDoor door(listen_at("127.0.0.1", port), 3);
    std::thread thread(
        [&door] { static_cast<void>(door.open_until(deadline_after(1.0))); });
    std::string reason;
    const Deadline deadline = deadline_after(kSeconds);
    Socket first = connect_once("127.0.0.1", port, deadline, reason);
    Socket second = connect_once("127.0.0.1", port, deadline, reason);

    send_all(first, greeting(1, 3));
    send_all(second, greeting(1, 3));
    // Which of the two is heard first is the system's choice.
    FrameHeader header;
    std::string text;
    while (!first.has_input() && !second.has_input()) std::this_thread::yield();
    static_cast<void>(receive_frame(first.has_input() ? first : second, 1000,
                                    header, text, deadline));
    thread.join();

    CHECK(header.kind == FrameKind::kRefusal);
    CHECK(text ==
          "each rank must be one worker; another one has come as rank 1; give "
          "each its own rank");
  }

  TEST_CASE("gives the place of a worker that died to its successor") {
    const int port = free_port();
    RendezvousDoor door(listen_at("127.0.0.1", port), 3);
    std::vector<Socket> members;
    std::thread thread(
        [&] { members = door.open_until(deadline_after(kSeconds)); });
    std::string reason;
    const Deadline deadline = deadline_after(kSeconds);

    connect_once("127.0.0.1", port, deadline, reason).close();
    Socket dead = connect_once("127.0.0.1", port, deadline, reason);
    send_all(dead, greeting(1, 3));
    dead.close();
    Socket other = connect_once("127.0.0.1", port, deadline, reason);
    send_all(other, greeting(2, 3));
    Socket successor;
    do {
      successor = connect_once("127.0.0.1", port, deadline, reason);
      if (successor.is_open()) send_all(successor, greeting(1, 3));
      std::this_thread::yield();
    } while (successor.is_open() && successor.has_input());
    thread.join();

    CHECK(members.at(1).is_open());
    CHECK(members.at(2).is_open());
  }
}

}  // namespace mlp::distributed
