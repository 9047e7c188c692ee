// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rendezvous_door.hpp"

#include <poll.h>

#include <algorithm>
#include <string>
#include <utility>

namespace mlp::distributed {

namespace {

/// A worker greets at once; who stays silent is none.
constexpr double kGreetingSeconds = 10.0;
/// More guests than this cannot stay silent at the same time, so that they
/// cannot use up the descriptors of the process.
constexpr std::size_t kMaxGuests = 256;
/// For a refusal, which fits what the system holds for a connection.
constexpr double kRefusalSeconds = 0.1;

void refuse(Socket& guest, const std::string& sentence) {
  // Where it does not arrive, the guest meets a closed connection.
  static_cast<void>(send_frame(guest, FrameKind::kRefusal, FrameHeader::kNobody,
                               sentence, deadline_after(kRefusalSeconds)));
}

}  // namespace

std::vector<Socket> RendezvousDoor::open_until(Deadline deadline) {
  while (!is_complete() && milliseconds_until(deadline) > 0) {
    wait(deadline);
    accept_guests();
    // A member says nothing before all are here: input means that it is gone,
    // and its place is free for a worker started anew.
    for (Socket& member : members_) {
      if (member.is_open() && member.has_input()) member.close();
    }
    for (Guest& guest : guests_) {
      if (!hear(guest)) guest.socket.close();
    }
    std::erase_if(guests_,
                  [](const Guest& guest) { return !guest.socket.is_open(); });
  }
  return std::move(members_);
}

bool RendezvousDoor::is_complete() const {
  return std::all_of(members_.begin() + 1, members_.end(),
                     [](const Socket& member) { return member.is_open(); });
}

void RendezvousDoor::wait(Deadline deadline) const {
  constexpr int kMaxMilliseconds = 1000;  // then silent guests are looked at
  std::vector<pollfd> waiting{{listener_.descriptor(), POLLIN, 0}};
  for (const Guest& guest : guests_) {
    waiting.push_back({guest.socket.descriptor(), POLLIN, 0});
  }
  for (const Socket& member : members_) {
    // poll() passes over a negative descriptor.
    waiting.push_back({member.descriptor(), POLLIN, 0});
  }
  static_cast<void>(
      ::poll(waiting.data(), waiting.size(),
             std::min(milliseconds_until(deadline), kMaxMilliseconds)));
}

void RendezvousDoor::accept_guests() {
  while (true) {
    Guest guest{listener_.accept(), deadline_after(kGreetingSeconds)};
    if (!guest.socket.is_open()) return;
    if (guests_.size() == kMaxGuests) guests_.pop_front();
    guests_.push_back(std::move(guest));
  }
}

/// \return whether the guest still has something to say
bool RendezvousDoor::hear(Guest& guest) {
  const std::ptrdiff_t received =
      guest.socket.receive_some(guest.greeting.data() + guest.filled,
                                guest.greeting.size() - guest.filled);
  if (received == 0) return false;
  if (received < 0) return milliseconds_until(guest.patience) > 0;
  guest.filled += static_cast<std::size_t>(received);
  if (guest.filled < guest.greeting.size()) return true;
  admit(guest);
  return false;
}

void RendezvousDoor::admit(Guest& guest) {
  if (!FrameHeader::is_ours(guest.greeting)) return;
  if (!FrameHeader::is_our_version(guest.greeting)) {
    return refuse(guest.socket,
                  "this worker is of another version of the library; run the "
                  "same one everywhere");
  }
  const FrameHeader header = FrameHeader::read(guest.greeting);
  if (header.kind != FrameKind::kGreeting) return;
  const std::string rank = std::to_string(header.rank);
  if (header.size != static_cast<std::uint64_t>(world_size_)) {
    refuse(guest.socket,
           "the world size must be " + std::to_string(world_size_) +
               ", as rank 0 was told; got " + std::to_string(header.size) +
               "; give all ranks the same");
  } else if (header.rank < 1 || header.rank >= members_.size()) {
    refuse(guest.socket, "the rank must be 1 .. " +
                             std::to_string(world_size_ - 1) + "; got " + rank);
  } else if (members_[header.rank].is_open()) {
    refuse(guest.socket,
           "each rank must be one worker; another one has come "
           "as rank " +
               rank + "; give each its own rank");
  } else {
    members_[header.rank] = std::move(guest.socket);
  }
}

}  // namespace mlp::distributed
