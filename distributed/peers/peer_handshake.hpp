// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../rendezvous/endpoint.hpp"
#include "../rendezvous/handshake.hpp"
#include "tcp_socket.hpp"

/// The handshake of two ranks on a socket.
namespace mlp::distributed {

/// The data with which a rank connects to the others.
struct PeerPlan {
  int rank = 0;
  std::vector<Endpoint> endpoints;  ///< [world_size]
  std::string secret;               ///< [kSecretBytes]
  double connect_seconds = 0;

  /// The ranks to connect with. Each of them connects with this rank, too.
  std::set<int> partners;

  [[nodiscard]] int world_size() const {
    return static_cast<int>(endpoints.size());
  }
};

/// Returns all ranks but one.
inline std::set<int> all_others(int rank, int world_size) {
  std::set<int> others;
  for (int r = 0; r < world_size; ++r) {
    if (r != rank) others.insert(r);
  }
  return others;
}

/// One side of a handshake on a connection.
class Handshake {
 public:
  /// Begins a connection to a rank.
  Handshake(const PeerPlan& plan, int peer)
      : plan_(&plan), is_ours_(true), peer_(peer) {
    const detail::SystemEndpoint to(
        plan.endpoints.at(static_cast<std::size_t>(peer)));
    socket_ = detail::make_socket(to);
    hello_ = {plan.rank, peer, plan.world_size(), random_bytes(kNonceBytes)};
    step_ = Step::kConnect;
    if (!socket_.is_open() ||
        (::connect(socket_.descriptor(), to.get(), to.size) != 0 &&
         errno != EINPROGRESS)) {
      fail_to_reach(errno);
    }
  }

  /// Begins with a connection that somebody has made.
  Handshake(const PeerPlan& plan, Socket socket)
      : plan_(&plan),
        socket_(std::move(socket)),
        nonce_(random_bytes(kNonceBytes)) {}

  [[nodiscard]] int peer() const { return peer_; }  ///< -1: not known yet
  [[nodiscard]] bool is_ours() const { return is_ours_; }
  [[nodiscard]] bool is_done() const { return step_ == Step::kDone; }
  [[nodiscard]] Socket take() { return std::move(socket_); }
  [[nodiscard]] pollfd to_poll() const {
    const short events = step_ == Step::kConnect ? POLLOUT : POLLIN;
    return {socket_.descriptor(), events, 0};
  }

  /// Goes on after the socket became ready.
  ///
  /// \return false if somebody else has connected, who is not heard any further
  /// \throws CommunicationError if a rank that this one connects to cannot be
  ///         reached, or does not know the secret
  bool advance() {
    if (step_ == Step::kConnect) return send_hello();
    switch (receive()) {
      case Received::kPart:
        return true;
      case Received::kNothing:
        if (is_ours_) fail_to_reach(ECONNRESET);
        return false;
      case Received::kAll:
        break;
    }
    if (step_ == Step::kAnswer) return check_answer();
    return step_ == Step::kHello ? answer_hello() : check_proof();
  }

 private:
  /// The event that this side waits for. The connector waits for the connection
  /// and an answer, the acceptor for a hello and a proof.
  enum class Step { kConnect, kAnswer, kHello, kProof, kDone };
  enum class Received { kNothing, kPart, kAll };

  [[nodiscard]] const Endpoint& endpoint() const {
    return plan_->endpoints.at(static_cast<std::size_t>(peer_));
  }

  [[nodiscard]] std::size_t num_expected() const {
    if (step_ == Step::kAnswer) return kNonceBytes + kProofBytes;
    return step_ == Step::kHello ? kHelloBytes : kProofBytes;
  }

  /// Reads no byte more than expected: the next are for others.
  Received receive() {
    std::array<char, 256> bytes{};
    const std::size_t num_missing = num_expected() - received_.size();
    const ssize_t size =
        ::recv(socket_.descriptor(), bytes.data(), num_missing, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Received::kPart;
    if (size <= 0) return Received::kNothing;
    received_.append(bytes.data(), static_cast<std::size_t>(size));
    return received_.size() == num_expected() ? Received::kAll
                                              : Received::kPart;
  }

  void expect(Step step) {
    step_ = step;
    received_.clear();
  }

  bool send_hello() {
    int reason = 0;
    socklen_t size = sizeof reason;
    ::getsockopt(socket_.descriptor(), SOL_SOCKET, SO_ERROR, &reason, &size);
    if (reason != 0) fail_to_reach(reason);
    if (!detail::send_whole(socket_, format_hello(hello_))) {
      fail_to_reach(errno);
    }
    expect(Step::kAnswer);
    return true;
  }

  bool answer_hello() {
    const std::optional<Hello> hello = parse_hello(received_);
    if (!hello || hello->acceptor != plan_->rank ||
        hello->world_size != plan_->world_size() ||
        hello->connector <= plan_->rank ||
        !plan_->partners.contains(hello->connector)) {
      return false;
    }
    hello_ = *hello;
    expect(Step::kProof);
    return detail::send_whole(
        socket_, nonce_ + make_proof(plan_->secret, ProofRole::kAcceptor,
                                     hello_, nonce_));
  }

  bool check_answer() {
    nonce_ = received_.substr(0, kNonceBytes);
    if (!is_proof(std::string_view(received_).substr(kNonceBytes),
                  plan_->secret, ProofRole::kAcceptor, hello_, nonce_)) {
      throw CommunicationError(
          peer_, "cannot join: whoever answers at " + endpoint().text() +
                     " does not know the secret of this group; run again");
    }
    if (!detail::send_whole(
            socket_,
            make_proof(plan_->secret, ProofRole::kConnector, hello_, nonce_))) {
      fail_to_reach(errno);
    }
    step_ = Step::kDone;
    return true;
  }

  bool check_proof() {
    if (!is_proof(received_, plan_->secret, ProofRole::kConnector, hello_,
                  nonce_)) {
      return false;
    }
    peer_ = hello_.connector;
    step_ = Step::kDone;
    return true;
  }

  [[noreturn]] void fail_to_reach(int reason) const {
    throw CommunicationError(
        peer_, "cannot be reached: rank " + std::to_string(plan_->rank) +
                   " could not connect to it at " + endpoint().text() + ": " +
                   std::strerror(reason) +
                   "; check that it runs, and that no firewall is between");
  }

  const PeerPlan* plan_;
  bool is_ours_ = false;  ///< this rank connects
  int peer_ = -1;
  Socket socket_;
  Hello hello_;
  std::string nonce_;  ///< of the side that accepts
  std::string received_;
  Step step_ = Step::kHello;
};

}  // namespace mlp::distributed
