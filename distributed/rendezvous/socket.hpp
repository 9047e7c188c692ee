// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace mlp::distributed {

/// When waiting ends; a clock that nobody sets.
using Deadline = std::chrono::steady_clock::time_point;

/// The point in time that lies so many seconds ahead, a year at most.
[[nodiscard]] Deadline deadline_after(double seconds);

/// What is left for poll(2): 0 once the deadline has passed, a minute at most.
[[nodiscard]] int milliseconds_until(Deadline deadline);

/// How a transfer ended.
enum class Transfer { kDone, kClosed, kLate };

/// A stream socket that is closed at the end of its scope. No call blocks
/// beyond its deadline, and none raises SIGPIPE.
class Socket {
 public:
  Socket() = default;

  /// Takes over an open descriptor, which becomes non-blocking.
  explicit Socket(int descriptor);

  Socket(Socket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Closes at once, not at the end of the scope.
  void close() { Socket().swap(*this); }

  /// Sends every byte, or tells what stood in the way.
  [[nodiscard]] Transfer send(const void* bytes, std::size_t size,
                              Deadline deadline);

  /// Receives exactly so many bytes, or tells what stood in the way.
  [[nodiscard]] Transfer receive(void* bytes, std::size_t size,
                                 Deadline deadline);

  /// Receives what is there, at most so many bytes, without waiting.
  ///
  /// \return the number received; 0 where the peer has closed; -1 where
  ///         nothing is there yet
  [[nodiscard]] std::ptrdiff_t receive_some(void* bytes, std::size_t size);

  /// Tells whether the peer has closed, or sent what nobody asked for.
  [[nodiscard]] bool has_input() const;

  /// Accepts a waiting client.
  ///
  /// \return a closed socket where there is none
  [[nodiscard]] Socket accept();

  /// This end's address in numbers, IPv4 in its own form even where it came
  /// through IPv6; empty where it is not known.
  [[nodiscard]] std::string local_address() const;

 private:
  void swap(Socket& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
  }

  int descriptor_ = -1;
};

/// Listens where clients of host:port arrive: at a numeric address and at
/// localhost on that interface alone, at another name on all, because a machine
/// often knows its own name by a loopback address.
///
/// \throws CommunicationError where the port is taken or the address is not
///         this machine's
[[nodiscard]] Socket listen_at(const std::string& host, int port);

/// Tries each address of host once.
///
/// \param[out] reason  why it failed, where it did
/// \return a closed socket where none answered
[[nodiscard]] Socket connect_once(const std::string& host, int port,
                                  Deadline deadline, std::string& reason);

}  // namespace mlp::distributed
