// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../distributed/peers/tcp_socket.hpp"

namespace mlp::bench {

/// Relays TCP connections to an endpoint and delays all bytes in both directions
/// by the same time, as a long cable does. Bytes do not wait for each other.
class DelayingRelay {
 public:
  using Clock = std::chrono::steady_clock;

  /// \param target  numeric
  DelayingRelay(distributed::Endpoint target, Clock::duration delay)
      : target_(std::move(target)), delay_(delay), stop_(::eventfd(0, 0)) {
    thread_ = std::thread([this] { relay(); });
  }

  DelayingRelay(const DelayingRelay&) = delete;
  DelayingRelay& operator=(const DelayingRelay&) = delete;

  ~DelayingRelay() {
    constexpr std::uint64_t kOne = 1;
    static_cast<void>(::write(stop_.descriptor(), &kOne, sizeof kOne));
    thread_.join();
  }

  /// Where others connect.
  [[nodiscard]] const distributed::Endpoint& endpoint() const {
    return listener_.endpoint();
  }

 private:
  struct Bytes {
    Clock::time_point due;
    std::string text;
  };

  /// One direction of a connection.
  struct Way {
    int from = -1;
    int to = -1;
    std::deque<Bytes> bytes;
    bool is_open = true;
  };

  struct Connection {
    distributed::Socket outside;
    distributed::Socket inside;
    std::array<Way, 2> ways;
  };

  void relay() {
    while (true) {
      std::vector<pollfd> polled{{stop_.descriptor(), POLLIN, 0},
                                 {listener_.descriptor(), POLLIN, 0}};
      for (const Connection& each : connections_) {
        for (const Way& way : each.ways) {
          polled.push_back({way.is_open ? way.from : -1, POLLIN, 0});
        }
      }
      const timespec wait = time_to_next();
      ::ppoll(polled.data(), polled.size(), &wait, nullptr);
      if (polled[0].revents != 0) return;
      std::size_t next = 2;
      for (Connection& each : connections_) {
        for (Way& way : each.ways) {
          if (polled[next++].revents != 0) read(way);
          send_due(way);
        }
      }
      if (polled[1].revents != 0) accept();
    }
  }

  [[nodiscard]] timespec time_to_next() const {
    Clock::duration least = std::chrono::seconds(1);
    const Clock::time_point now = Clock::now();
    for (const Connection& each : connections_) {
      for (const Way& way : each.ways) {
        if (way.bytes.empty()) continue;
        least = std::min(least, std::max(way.bytes.front().due - now,
                                         Clock::duration::zero()));
      }
    }
    const auto nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(least).count();
    return {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  }

  void accept() {
    Connection made;
    made.outside = listener_.accept();
    if (!made.outside.is_open()) return;
    const distributed::detail::SystemEndpoint to(target_);
    made.inside = distributed::Socket(
        ::socket(to.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(made.inside.descriptor(), to.get(), to.size) != 0) return;
    made.ways[0].from = made.ways[1].to = made.outside.descriptor();
    made.ways[0].to = made.ways[1].from = made.inside.descriptor();
    for (const Way& way : made.ways) {
      constexpr int kOn = 1;
      ::setsockopt(way.from, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
    }
    connections_.push_back(std::move(made));
  }

  void read(Way& way) const {
    std::string text(1 << 18, '\0');
    const ssize_t size =
        ::recv(way.from, text.data(), text.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    way.is_open = size > 0;
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    way.bytes.push_back({Clock::now() + delay_, std::move(text)});
  }

  /// Sends what is due; a text of no bytes closes the connection.
  static void send_due(Way& way) {
    while (!way.bytes.empty() && way.bytes.front().due <= Clock::now()) {
      std::string& text = way.bytes.front().text;
      if (text.empty()) ::shutdown(way.to, SHUT_WR);
      const ssize_t sent =
          ::send(way.to, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) return;
      if (sent >= 0 && static_cast<std::size_t>(sent) < text.size()) {
        text.erase(0, static_cast<std::size_t>(sent));
        return;
      }
      way.bytes.pop_front();
    }
  }

  distributed::Endpoint target_;
  Clock::duration delay_;
  distributed::Listener listener_{"127.0.0.1"};
  distributed::Socket stop_;
  std::list<Connection> connections_;
  std::thread thread_;
};

}  // namespace mlp::bench
