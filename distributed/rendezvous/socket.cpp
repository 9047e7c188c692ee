// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "../../core/error.hpp"

namespace mlp::distributed {

namespace {

using Clock = std::chrono::steady_clock;
using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Waits until the descriptor is ready for the events, or failed.
bool wait_until_ready(int descriptor, short events, Deadline deadline) {
  while (true) {
    pollfd waiting{descriptor, events, 0};
    const int milliseconds = milliseconds_until(deadline);
    const int num_ready = ::poll(&waiting, 1, milliseconds);
    if (num_ready > 0) return true;
    if (num_ready == 0 && milliseconds == 0) return false;
    if (num_ready < 0 && errno != EINTR && errno != EAGAIN) return false;
  }
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

/// \param[out] reason  why there are none
Addresses resolve(const char* host, int port, int flags, std::string& reason) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string service = std::to_string(port);
  const int status = ::getaddrinfo(host, service.c_str(), &hints, &found);
  if (status != 0) {
    found = nullptr;
    reason =
        status == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(status);
  }
  return {found, &::freeaddrinfo};
}

bool is_numeric(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const std::string bare = host.substr(0, host.find('%'));
  return ::inet_pton(AF_INET, bare.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, bare.c_str(), bytes.data()) == 1;
}

Socket open_like(const addrinfo& address) {
  return Socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC,
                         address.ai_protocol));
}

void set_option(const Socket& socket, int level, int option, int value) {
  // Where it fails, a connection is slower or a port is free a minute later.
  static_cast<void>(
      ::setsockopt(socket.descriptor(), level, option, &value, sizeof value));
}

/// A client may meet itself where nobody listens at a port that the system
/// hands out to clients.
bool is_connected_to_itself(const Socket& socket) {
  sockaddr_storage own{};
  sockaddr_storage peer{};
  socklen_t own_size = sizeof own;
  socklen_t peer_size = sizeof peer;
  return ::getsockname(socket.descriptor(), reinterpret_cast<sockaddr*>(&own),
                       &own_size) == 0 &&
         ::getpeername(socket.descriptor(), reinterpret_cast<sockaddr*>(&peer),
                       &peer_size) == 0 &&
         own_size == peer_size && std::memcmp(&own, &peer, own_size) == 0;
}

/// \return 0, or the number of the error
int connect_by(const Socket& socket, const addrinfo& address,
               Deadline deadline) {
  if (::connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) ==
      0) {
    return 0;
  }
  if (errno != EINPROGRESS && errno != EINTR) return errno;
  if (!wait_until_ready(socket.descriptor(), POLLOUT, deadline)) {
    return ETIMEDOUT;
  }
  int error_number = 0;
  socklen_t size = sizeof error_number;
  if (::getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error_number,
                   &size) != 0) {
    return errno;
  }
  return error_number;
}

Addresses resolve_listener(const std::string& host, int port,
                           std::string& reason) {
  if (host == "localhost" || is_numeric(host)) {
    return resolve(host.c_str(), port, AI_PASSIVE, reason);
  }
  // IPv6 first: a socket at its wildcard hears IPv4 as well.
  Addresses all = resolve("::", port, AI_PASSIVE | AI_NUMERICHOST, reason);
  if (all && open_like(*all).is_open()) return all;
  return resolve("0.0.0.0", port, AI_PASSIVE | AI_NUMERICHOST, reason);
}

}  // namespace

Deadline deadline_after(double seconds) {
  constexpr double kYear = 365.0 * 24 * 3600;
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(
             std::chrono::duration<double>(std::clamp(seconds, 0.0, kYear)));
}

int milliseconds_until(Deadline deadline) {
  constexpr long long kMinute = 60'000;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, kMinute));
}

Socket::Socket(int descriptor) : descriptor_(descriptor) {
  if (descriptor < 0) return;
  const int flags = ::fcntl(descriptor, F_GETFL);
  static_cast<void>(::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Transfer Socket::send(const void* bytes, std::size_t size, Deadline deadline) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = ::send(descriptor_, from, size, MSG_NOSIGNAL);
    if (sent >= 0) {
      from += sent;
      size -= static_cast<std::size_t>(sent);
    } else if (would_block()) {
      if (!wait_until_ready(descriptor_, POLLOUT, deadline)) {
        return Transfer::kLate;
      }
    } else if (errno != EINTR) {
      return Transfer::kClosed;
    }
  }
  return Transfer::kDone;
}

std::ptrdiff_t Socket::receive_some(void* bytes, std::size_t size) {
  ssize_t received = 0;
  do {
    received = ::recv(descriptor_, bytes, size, 0);
  } while (received < 0 && errno == EINTR);
  return received < 0 && !would_block() ? 0 : received;
}

Transfer Socket::receive(void* bytes, std::size_t size, Deadline deadline) {
  char* to = static_cast<char*>(bytes);
  while (size > 0) {
    const std::ptrdiff_t received = receive_some(to, size);
    if (received == 0) return Transfer::kClosed;
    if (received > 0) {
      to += received;
      size -= static_cast<std::size_t>(received);
    } else if (!wait_until_ready(descriptor_, POLLIN, deadline)) {
      return Transfer::kLate;
    }
  }
  return Transfer::kDone;
}

bool Socket::has_input() const {
  pollfd waiting{descriptor_, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

Socket Socket::accept() {
  Socket client(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
  if (client.is_open()) set_option(client, IPPROTO_TCP, TCP_NODELAY, 1);
  return client;
}

std::string Socket::local_address() const {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  std::array<char, NI_MAXHOST> text{};
  if (::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&own), &size) !=
          0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(),
                    static_cast<socklen_t>(text.size()), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
    return "";
  }
  const std::string address = text.data();
  const std::string kMapped = "::ffff:";
  return address.starts_with(kMapped) ? address.substr(kMapped.size())
                                      : address;
}

Socket listen_at(const std::string& host, int port) {
  const std::string place = host + ':' + std::to_string(port);
  std::string reason;
  const Addresses addresses = resolve_listener(host, port, reason);
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    Socket listener = open_like(*at);
    if (!listener.is_open()) {
      reason = std::strerror(errno);
      continue;
    }
    set_option(listener, SOL_SOCKET, SO_REUSEADDR, 1);
    if (at->ai_family == AF_INET6) {
      set_option(listener, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    }
    if (::bind(listener.descriptor(), at->ai_addr, at->ai_addrlen) == 0 &&
        ::listen(listener.descriptor(), SOMAXCONN) == 0) {
      return listener;
    }
    reason = std::strerror(errno);
    if (errno == EADDRINUSE) break;
  }
  throw CommunicationError(
      "rank 0 must listen at " + place + "; got \"" + reason +
      "\"; give the address of the machine that runs rank 0 and a port that "
      "no other program, nor another training, uses");
}

Socket connect_once(const std::string& host, int port, Deadline deadline,
                    std::string& reason) {
  const Addresses addresses = resolve(host.c_str(), port, 0, reason);
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    Socket socket = open_like(*at);
    const int error_number =
        socket.is_open() ? connect_by(socket, *at, deadline) : errno;
    if (error_number != 0) {
      reason = std::strerror(error_number);
    } else if (is_connected_to_itself(socket)) {
      reason = std::strerror(ECONNREFUSED);
    } else {
      set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
      return socket;
    }
  }
  return {};
}

}  // namespace mlp::distributed
