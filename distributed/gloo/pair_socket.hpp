// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../../core/error.hpp"
#include "../peers/tcp_socket.hpp"

namespace mlp::distributed {

/// The socket of a connection of Gloo, found by connecting to it, so that another
/// socket can take its place.
class PairSocket {
 public:
  /// Connects to Gloo.
  ///
  /// \param address   a sockaddr_in and more, at which Gloo listens
  /// \param greeting  what Gloo reads before it knows the pair; versions that
  ///                  listen for each pair, as that of May 2022, read nothing
  /// \throws CommunicationError if Gloo does not listen
  explicit PairSocket(const std::vector<char>& address,
                      std::string_view greeting = "") {
    sockaddr_in listening{};
    std::memcpy(&listening, address.data(), sizeof listening);
    other_end_ = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* const to = reinterpret_cast<const sockaddr*>(&listening);
    if (!other_end_.is_open() ||
        ::connect(other_end_.descriptor(), to, sizeof listening) != 0) {
      fail(std::strerror(errno));
    }
    if (!detail::send_whole(other_end_, greeting)) fail(std::strerror(errno));
  }

  /// Waits until Gloo has accepted the connection.
  ///
  /// \throws CommunicationError if it does not
  void wait_until_accepted() {
    constexpr std::chrono::seconds kPatience{20};
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!find()) {
      if (std::chrono::steady_clock::now() > end) fail("no answer");
      std::this_thread::yield();
    }
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// True if a receive from Gloo's descriptor ends after some time. Gloo sets that
  /// for the connection that a pair uses, and for no other.
  [[nodiscard]] bool has_receive_timeout() const {
    timeval timeout{};
    socklen_t size = sizeof timeout;
    return ::getsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &timeout,
                        &size) == 0 &&
           (timeout.tv_sec != 0 || timeout.tv_usec != 0);
  }

  /// Gives Gloo's descriptor another socket. Gloo must register it again, because
  /// epoll forgets a socket that is closed.
  ///
  /// \param peer  connected, and does not block
  void replace_by(Socket peer) const {
    constexpr int kOn = 1;
    ::setsockopt(peer.descriptor(), IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
    if (::dup3(peer.descriptor(), descriptor_, O_CLOEXEC) < 0) {
      fail(std::strerror(errno));
    }
  }

 private:
  using Name = int (*)(int, sockaddr*, socklen_t*);

  /// Returns the bytes of an address and port, or nothing.
  static std::string name_of(int socket, Name get) {
    sockaddr_in name{};
    socklen_t size = sizeof name;
    if (get(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0 ||
        name.sin_family != AF_INET) {
      return "";
    }
    std::string bytes(sizeof name.sin_addr + sizeof name.sin_port, '\0');
    std::memcpy(bytes.data(), &name.sin_addr, sizeof name.sin_addr);
    std::memcpy(bytes.data() + sizeof name.sin_addr, &name.sin_port,
                sizeof name.sin_port);
    return bytes;
  }

  /// Looks for the descriptor of this process that is connected to other_end_.
  bool find() {
    const std::string own = name_of(other_end_.descriptor(), &::getsockname);
    const std::string peer = name_of(other_end_.descriptor(), &::getpeername);
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir("/proc/self/fd"),
                                                   &::closedir);
    if (open == nullptr) fail(std::strerror(errno));
    while (const dirent* const entry = ::readdir(open.get())) {
      const int number = std::atoi(entry->d_name);
      if (number > 2 && name_of(number, &::getpeername) == own &&
          name_of(number, &::getsockname) == peer) {
        descriptor_ = number;
        return true;
      }
    }
    return false;
  }

  [[noreturn]] static void fail(const std::string& reason) {
    throw CommunicationError(
        "Gloo must accept a connection at the loopback interface; got: " +
        reason + "; check that the interface lo is up");
  }

  Socket other_end_;
  int descriptor_ = -1;
};

}  // namespace mlp::distributed
