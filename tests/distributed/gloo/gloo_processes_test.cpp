// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../../../distributed/rendezvous/directory_rendezvous.hpp"
#include "../../../distributed/rendezvous/rendezvous_frame.hpp"
#include "../../../distributed/rendezvous/socket.hpp"
#include "../../scratch_folder.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

namespace {

/// A loss is seen within milliseconds; a machine under load takes its time.
constexpr double kAtOnceSeconds = 1.0;
/// Starting takes longer, and so does a wait that is expected to end before.
constexpr double kPatienceSeconds = 20.0;
constexpr int kNumRanks = 3;

/// Sums without end, and tells the parent when it has begun and why it ended.
[[noreturn]] void work(const std::string& folder, int rank,
                       const GlooOptions& options, Socket& parent) {
  const Deadline deadline = deadline_after(kPatienceSeconds);
  std::uint32_t to_blame = FrameHeader::kNobody;
  std::string sentence;
  try {
    DirectoryRendezvous rendezvous(folder, rank, kNumRanks, kPatienceSeconds);
    const auto group = make_gloo_allreduce(rendezvous, options);
    std::vector<double> numbers(300'001);
    group->sum(std::span<double>(numbers));
    static_cast<void>(parent.send("r", 1, deadline));
    while (true) group->sum(std::span<double>(numbers));
  } catch (const CommunicationError& error) {
    if (error.rank() >= 0) to_blame = static_cast<std::uint32_t>(error.rank());
    sentence = error.what();
  } catch (const std::exception& error) {
    sentence = std::string("not expected: ") + error.what();
  }
  static_cast<void>(
      send_frame(parent, FrameKind::kText, to_blame, sentence, deadline));
  // Nothing of the parent's may be run or written twice.
  ::_exit(0);
}

/// Three processes that sum; killed at the end of the scope.
class Processes {
 public:
  explicit Processes(const GlooOptions& options) {
    for (int rank = 0; rank < kNumRanks; ++rank) start(rank, options);
    for (Socket& child : children_) {
      char byte = 0;
      REQUIRE(child.receive(&byte, 1, deadline_after(kPatienceSeconds)) ==
              Transfer::kDone);
    }
  }

  ~Processes() {
    for (const pid_t id : ids_) {
      ::kill(id, SIGKILL);
      ::waitpid(id, nullptr, 0);
    }
  }

  void send_signal(std::size_t rank, int number) const {
    REQUIRE(::kill(ids_.at(rank), number) == 0);
  }

  Outcome await(std::size_t rank) {
    FrameHeader header;
    Outcome outcome;
    const Transfer transfer =
        receive_frame(children_.at(rank), 10'000, header, outcome.sentence,
                      deadline_after(kPatienceSeconds));
    outcome.is_communication_error = transfer == Transfer::kDone;
    if (header.rank != FrameHeader::kNobody) {
      outcome.to_blame = static_cast<int>(header.rank);
    }
    return outcome;
  }

 private:
  void start(int rank, const GlooOptions& options) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    const pid_t id = ::fork();
    REQUIRE(id >= 0);
    if (id == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      Socket parent(ends[1]);
      work(folder_.path(), rank, options, parent);
    }
    ::close(ends[1]);
    children_.emplace_back(ends[0]);
    ids_.push_back(id);
  }

  test::ScratchFolder folder_;
  std::vector<Socket> children_;
  std::vector<pid_t> ids_;
};

bool is_skipped() {
  if (!has_gloo()) MESSAGE("test skipped: this build has no Gloo");
  return !has_gloo();
}

}  // namespace

TEST_SUITE("distributed/gloo/gloo_processes") {
  TEST_CASE("tells the survivors at once when a process is killed") {
    if (is_skipped()) return;
    Processes processes({});

    const Stopwatch watch;
    processes.send_signal(1, SIGKILL);
    const Outcome first = processes.await(0);
    const Outcome last = processes.await(2);
    const double seconds = watch.seconds();

    CHECK(seconds < kAtOnceSeconds);
    for (const Outcome& outcome : {first, last}) {
      CAPTURE(outcome.sentence);
      CHECK(outcome.is_communication_error);
      CHECK(outcome.to_blame == 1);
      CHECK(outcome.sentence.find("the connection was lost while rank ") !=
            std::string::npos);
    }
  }

  TEST_CASE("tells the others at the deadline when a process is stopped") {
    if (is_skipped()) return;
    GlooOptions options;
    options.deadline_seconds = 1.0;
    Processes processes(options);

    const Stopwatch watch;
    processes.send_signal(1, SIGSTOP);
    const Outcome first = processes.await(0);
    const Outcome last = processes.await(2);
    const double seconds = watch.seconds();

    // A sum may have begun a little before the signal.
    CHECK(seconds > 0.5 * options.deadline_seconds);
    CHECK(seconds < options.deadline_seconds + kAtOnceSeconds);
    for (const Outcome& outcome : {first, last}) {
      CAPTURE(outcome.sentence);
      CHECK(outcome.is_communication_error);
      CHECK((outcome.to_blame == 1 || outcome.to_blame == -1));
      CHECK(outcome.sentence.find("no answer within 1 s; rank ") !=
            std::string::npos);
    }
  }
}

}  // namespace mlp::distributed
