// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../../../distributed/rendezvous/directory_rendezvous.hpp"
#include "../../scratch_folder.hpp"
#include "../ranks.hpp"
#include "gloo_of_build.hpp"

namespace mlp::distributed {

namespace {

/// A loss is seen within milliseconds; a machine under load takes its time.
constexpr double kAtOnceSeconds = 1.0;
/// Starting takes longer, and so does a wait that is expected to end before.
constexpr double kPatienceSeconds = 20.0;
constexpr int kNumRanks = 3;

/// What a rank tells the parent, in one piece of a pipe.
struct Report {
  bool is_expected = true;  ///< no error but a CommunicationError
  int to_blame = -1;
  std::array<char, 1024> sentence{};  ///< empty: it has begun to sum
};

void send(int parent, const Report& report) {
  static_cast<void>(::write(parent, &report, sizeof report));
}

/// \return false where none comes in time
bool receive(int child, Report& report) {
  pollfd waiting{child, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(1000 * kPatienceSeconds)) > 0 &&
         ::read(child, &report, sizeof report) ==
             static_cast<ssize_t>(sizeof report);
}

/// Sums without end, and tells the parent when it has begun and why it ended.
[[noreturn]] void work(const std::string& folder, int rank,
                       const GlooOptions& options, int parent) {
  Report report;
  std::string sentence;
  try {
    DirectoryRendezvous rendezvous(folder, rank, kNumRanks, kPatienceSeconds);
    const auto group = make_gloo_allreduce(rendezvous, options);
    std::vector<double> numbers(300'001);
    group->sum(std::span<double>(numbers));
    send(parent, report);
    while (true) group->sum(std::span<double>(numbers));
  } catch (const CommunicationError& error) {
    report.to_blame = error.rank();
    sentence = error.what();
  } catch (const std::exception& error) {
    report.is_expected = false;
    sentence = error.what();
  }
  sentence.copy(report.sentence.data(), report.sentence.size() - 1);
  send(parent, report);
  // Nothing of the parent's may be run or written twice.
  ::_exit(0);
}

/// Three processes that sum; killed at the end of the scope.
class Processes {
 public:
  explicit Processes(const GlooOptions& options) {
    for (int rank = 0; rank < kNumRanks; ++rank) start(rank, options);
    for (const int child : children_) {
      Report report;
      REQUIRE(receive(child, report));
      REQUIRE(std::string(report.sentence.data()) == "");
    }
  }

  ~Processes() {
    for (const pid_t id : ids_) {
      ::kill(id, SIGKILL);
      ::waitpid(id, nullptr, 0);
    }
    for (const int child : children_) ::close(child);
  }

  void send_signal(std::size_t rank, int number) const {
    REQUIRE(::kill(ids_.at(rank), number) == 0);
  }

  Outcome await(std::size_t rank) {
    Report report;
    const bool has_come = receive(children_.at(rank), report);
    return {report.sentence.data(), has_come && report.is_expected,
            report.to_blame};
  }

 private:
  void start(int rank, const GlooOptions& options) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t id = ::fork();
    REQUIRE(id >= 0);
    if (id == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      work(folder_.path(), rank, options, ends[1]);
    }
    ::close(ends[1]);
    children_.push_back(ends[0]);
    ids_.push_back(id);
  }

  test::ScratchFolder folder_;
  std::vector<int> children_;  ///< the ends to read from
  std::vector<pid_t> ids_;
};

}  // namespace

TEST_SUITE("distributed/gloo/gloo_processes") {
  TEST_CASE("tells the survivors at once when a process is killed") {
    if (is_skipped()) return;
    Processes processes(options_of_build());

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
    GlooOptions options = options_of_build();
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
