// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "tcp_rendezvous.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "../../core/error.hpp"
#include "rendezvous_door.hpp"
#include "rendezvous_frame.hpp"

namespace mlp::distributed {

namespace {

/// For a last word, which fits what the system holds for a connection.
constexpr double kFarewellSeconds = 0.1;

/// Rank 0 knows who is missing, so that the others wait a little longer than
/// it does for its word.
Deadline later_than_rank_0(double seconds) {
  return deadline_after(1.1 * seconds + 0.2);
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

[[noreturn]] void rethrow_failure(const FrameHeader& header,
                                  const std::string& sentence) {
  if (header.rank == FrameHeader::kNobody) throw CommunicationError(sentence);
  throw CommunicationError(static_cast<int>(header.rank), sentence);
}

}  // namespace

TcpRendezvous::TcpRendezvous(std::string host, int port, int rank,
                             int world_size, double timeout_seconds)
    : host_(std::move(host)),
      port_(port),
      rank_(rank),
      world_size_(world_size),
      timeout_seconds_(timeout_seconds) {
  detail::check_place(rank, world_size, timeout_seconds);
  constexpr int kMaxPort = 65535;
  if (port < 1 || port > kMaxPort) {
    throw ParamError("the port of a rendezvous must be 1 .. 65535; got " +
                     std::to_string(port));
  }
  if (world_size == 1) return;
  if (rank == 0) {
    let_others_in();
  } else {
    call_rank_0();
  }
}

void TcpRendezvous::let_others_in() {
  const Deadline deadline = deadline_after(timeout_seconds_);
  RendezvousDoor door(listen_at(host_, port_), world_size_);
  members_ = door.open_until(deadline);
  std::vector<int> missing;
  for (int r = 1; r < world_size_; ++r) {
    if (!members_[static_cast<std::size_t>(r)].is_open()) missing.push_back(r);
  }
  if (!missing.empty()) give_up(missing);
  for (int r = 1; r < world_size_; ++r) {
    if (send_frame(members_[static_cast<std::size_t>(r)], FrameKind::kWelcome,
                   0, "", deadline) != Transfer::kDone) {
      give_up(r, "left while the others arrived");
    }
  }
}

void TcpRendezvous::call_rank_0() {
  const Deadline deadline = later_than_rank_0(timeout_seconds_);
  const auto greeting =
      FrameHeader{FrameKind::kGreeting, static_cast<std::uint32_t>(rank_),
                  static_cast<std::uint64_t>(world_size_)}
          .bytes();
  std::string reason;
  std::chrono::milliseconds pause{10};
  constexpr std::chrono::milliseconds kMaxPause{250};
  while (milliseconds_until(deadline) > 0) {
    Socket socket = connect_once(host_, port_, deadline, reason);
    if (socket.is_open()) {
      reason = "connected, but got no answer; some ranks may be missing";
      FrameHeader header;
      std::string text;
      Transfer transfer =
          socket.send(greeting.data(), greeting.size(), deadline);
      if (transfer == Transfer::kDone) {
        transfer = receive_frame(socket, kMaxTextBytes, header, text, deadline);
      }
      if (transfer == Transfer::kLate) break;
      if (transfer == Transfer::kClosed) {
        reason = "what listens there closed the connection";
      } else if (header.kind == FrameKind::kWelcome) {
        members_.push_back(std::move(socket));
        return;
      } else if (header.kind == FrameKind::kRefusal) {
        throw CommunicationError("rank 0 refuses this worker, rank " +
                                 std::to_string(rank_) + ": " + text);
      } else if (header.kind == FrameKind::kFailure) {
        rethrow_failure(header, text);
      }
    }
    std::this_thread::sleep_for(std::min(
        pause, std::chrono::milliseconds(milliseconds_until(deadline))));
    pause = std::min(2 * pause, kMaxPause);
  }
  throw CommunicationError(
      0, std::string("could not be reached at ")
             .append(host_ + ':' + std::to_string(port_) + " within ")
             .append(detail::seconds_text(timeout_seconds_) + " s: " + reason)
             .append("; check that it runs and that the address is right"));
}

std::vector<std::string> TcpRendezvous::all_gather(const std::string& text) {
  if (text.size() > kMaxTextBytes) {
    throw ParamError("a text for the other ranks must have at most " +
                     std::to_string(kMaxTextBytes) + " bytes; got " +
                     std::to_string(text.size()));
  }
  if (world_size_ == 1) return {text};
  return rank_ == 0 ? gather(text) : ask(text);
}

std::vector<std::string> TcpRendezvous::gather(const std::string& text) {
  const Deadline deadline = deadline_after(timeout_seconds_);
  std::vector<std::string> texts(static_cast<std::size_t>(world_size_));
  texts.front() = text;
  std::vector<int> missing;
  for (int r = 1; r < world_size_; ++r) {
    const auto i = static_cast<std::size_t>(r);
    FrameHeader header;
    const Transfer transfer =
        receive_frame(members_[i], kMaxTextBytes, header, texts[i], deadline);
    if (transfer == Transfer::kClosed) {
      give_up(r, "closed the connection of the rendezvous");
    }
    if (transfer == Transfer::kLate) missing.push_back(r);
  }
  if (!missing.empty()) give_up(missing);
  for (int r = 1; r < world_size_; ++r) {
    for (const std::string& each : texts) {
      if (send_frame(members_[static_cast<std::size_t>(r)], FrameKind::kText, 0,
                     each, deadline) != Transfer::kDone) {
        give_up(r, "closed the connection of the rendezvous, or was too slow");
      }
    }
  }
  return texts;
}

std::vector<std::string> TcpRendezvous::ask(const std::string& text) {
  const Deadline deadline = later_than_rank_0(timeout_seconds_);
  Socket& rank_0 = members_.front();
  // Where it fails, rank 0 may have said why.
  Transfer transfer =
      send_frame(rank_0, FrameKind::kText, static_cast<std::uint32_t>(rank_),
                 text, deadline);
  std::vector<std::string> texts(static_cast<std::size_t>(world_size_));
  for (std::string& each : texts) {
    FrameHeader header;
    transfer = receive_frame(rank_0, kMaxTextBytes, header, each, deadline);
    if (transfer == Transfer::kDone && header.kind == FrameKind::kFailure) {
      rank_0.close();
      rethrow_failure(header, each);
    }
    if (transfer == Transfer::kDone) continue;
    rank_0.close();
    throw CommunicationError(
        0, transfer == Transfer::kLate
               ? "did not answer at the rendezvous within " +
                     detail::seconds_text(timeout_seconds_) + " s"
               : std::string("closed the connection of the rendezvous"));
  }
  return texts;
}

void TcpRendezvous::give_up(const std::vector<int>& missing) {
  give_up(missing.size() == 1 ? missing.front() : -1,
          std::string("no word from ")
              .append(detail::list_ranks(missing) + " of " +
                      std::to_string(world_size_) + " within ")
              .append(detail::seconds_text(timeout_seconds_) +
                      " s; check that all were started with the address ")
              .append(host_ + ':' + std::to_string(port_)));
}

void TcpRendezvous::give_up(int to_blame, const std::string& sentence) {
  const std::uint32_t blamed = to_blame < 0
                                   ? FrameHeader::kNobody
                                   : static_cast<std::uint32_t>(to_blame);
  for (Socket& member : members_) {
    if (!member.is_open()) continue;
    static_cast<void>(send_frame(member, FrameKind::kFailure, blamed, sentence,
                                 deadline_after(kFarewellSeconds)));
    member.close();
  }
  rethrow_failure(FrameHeader{FrameKind::kFailure, blamed, 0}, sentence);
}

std::string TcpRendezvous::local_address() const {
  std::string found;
  for (const Socket& member : members_) {
    if (!member.is_open()) continue;
    const std::string address = member.local_address();
    if (found.empty() || is_loopback(found)) found = address;
  }
  return found;
}

}  // namespace mlp::distributed
