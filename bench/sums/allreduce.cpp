// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// What it costs to sum over two ranks: threads beside two threads that copy as
// many bytes, and Gloo as this project uses it beside Gloo's own call. Serves one
// of them over a pipe; goals.py and links.py start one for each side.

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <thread>

#include "../../core/error.hpp"
#include "../../core/files/temporary_folder.hpp"
#include "../../distributed/gloo/gloo_allreduce.hpp"
#include "../../distributed/rendezvous/directory_rendezvous.hpp"
#include "../../distributed/thread_group.hpp"
#include "../worker/problem.hpp"
#include "rank_evaluation.hpp"
#include "rank_work.hpp"
#include "sums.hpp"

#ifdef MLP_BENCH_GLOO
#include <gloo/allreduce.h>
#include <gloo/math.h>

#include "../../distributed/gloo/gloo_mesh.hpp"
#endif

namespace mlp::bench {
namespace {

using distributed::Allreduce;
using distributed::Rendezvous;

constexpr double kMeetSeconds = 60.0;

/// A run of the benchmarks may let a group wait for the other side of a pair.
constexpr double kDeadlineSeconds = 3600.0;

/// Makes the work of one rank of a group.
using MakeWork = std::function<std::unique_ptr<RankWork>(Allreduce& group)>;

/// Serves work over a pipe on two threads as ranks.
void serve_threads(const MakeWork& make_work) {
  distributed::ThreadGroup group(2, kDeadlineSeconds);
  const auto serve_one = [&](int rank) {
    const std::unique_ptr<RankWork> work = make_work(group.rank(rank));
    serve_ranks(rank, *work, share_by(group.rank(rank)));
  };
  std::thread follower([&] {
    try {
      serve_one(1);
    } catch (const std::exception&) {
      // Rank 0 says why.
    }
  });
  try {
    serve_one(0);
  } catch (const std::exception& error) {
    group.rank(0).cancel(error.what());
    follower.join();
    throw;
  }
  follower.join();
}

/// Two threads that copy, each its own bytes.
class Copies final : public Task {
 public:
  explicit Copies(long num_bytes) : num_bytes_(num_bytes) {}

  Sample run(long repeats) override {
    CallTimes times;
    Sample sample;
    const Stopwatch watch;
    std::thread other([&] {
      CallTimes unused;
      copy(repeats, unused);
    });
    copy(repeats, times);
    other.join();
    sample.duration = watch.elapsed();
    sample.values = {{"median_seconds", times.median_seconds()}};
    return sample;
  }

 private:
  void copy(long repeats, CallTimes& times) const {
    const auto size = static_cast<std::size_t>(num_bytes_);
    std::vector<char> from(size, 'x');
    std::vector<char> to(size, 'y');
    // Which of both is read may change between two copies, so that the compiler
    // can leave none out.
    for (long i = 0; i < repeats; ++i) {
      times.time([&] { std::memcpy(to.data(), from.data(), size); });
      std::swap(from, to);
    }
  }

  long num_bytes_;
};

#ifdef MLP_BENCH_GLOO
/// Gloo's own call, with the algorithm that it chooses.
class RawGloo final : public Allreduce {
 public:
  RawGloo(Rendezvous& rendezvous, const std::string& address)
      : mesh_(distributed::connect_mesh(
            rendezvous, {kDeadlineSeconds, kDeadlineSeconds, address, "", ""},
            std::string(distributed::kSecretBytes, 's'))),
        rank_(rendezvous.rank()),
        world_size_(rendezvous.world_size()) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  void sum(std::span<double> numbers) override {
    ::gloo::AllreduceOptions options(mesh_.context);
    options.setOutput(numbers.data(), numbers.size());
    options.setReduceFunction(
        static_cast<void (*)(void*, const void*, const void*, std::size_t)>(
            &::gloo::sum<double>));
    ::gloo::allreduce(options);
  }

