// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../rendezvous/endpoint.hpp"

/// TCP sockets at numeric addresses, which no call blocks on.
namespace mlp::distributed {

/// A socket that is closed at the end.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

namespace detail {

/// An endpoint for the system. The family is 0 if the address is not
/// numeric.
struct SystemEndpoint {
  sockaddr_storage address{};
  socklen_t size = 0;

  explicit SystemEndpoint(const Endpoint& endpoint) {
    const auto port = htons(static_cast<std::uint16_t>(endpoint.port));
    auto* const four = reinterpret_cast<sockaddr_in*>(&address);
    auto* const six = reinterpret_cast<sockaddr_in6*>(&address);
    const char* const text = endpoint.address.c_str();
    if (::inet_pton(AF_INET, text, &four->sin_addr) == 1) {
      four->sin_family = AF_INET;
      four->sin_port = port;
      size = sizeof *four;
    } else if (::inet_pton(AF_INET6, text, &six->sin6_addr) == 1) {
      six->sin6_family = AF_INET6;
      six->sin6_port = port;
      size = sizeof *six;
    }
  }

  [[nodiscard]] const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&address);
  }
};

inline Socket make_socket(const SystemEndpoint& endpoint) {
  return Socket(::socket(endpoint.address.ss_family,
                         SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

/// Sends a short message on a connection on which nothing waits to be sent.
inline bool send_whole(const Socket& socket, std::string_view message) {
  return ::send(socket.descriptor(), message.data(), message.size(),
                MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
}

}  // namespace detail

/// A port at which this rank waits for others.
class Listener {
 public:
  /// \param address  numeric
  /// \throws CommunicationError if this machine has no such address
  explicit Listener(const std::string& address) : endpoint_{address, 0} {
    const detail::SystemEndpoint wanted(endpoint_);
    socket_ = detail::make_socket(wanted);
    sockaddr_storage found{};
    socklen_t size = sizeof found;
    if (!socket_.is_open() ||
        ::bind(socket_.descriptor(), wanted.get(), wanted.size) != 0 ||
        ::listen(socket_.descriptor(), SOMAXCONN) != 0 ||
        ::getsockname(socket_.descriptor(), reinterpret_cast<sockaddr*>(&found),
                      &size) != 0) {
      throw CommunicationError("this rank cannot listen at " + address + ": " +
                               std::strerror(errno) +
                               "; give the address of one of its interfaces");
    }
    // The port is at the same place for both families.
    endpoint_.port = ntohs(reinterpret_cast<sockaddr_in*>(&found)->sin_port);
  }

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] int descriptor() const { return socket_.descriptor(); }

  /// Returns a connection that waits, if there is one.
  ///
  /// \throws ResourceError if the process has no file handles left
  [[nodiscard]] Socket accept() const {
    Socket socket(::accept4(socket_.descriptor(), nullptr, nullptr,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open() && (errno == EMFILE || errno == ENFILE)) {
      throw ResourceError(std::string("a rank cannot be connected: ") +
                          std::strerror(errno));
    }
    return socket;
  }

 private:
  Endpoint endpoint_;
  Socket socket_;
};

}  // namespace mlp::distributed
