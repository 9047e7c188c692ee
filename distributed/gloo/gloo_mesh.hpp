// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The connections of the plugin for Gloo.
#pragma once

#include <gloo/context.h>
#include <gloo/transport/context.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/address.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/loop.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../peers/peer_connector.hpp"
#include "../peers/tcp_socket.hpp"
#include "../rendezvous/exchange_endpoints.hpp"
#include "gloo_allreduce.hpp"
#include "pair_socket.hpp"
#include "sum_steps.hpp"

namespace mlp::distributed {

/// Blocks SIGPIPE in the calling thread, and in threads that it starts during
/// the lifetime of this object: Gloo writes to sockets whose peer may have
/// closed them, without MSG_NOSIGNAL.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    ::sigemptyset(&sigpipe_);
    ::sigaddset(&sigpipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }

  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

  ~SigpipeGuard() {
    if (::sigismember(&before_, SIGPIPE) == 1) return;
    sigset_t pending;
    ::sigemptyset(&pending);
    ::sigpending(&pending);
    constexpr timespec kAtOnce{0, 0};
    if (::sigismember(&pending, SIGPIPE) == 1) {
      ::sigtimedwait(&sigpipe_, nullptr, &kAtOnce);
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t sigpipe_;
  sigset_t before_;
};

/// Returns a time to wait, at most a year.
inline std::chrono::steady_clock::duration waiting_time(double seconds) {
  constexpr double kYear = 365.0 * 24 * 3600;
  if (std::isnan(seconds)) seconds = 0.0;  // refused by check_seconds()
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(std::clamp(seconds, 0.0, kYear)));
}

inline void check_seconds(const std::string& name, double seconds) {
  if (!(seconds > 0.0) || !std::isfinite(seconds)) {
    throw ParamError(name + " must be above 0 and finite; got " +
                     seconds_text(seconds));
  }
}

/// The context of Gloo on connections that were made before.
///
/// Gloo listens, accepts and connects by itself, and a message that it does not
/// expect ends the process. So each pair of Gloo gets a connection from this
/// process, at a loopback address that nobody can guess, and then the socket to
/// the other rank takes the place of that connection.
///
/// The version of May 2022 listens for each pair. That of September 2025 has one
/// listener, which reads the number of a pair from each connection, and it has
/// isConnected().
class ReadyContext final : public ::gloo::Context {
 public:
  /// \param peers  by rank; those that are open become pairs
  ReadyContext(int own_rank, std::vector<Socket> peers,
               std::chrono::milliseconds timeout)
      : Context(own_rank, static_cast<int>(peers.size())) {
    const auto device =
        std::dynamic_pointer_cast<::gloo::transport::tcp::Device>(
            ::gloo::transport::tcp::CreateDevice(
                ::gloo::transport::tcp::attr(unknown_loopback().c_str())));
    setTimeout(timeout);
    device_ = device;
    transportContext_ = device->createContext(rank, size);
    transportContext_->setTimeout(timeout);
    for (int peer = 0; peer < size; ++peer) {
      if (!peers[static_cast<std::size_t>(peer)].is_open()) continue;
      auto& pair = *transportContext_->createPair(peer);
      const PairSocket place = connect(pair);
      place.replace_by(std::move(peers[static_cast<std::size_t>(peer)]));
      device->registerDescriptor(
          place.descriptor(), EPOLLIN,
          &dynamic_cast<::gloo::transport::tcp::Handler&>(pair));
    }
  }

 private:
  /// Connects this process to a pair of its own.
  ///
  /// \tparam Pair  ::gloo::transport::Pair
  template <class Pair>
  static PairSocket connect(Pair& pair) {
    const std::vector<char> address = pair.address().bytes();
    if constexpr (requires { pair.isConnected(); }) {
      const auto number = ::gloo::transport::tcp::Address(address).getSeq();
      PairSocket place(address,
                       {reinterpret_cast<const char*>(&number), sizeof number});
      // Of two ends, the one with the smaller address waits for the other.
      std::vector<char> greater = address;
      std::fill_n(greater.begin() + offsetof(sockaddr_in, sin_addr),
                  sizeof(sockaddr_in::sin_addr), '\xFF');
      pair.connect(greater);
      place.wait_until_accepted();
      if (!place.has_receive_timeout()) {
        throw CommunicationError(
            "another process of this machine has connected to Gloo at the "
            "loopback interface; expected this process alone");
      }
      return place;
    } else {
      PairSocket place(address);
      place.wait_until_accepted();
      return place;
    }
  }

  /// Returns one of the 2^24 addresses of the loopback interface.
  static std::string unknown_loopback() {
    std::string address = "127";
    for (const char byte : random_bytes(3)) {
      // No address ends with 0 or 255, which may mean a network.
      constexpr int kNumValues = 254;
      address += '.';
      address +=
          std::to_string(1 + static_cast<unsigned char>(byte) % kNumValues);
    }
    return address;
  }
};

/// The connections of a rank to its partners, and the thread that serves them.
struct GlooMesh {
  std::string address;
  std::shared_ptr<::gloo::Context> context;
};

/// Connects to the ranks with which this one exchanges numbers.
///
/// \param secret  of the group  [kSecretBytes]
/// \throws as make_gloo_allreduce()
inline GlooMesh connect_mesh(Rendezvous& rendezvous, const GlooOptions& options,
                             const std::string& secret) {
  const SigpipeGuard guard;
  bool has_told = false;
  try {
    check_seconds("deadline_seconds", options.deadline_seconds);
    check_seconds("connect_seconds", options.connect_seconds);
    const Listener listener(options.address);
    has_told = true;
    const PeerPlan plan{
        rendezvous.rank(), exchange_endpoints(rendezvous, listener.endpoint()),
        secret, options.connect_seconds,
        SumSteps::partners(rendezvous.rank(), rendezvous.world_size())};
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(
        waiting_time(options.connect_seconds));
    return {options.address,
            std::make_shared<ReadyContext>(
                plan.rank, PeerConnector(plan, listener).connect(), timeout)};
  } catch (const std::exception& error) {
    if (!has_told) excuse(rendezvous, error.what());
    throw;
  }
}

}  // namespace mlp::distributed
