// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../../core/error.hpp"
#include "../../distributed/rendezvous/rendezvous.hpp"

namespace mlp::distributed {

/// What became of a rank: the sentence of its error, or nothing.
struct Outcome {
  std::string sentence;
  bool is_communication_error = false;
  int to_blame = -1;
};

/// Runs a function on a thread for each rank, at the same time.
inline std::vector<Outcome> outcomes_of_ranks(
    int num_ranks, const std::function<void(int)>& work) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(num_ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < num_ranks; ++rank) {
    threads.emplace_back([&work, &outcomes, rank] {
      Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
      try {
        work(rank);
      } catch (const CommunicationError& error) {
        outcome = {error.what(), true, error.rank()};
      } catch (const std::exception& error) {
        outcome = {error.what(), false, -1};
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

namespace testing {

/// Runs a function on a thread for each rank, at the same time.
///
/// \return the sentence of what each threw, or nothing   [num_ranks]
inline std::vector<std::string> run_ranks(
    int num_ranks, const std::function<void(int)>& work) {
  std::vector<std::string> sentences;
  for (const Outcome& outcome : outcomes_of_ranks(num_ranks, work)) {
    sentences.push_back(outcome.sentence);
  }
  return sentences;
}

}  // namespace testing

/// All sentences, one a line; empty where no rank failed.
inline std::string sentences(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.sentence.empty()) text += outcome.sentence + '\n';
  }
  return text;
}

/// Checks that a place gives every rank the texts of all, twice.
inline void gather_twice(Rendezvous& rendezvous) {
  const auto own = static_cast<std::size_t>(rendezvous.rank());
  for (const std::string call : {"first ", "second "}) {
    std::vector<std::string> expected;
    for (int r = 0; r < rendezvous.world_size(); ++r) {
      expected.push_back(call + std::to_string(r));
    }
    if (rendezvous.all_gather(expected[own]) != expected) {
      throw Error("texts differ");
    }
  }
}

/// Where the threads of one process meet.
class Meeting {
 public:
  explicit Meeting(int num_ranks)
      : barrier_(num_ranks), texts_(static_cast<std::size_t>(num_ranks)) {}

  std::vector<std::string> gather(int rank, const std::string& text) {
    texts_[static_cast<std::size_t>(rank)] = text;
    barrier_.arrive_and_wait();
    const std::vector<std::string> texts = texts_;
    barrier_.arrive_and_wait();
    return texts;
  }

 private:
  std::barrier<> barrier_;
  std::vector<std::string> texts_;
};

/// A rank's way to a Meeting; waits without end.
class ThreadRendezvous final : public Rendezvous {
 public:
  ThreadRendezvous(Meeting& meeting, int rank, int world_size)
      : meeting_(meeting), rank_(rank), world_size_(world_size) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    ++num_calls_;
    return meeting_.gather(rank_, text);
  }
  [[nodiscard]] int num_calls() const { return num_calls_; }

 private:
  Meeting& meeting_;
  int rank_;
  int world_size_;
  int num_calls_ = 0;
};

/// Measures what has passed since it was made.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace mlp::distributed
