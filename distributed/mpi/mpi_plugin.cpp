// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The plugin libmlp_mpi.so, the only part of mlp that uses MPI. Nothing links
// it. It needs the C++ library, Eigen's headers and the MPI of the site.
//
// Failures: a collective call of MPI has no timeout, cannot be interrupted, and
// returns no error on the ranks that wait for a lost rank. Every failure
// therefore ends the job: the plugin calls the program's callback, then
// MPI_Abort ends all ranks. This is the only place in the library that ends a
// process.
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../plugin/plugin_calls.hpp"
#include "mpi_watchdog.hpp"

namespace mlp::distributed {

namespace {

// MPI counts in int; a power of two keeps the pieces that MPI makes aligned.
constexpr std::size_t kMaxCount = std::size_t{1} << 30;

// Ranks start one after the other, and load MPI from a shared file system.
constexpr double kMinStartSeconds = 60.0;

// The longest time of MPI_Abort, which asks the launcher and waits for it.
constexpr std::chrono::seconds kAbortTime{3};

// The number of open groups, and whether the plugin must finalize MPI after the
// last one.
int num_groups = 0;
bool is_begun_here = false;

/// Adds numbers of 16 bits, in single precision, rounded after each addition.
template <typename Number>
void add(void* from, void* to, int* count, MPI_Datatype* /*type*/) {
  const auto* a = static_cast<const Number*>(from);
  auto* b = static_cast<Number*>(to);
  for (int i = 0; i < *count; ++i) {
    b[i] = static_cast<Number>(static_cast<float>(b[i]) +
                               static_cast<float>(a[i]));
  }
}

/// Initializes MPI if necessary. Returns why MPI cannot be used, or an empty
/// text.
///
/// MPI_THREAD_SERIALIZED suffices, because calls come from one thread at a
/// time. Only MPI_Abort comes from another thread; with MPI_THREAD_MULTIPLE it
/// could wait for a lock that the late call holds.
std::string begin_mpi() {
  int is_finished = 0;
  MPI_Finalized(&is_finished);
  if (is_finished) {
    return "MPI must not be finalized yet, because a process cannot initialize "
           "it twice; use one group for the whole process";
  }
  int is_begun = 0;
  MPI_Initialized(&is_begun);
  int level = MPI_THREAD_SINGLE;
  if (is_begun) {
    MPI_Query_thread(&level);
  } else {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    is_begun_here = true;
  }
  if (level >= MPI_THREAD_SERIALIZED) return "";
  return "MPI must provide MPI_THREAD_SERIALIZED; it provides a lower level; "
         "initialize it with MPI_Init_thread, or let mlp initialize it";
}

/// Ends this process, and by MPI_Abort the job. The launcher ends the other ranks
/// too if a process ends without MPI_Finalize, so that this process need not
/// wait for an MPI_Abort that does not return.
[[noreturn]] void end_job(MPI_Comm comm) {
  int is_begun = 0;
  MPI_Initialized(&is_begun);
  if (is_begun) {
    try {
      std::thread([] {
        std::this_thread::sleep_for(kAbortTime);
        std::_Exit(kPluginLostExitCode);
      }).detach();
    } catch (const std::exception&) {
      // No thread can be started. MPI_Abort alone has to end the job.
    }
    MPI_Abort(comm, kPluginLostExitCode);
  }
  std::_Exit(kPluginLostExitCode);
}

/// Finalizes MPI if the plugin initialized it and no group needs it any more.
void end_mpi() {
  if (num_groups != 0 || !is_begun_here) return;
  is_begun_here = false;
  MPI_Finalize();
}

}  // namespace

struct PluginGroup {
  explicit PluginGroup(const PluginHost& given)
      : host(given), watchdog(given.deadline_seconds, [this](const char* name) {
          lose_late(name, host.deadline_seconds);
        }) {}

