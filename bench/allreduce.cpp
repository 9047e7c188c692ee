// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// What it costs to sum over two ranks: threads beside two threads that copy as
// many bytes, and Gloo as this project uses it beside Gloo's own call. Serves one
// of them over a pipe; goals.py and links.py start one for each side.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "../core/error.hpp"
#include "../distributed/directory_rendezvous.hpp"
#include "../distributed/gloo_allreduce.hpp"
#include "../distributed/open_rendezvous.hpp"
#include "../distributed/thread_group.hpp"
#include "sums.hpp"

#ifdef MLP_BENCH_GLOO
#include <gloo/allreduce.h>
#include <gloo/math.h>

#include "../distributed/gloo_mesh-inl.hpp"
#endif

namespace mlp::bench {
namespace {

using distributed::Allreduce;
using distributed::Rendezvous;

constexpr double kMeetSeconds = 60.0;

/// A run of the benchmarks may let a group wait for the other side of a pair.
constexpr double kDeadlineSeconds = 3600.0;

/// Two threads as ranks.
class ThreadSums final : public Task {
 public:
  explicit ThreadSums(long num_bytes)
      : group_(2),
        follower_([this, num_bytes] {
          follow_sums(group_.rank(1), num_bytes, share_by(group_.rank(1)));
        }),
        leader_(std::make_unique<LeadSums>(group_.rank(0), num_bytes,
                                           share_by(group_.rank(0)))) {}
  ThreadSums(const ThreadSums&) = delete;
  ThreadSums& operator=(const ThreadSums&) = delete;
  ~ThreadSums() override {
    leader_.reset();
    follower_.join();
  }

  Sample run(long repeats) override { return leader_->run(repeats); }

 private:
  distributed::ThreadGroup group_;
  std::thread follower_;
  std::unique_ptr<LeadSums> leader_;
};

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
  explicit RawGloo(Rendezvous& rendezvous)
      : mesh_(distributed::connect_mesh(
            rendezvous, {kDeadlineSeconds, kDeadlineSeconds, ""})),
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

std::unique_ptr<Allreduce> make_raw_gloo(Rendezvous& rendezvous) {
  return std::make_unique<RawGloo>(rendezvous);
}
#else
std::unique_ptr<Allreduce> make_raw_gloo(Rendezvous&) {
  throw NotCompiled("Gloo", "MLP_WITH_GLOO");
}
#endif

/// \param side  "ours" or "raw"
void serve_gloo(const std::string& side, long num_bytes,
                Rendezvous& rendezvous) {
  if (side != "ours" && side != "raw") {
    throw ParamError("the argument SIDE must be ours or raw; got " + side);
  }
  distributed::GlooOptions options;
  options.deadline_seconds = kDeadlineSeconds;
  const std::unique_ptr<Allreduce> group =
      side == "ours" ? distributed::make_gloo_allreduce(rendezvous, options)
                     : make_raw_gloo(rendezvous);
  serve_sums(*group, num_bytes, share_by(*group));
}

/// A folder that goes away with this object.
class Folder {
 public:
  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "mlp_bench_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw ResourceError(pattern, "cannot be made a folder");
    }
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int serve_rank(const Arguments& arguments, const std::string& place, int rank) {
  const std::unique_ptr<Rendezvous> rendezvous =
      distributed::open_rendezvous(place, rank, 2, kMeetSeconds);
  serve_gloo(word_argument(arguments, 1, "SIDE"),
             count_argument(arguments, 2, "BYTES"), *rendezvous);
  return 0;
}

/// Serves as rank 0, with rank 1 in a process that is forked while there is but
/// one thread.
int serve_processes(const Arguments& arguments) {
  if (!distributed::has_gloo()) throw NotCompiled("Gloo", "MLP_WITH_GLOO");
  const Folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      status = serve_rank(arguments, folder.path(), 1);
    } catch (const std::exception&) {
      // Rank 0 says why.
    }
    ::_exit(status);
  }
  const int status = serve_rank(arguments, folder.path(), 0);
  int ignored = 0;
  ::waitpid(child, &ignored, 0);
  return status;
}

void print_usage() {
  std::cerr
      << "mlp_allreduce_bench TASK ARGUMENTS... serves a task on standard "
         "input:\n"
         "  threads BYTES\n"
         "  copies BYTES\n"
         "  gloo ours|raw BYTES                 rank 1 is forked\n"
         "  gloo ours|raw BYTES PLACE 0|1       one of two ranks that meet "
         "there\n";
}

int run(const Arguments& arguments) {
  const std::string task = arguments.empty() ? "" : arguments[0];
  if (task == "threads") {
    ThreadSums sums(count_argument(arguments, 1, "BYTES"));
    return serve(sums), 0;
  }
  if (task == "copies") {
    Copies copies(count_argument(arguments, 1, "BYTES"));
    return serve(copies), 0;
  }
  if (task == "gloo" && arguments.size() == 5) {
    return serve_rank(arguments, arguments[3], arguments[4] == "0" ? 0 : 1);
  }
  if (task == "gloo") return serve_processes(arguments);
  print_usage();
  return 2;
}

}  // namespace
}  // namespace mlp::bench

int main(int num_words, char** words) {
  try {
    return mlp::bench::run(mlp::bench::Arguments(words + 1, words + num_words));
  } catch (const std::exception& error) {
    std::cerr << "mlp_allreduce_bench: " << error.what() << '\n';
    return 1;
  }
}