 private:
  distributed::GlooMesh mesh_;
  int rank_;
  int world_size_;
};

std::unique_ptr<Allreduce> make_raw_gloo(Rendezvous& rendezvous,
                                         const std::string& address) {
  return std::make_unique<RawGloo>(rendezvous, address);
}
#else
std::unique_ptr<Allreduce> make_raw_gloo(Rendezvous&, const std::string&) {
  throw NotCompiled("Gloo", "MLP_WITH_GLOO");
}
#endif

/// Joins two processes.
///
/// \param side  "ours" or "raw"
std::unique_ptr<Allreduce> make_gloo(const std::string& side,
                                     Rendezvous& rendezvous,
                                     const std::string& address) {
  if (side == "raw") return make_raw_gloo(rendezvous, address);
  if (side != "ours") {
    throw ParamError("the argument SIDE must be ours or raw; got " + side);
  }
  distributed::GlooOptions options;
  options.deadline_seconds = kDeadlineSeconds;
  options.address = address;
  return distributed::make_gloo_allreduce(rendezvous, options);
}

/// One of two processes that meet.
struct Place {
  std::string folder;
  int rank = 0;
  std::string address;  ///< of its machine
};

constexpr const char* kLoopback = "127.0.0.1";

/// Serves work as one of two processes.
void serve_rank(const std::string& side, const Place& place,
                const MakeWork& make_work) {
  distributed::DirectoryRendezvous rendezvous(place.folder, place.rank, 2,
                                              kMeetSeconds);
  const std::unique_ptr<Allreduce> group =
      make_gloo(side, rendezvous, place.address);
  const std::unique_ptr<RankWork> work = make_work(*group);
  serve_ranks(place.rank, *work, share_by(*group));
}

/// Serves as rank 0, with rank 1 in a process that is forked while there is but
/// one thread.
void serve_processes(const std::string& side, const MakeWork& make_work) {
  const TemporaryFolder folder("mlp-bench-");
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      serve_rank(side, {folder.path().string(), 1, kLoopback}, make_work);
      status = 0;
    } catch (const std::exception&) {
      // Rank 0 says why.
    }
    ::_exit(status);
  }
  serve_rank(side, {folder.path().string(), 0, kLoopback}, make_work);
  int ignored = 0;
  ::waitpid(child, &ignored, 0);
}

MakeWork sums_of(long num_bytes) {
  return [num_bytes](Allreduce& group) {
    return std::make_unique<Sums>(group, num_bytes);
  };
}

MakeWork evaluations_of(const Problem& problem) {
  return [&problem](Allreduce& group) {
    return std::make_unique<RankEvaluation>(group, problem);
  };
}

/// Serves evaluations of one problem by two ranks.
void serve_evaluations(const Arguments& arguments) {
  const std::string transport = word_argument(arguments, 1, "TRANSPORT");
  const Problem problem =
      random_problem(parse_layers(word_argument(arguments, 2, "LAYERS")),
                     count_argument(arguments, 3, "INSTANCES"));
  if (transport == "threads") return serve_threads(evaluations_of(problem));
  if (transport == "gloo") {
    return serve_processes("ours", evaluations_of(problem));
  }
  throw ParamError("the argument TRANSPORT must be threads or gloo; got " +
                   transport);
}

void serve_gloo(const Arguments& arguments) {
  const std::string side = word_argument(arguments, 1, "SIDE");
  const MakeWork make_work = sums_of(count_argument(arguments, 2, "BYTES"));
  if (arguments.size() < 5) return serve_processes(side, make_work);
  serve_rank(side,
             {arguments[3], arguments[4] == "0" ? 0 : 1,
              word_argument(arguments, 5, "ADDRESS")},
             make_work);
}

void print_usage() {
  std::cerr
      << "mlp_allreduce_bench TASK ARGUMENTS... serves a task on standard "
         "input:\n"
         "  threads BYTES\n"
         "  copies BYTES\n"
         "  gloo ours|raw BYTES                 rank 1 is forked\n"
         "  gloo ours|raw BYTES FOLDER 0|1 ADDRESS\n"
         "                 one of two ranks that meet in the folder\n"
         "  evaluations threads|gloo LAYERS INSTANCES\n";
}

int run(const Arguments& arguments) {
  const std::string task = arguments.empty() ? "" : arguments[0];
  if (task == "threads") {
    serve_threads(sums_of(count_argument(arguments, 1, "BYTES")));
  } else if (task == "copies") {
    Copies copies(count_argument(arguments, 1, "BYTES"));
    serve(copies);
  } else if (task == "gloo") {
    serve_gloo(arguments);
  } else if (task == "evaluations") {
    serve_evaluations(arguments);
  } else {
    print_usage();
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace mlp::bench

int main(int num_words, char** words) {
  return mlp::bench::run_program("mlp_allreduce_bench", num_words, words,
                                 &mlp::bench::run);
}