  /// Calls the program's callback, then ends the job. Returns if that has begun
  /// already.
  void lose(const std::string& sentence) {
    if (is_lost.exchange(true)) return;
    host.on_lost(host.object, sentence.c_str());
    end_job(comm);
  }

  void lose_late(const char* name, double deadline_seconds) {
    lose(std::string(name) + " must end within " +
         format_double(deadline_seconds) +
         " s; it has not; a rank is lost or stopped, or computes for longer, "
         "and MPI cannot tell which; find that rank and run again");
  }

  /// Ends the job if a call failed: other ranks may wait in it.
  void check(const char* name, int code) {
    if (code != MPI_SUCCESS) {
      char reason[MPI_MAX_ERROR_STRING] = "";
      int size = 0;
      MPI_Error_string(code, reason, &size);
      lose(std::string(name) + " must succeed on every rank; got " + reason +
           "; run again");
    }
    // Another thread is ending the process and uses the program's objects.
    while (is_lost) std::this_thread::sleep_for(std::chrono::seconds(1));
  }

  /// Makes calls of MPI. A call that fails or is late ends the job.
  template <typename Function>
  void call(const char* name, Function function) {
    const MpiWatchdog::Call watched(watchdog, name);
    check(name, is_lost ? MPI_SUCCESS : function());
  }

