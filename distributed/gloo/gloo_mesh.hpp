// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The connections of the plugin for Gloo.
#pragma once

#include <arpa/inet.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "gloo_allreduce.hpp"

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

/// Returns an identifier of this machine, the same for all its processes: 36
/// letters, or blanks if the system does not provide one.
inline std::string machine_id() {
  constexpr std::size_t kSize = 36;
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  id.resize(kSize, ' ');
  return id;
}

inline bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

/// Provides the addresses of the ranks to Gloo, as its store of keys that all
/// ranks share.
///
/// Gloo reads "rank_J", which is not used here and is answered without the
/// other ranks. Rank 0 never reads it, so a call of the rendezvous would not
/// happen equally often on all ranks. Gloo sets the addresses of rank R as "R"
/// and waits for the addresses of the others.
class AddressStore final : public ::gloo::rendezvous::Store {
 public:
  explicit AddressStore(Rendezvous& rendezvous)
      : rendezvous_(rendezvous), machine_(machine_id()) {}

  /// \param address  that this rank listens at
  void set_address(const std::string& address) {
    machine_ += is_loopback(address) ? kLoopback : kNetwork;
  }

  void set(const std::string& key, const std::vector<char>& data) override {
    if (key == std::to_string(rendezvous_.rank())) own_ = data;
  }

  std::vector<char> get(const std::string& key) override {
    if (key.starts_with("rank_")) return {key.begin(), key.end()};
    gather();
    last_rank_ = std::stoi(key);
    return addresses_.at(static_cast<std::size_t>(last_rank_));
  }

  void wait(const std::vector<std::string>& /*keys*/) override { gather(); }
  void wait(const std::vector<std::string>& /*keys*/,
            const std::chrono::milliseconds& /*timeout*/) override {
    gather();
  }

  /// The rank whose address Gloo read last, to which it connects; or -1.
  [[nodiscard]] int last_rank() const { return last_rank_; }

  /// Tells the others why this rank cannot join, so that none waits for it.
  void excuse(const std::string& sentence) noexcept {
    if (is_gathered_) return;
    try {
      static_cast<void>(rendezvous_.all_gather(kExcuse + sentence));
    } catch (const std::exception&) {
      // This rank's own error is the one to report.
    }
  }

 private:
  static inline const std::string kAddresses = "mlp gloo 2 addresses ";
  static inline const std::string kExcuse = "mlp gloo 2 excuse ";
  static constexpr char kLoopback = 'l';
  static constexpr char kNetwork = 'n';

  void gather() {
    if (is_gathered_) return;
    is_gathered_ = true;
    const std::vector<std::string> texts = rendezvous_.all_gather(
        kAddresses + machine_ + std::string(own_.begin(), own_.end()));
    for (std::size_t r = 0; r < texts.size(); ++r) {
      addresses_.push_back(read(static_cast<int>(r), texts[r]));
    }
  }

  /// Returns the addresses in a rank's text.
  [[nodiscard]] std::vector<char> read(int rank,
                                       const std::string& text) const {
    if (text.starts_with(kExcuse)) {
      throw CommunicationError(rank,
                               "cannot join: " + text.substr(kExcuse.size()));
    }
    const std::size_t begin = kAddresses.size() + machine_.size();
    if (!text.starts_with(kAddresses) || text.size() != begin + own_.size()) {
      throw CommunicationError(rank,
                               "must send " + std::to_string(own_.size()) +
                                   " bytes of addresses; got a text of " +
                                   std::to_string(text.size()) +
                                   " bytes; run the same build everywhere");
    }
    check_is_reachable(rank, text.substr(kAddresses.size(), machine_.size()));
    return {text.begin() + static_cast<std::ptrdiff_t>(begin), text.end()};
  }

  /// Refuses addresses that cannot be reached; otherwise the ranks would wait
  /// for connect_seconds.
  void check_is_reachable(int rank, const std::string& other) const {
    const bool is_here =
        std::string_view(other).substr(0, other.size() - 1) ==
        std::string_view(machine_).substr(0, machine_.size() - 1);
    const bool is_loopback =
        other.back() == kLoopback || machine_.back() == kLoopback;
    if (is_here || !is_loopback) return;
    throw CommunicationError(
        other.back() == kLoopback ? rank : rendezvous_.rank(),
        "must listen at an address that the ranks on other machines can reach; "
        "got a loopback address; give each rank the address of its machine, by "
        "--address or GlooOptions::address");
  }

  Rendezvous& rendezvous_;
  std::string machine_;  ///< its identity, then kLoopback or kNetwork
  std::vector<char> own_;
  std::vector<std::vector<char>> addresses_;
  bool is_gathered_ = false;
  int last_rank_ = -1;
};

/// Refuses a host name, which Gloo would look up and crash on if it is unknown,
/// and an address that would reach the caller instead of this machine.
inline void check_address(const std::string& address) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const bool is_numeric =
      ::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
      ::inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
  if (!is_numeric || address == "0.0.0.0" || address == "::") {
    throw ParamError(
        "the address of a rank must be the numeric IPv4 or IPv6 address of one "
        "of its interfaces; got \"" +
        address + "\"; give the one that the other ranks can reach");
  }
}

inline void check_seconds(const std::string& name, double seconds) {
  if (!(seconds > 0.0) || !std::isfinite(seconds)) {
    throw ParamError(name + " must be above 0 and finite; got " +
                     detail::seconds_text(seconds));
  }
}

/// The connections between all pairs of ranks, and the thread that serves them.
struct GlooMesh {
  std::string address;
  std::shared_ptr<::gloo::transport::Device> device;
  std::shared_ptr<::gloo::rendezvous::Context> context;
};

/// Connects to all ranks.
///
/// \throws as make_gloo_allreduce()
inline GlooMesh connect_mesh(Rendezvous& rendezvous,
                             const GlooOptions& options) {
  const SigpipeGuard guard;
  AddressStore store(rendezvous);
  GlooMesh mesh;
  try {
    check_seconds("deadline_seconds", options.deadline_seconds);
    check_seconds("connect_seconds", options.connect_seconds);
    mesh.address = options.address;
    check_address(mesh.address);
    store.set_address(mesh.address);
    mesh.device = ::gloo::transport::tcp::CreateDevice(
        ::gloo::transport::tcp::attr(mesh.address.c_str()));
    mesh.context = std::make_shared<::gloo::rendezvous::Context>(
        rendezvous.rank(), rendezvous.world_size());
    mesh.context->setTimeout(std::chrono::ceil<std::chrono::milliseconds>(
        waiting_time(options.connect_seconds)));
    mesh.context->connectFullMesh(store, mesh.device);
    return mesh;
  } catch (const Error& error) {
    store.excuse(error.what());
    throw;
  } catch (const std::exception& error) {
    const std::string sentence =
        std::string("Gloo could not connect rank ")
            .append(std::to_string(rendezvous.rank()) + " at " + mesh.address)
            .append(" within " + detail::seconds_text(options.connect_seconds))
            .append(std::string(" s: ") + error.what());
    store.excuse(sentence);
    if (store.last_rank() < 0) throw CommunicationError(sentence);
    throw CommunicationError(store.last_rank(),
                             "cannot be reached: " + sentence);
  }
}

}  // namespace mlp::distributed