  PluginHost host;
  std::atomic<bool> is_lost{false};
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm leaving = MPI_COMM_NULL;  ///< for the barrier of close()
  int rank = 0;
  int world_size = 1;
  // [PluginNumber]
  MPI_Datatype types[4] = {MPI_DOUBLE, MPI_FLOAT, MPI_UINT16_T, MPI_UINT16_T};
  MPI_Op ops[4] = {MPI_SUM, MPI_SUM, MPI_OP_NULL, MPI_OP_NULL};
  std::vector<char> texts;
  std::vector<PluginPiece> pieces;
  MpiWatchdog watchdog;  // the last member: its thread uses the others
};

namespace {

void describe(PluginText text) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int size = 0;
  MPI_Get_library_version(version, &size);
  write_text(text, version);
}

/// Makes a communicator whose errors do not end the process before the callback
/// was called.
int make_communicator(MPI_Comm* made) {
  MPI_Comm own = MPI_COMM_NULL;
  const int code = MPI_Comm_dup(MPI_COMM_WORLD, &own);
  if (code != MPI_SUCCESS) return code;
  *made = own;
  return MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
}

/// Makes a group on separate communicators, so that its messages do not mix with
/// others of the process, nor the barrier of a rank that leaves with the sums of
/// ranks that do not.
int set_up(PluginGroup& group) {
  for (MPI_Comm* each : {&group.comm, &group.leaving}) {
    const int code = make_communicator(each);
    if (code != MPI_SUCCESS) return code;
  }
  const MPI_Comm own = group.comm;
  MPI_Comm_rank(own, &group.rank);
  MPI_Comm_size(own, &group.world_size);
  constexpr int kCommutes = 1;
  MPI_Op_create(add<Eigen::half>, kCommutes, &group.ops[2]);
  return MPI_Op_create(add<Eigen::bfloat16>, kCommutes, &group.ops[3]);
}

int open(const PluginHost* host, PluginGroup** opened, PluginFailure* failure) {
  return run_plugin_call(failure, [&] {
    auto group = std::make_unique<PluginGroup>(*host);
    const double deadline = std::max(host->deadline_seconds, kMinStartSeconds);
    MpiWatchdog watchdog(deadline,
                         [late = group.get(), deadline](const char* name) {
                           late->lose_late(name, deadline);
                         });
    const MpiWatchdog::Call watched(watchdog, "MPI_Init_thread");
    const std::string refusal = begin_mpi();
    if (!refusal.empty()) {
      end_mpi();
      throw CommunicationError(refusal);
    }
    group->check("MPI_Comm_dup", set_up(*group));
    ++num_groups;
    *opened = group.release();
  });
}

int rank(const PluginGroup* group) { return group->rank; }
int world_size(const PluginGroup* group) { return group->world_size; }
const char* address(const PluginGroup* /*group*/) { return ""; }

int sum(PluginGroup* group, PluginNumber kind, void* numbers, std::size_t count,
        PluginFailure* /*failure*/) {
  constexpr std::size_t kBytes[] = {8, 4, 2, 2};
  const auto k = static_cast<std::size_t>(kind);
  auto* next = static_cast<char*>(numbers);
  while (count != 0) {
    const std::size_t size = std::min(count, kMaxCount);
    group->call("MPI_Allreduce", [&] {
      return MPI_Allreduce(MPI_IN_PLACE, next, static_cast<int>(size),
                           group->types[k], group->ops[k], group->comm);
    });
    next += size * kBytes[k];
    count -= size;
  }
  return 0;
}

/// Gathers the texts of all ranks in the group's memory.
void gather(PluginGroup& group, const char* text, std::size_t size) {
  const auto num_ranks = static_cast<std::size_t>(group.world_size);
  const unsigned long long own = size;
  std::vector<unsigned long long> sizes(num_ranks);
  group.call("MPI_Allgather", [&] {
    return MPI_Allgather(&own, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1,
                         MPI_UNSIGNED_LONG_LONG, group.comm);
  });
  std::vector<int> counts;
  std::vector<int> begins;
  std::size_t total = 0;
  for (const unsigned long long bytes : sizes) {
    // All ranks see the same sizes, so that all of them refuse or none.
    if (bytes > INT_MAX - total) {
      throw CommunicationError(
          "the texts of all ranks must have less than 2^31 bytes; they "
          "have more; gather less at once");
    }
    counts.push_back(static_cast<int>(bytes));
    begins.push_back(static_cast<int>(total));
    total += bytes;
  }
  group.texts.resize(total);
  group.call("MPI_Allgatherv", [&] {
    return MPI_Allgatherv(text, static_cast<int>(size), MPI_CHAR,
                          group.texts.data(), counts.data(), begins.data(),
                          MPI_CHAR, group.comm);
  });
  group.pieces.clear();
  for (std::size_t r = 0; r < num_ranks; ++r) {
    group.pieces.push_back({group.texts.data() + begins[r], sizes[r]});
  }
}

int all_gather(PluginGroup* group, const char* text, std::size_t size,
               const PluginPiece** pieces, PluginFailure* failure) {
  return run_plugin_call(failure, [&] {
    gather(*group, text, size);
    *pieces = group->pieces.data();
  });
}

void cancel(PluginGroup* group, const char* sentence) { group->lose(sentence); }

/// Leaves the group when all ranks do.
///
/// No rank may wait in MPI_Finalize for a rank that never comes: if the job is
/// aborted then, mpirun of Open MPI 4.1.4 with PMIx 4.2.2 uses freed memory of
/// the launcher's part of MPI_Finalize, and hangs or crashes in one of 4 to 20
/// jobs. A rank in MPI_Barrier waits for nothing of the launcher.
void close(PluginGroup* group) {
  group->call("MPI_Barrier", [group] { return MPI_Barrier(group->leaving); });
  group->call("MPI_Finalize", [group] {
    MPI_Op_free(&group->ops[2]);
    MPI_Op_free(&group->ops[3]);
    MPI_Comm_free(&group->leaving);
    --num_groups;
    const int code = MPI_Comm_free(&group->comm);
    end_mpi();
    return code;
  });
  delete group;
}

}  // namespace

}  // namespace mlp::distributed

extern "C" [[gnu::visibility("default")]] const mlp::distributed::Plugin*
mlp_mpi_plugin() {
  using namespace mlp::distributed;
  static constexpr Plugin plugin{kPluginVersion, describe, open, rank,
                                 world_size,     address,  sum,  all_gather,
                                 cancel,         close};
  return &plugin;
}
