// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "rank_processes.hpp"

#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/files/temporary_folder.hpp"
#include "../../../core/number_text.hpp"
#include "../../../cuda/nccl_transport.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../../console/console.hpp"
#include "../../console/exit_code.hpp"
#include "../../flags/option_table.hpp"

namespace mlp::cli {

namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

/// Removes a flag and its value.
void remove_flag(std::vector<std::string>& words, std::string_view name) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") return;
    if (word->substr(0, 2) != "--") continue;
    const std::size_t end = word->find('=');
    const OptionInfo* const option =
        find_option(std::string_view(*word).substr(0, end).substr(2));
    if (option == nullptr || option->name != name) continue;
    const bool has_value = end != std::string::npos;
    words.erase(word, word + (has_value ? 1 : 2));
    return;
  }
}

/// Replaces this process; returns only if that fails.
void become(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
}

std::string path_of_this_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink(kThisProgram, path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size))
                  : kThisProgram;
}

/// The processes, for a signal handler.
std::array<std::atomic<pid_t>, 1024> processes;

/// The last signal that was passed on, or 0.
std::atomic<int> passed_signal{0};

/// Passes a signal on to the ranks, which handle it; this process ignores it.
void pass_on(int signal) {
  passed_signal = signal;
  for (const std::atomic<pid_t>& process : processes) {
    if (process > 0) ::kill(process, signal);
  }
}

/// Starts one rank, or mpirun.
///
/// \param failure_code  its exit code if the program cannot be started
pid_t start(const std::vector<std::string>& words,
            int failure_code = kResourceFailure) {
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) {
    throw ResourceError(std::string("a rank cannot be started: ") +
                        std::strerror(errno));
  }
  if (process > 0) return process;
  // A process group of its own, so that Ctrl-C in the terminal sends a rank one
  // signal and not two. PR_SET_PDEATHSIG ends a rank with the process that
  // waits for it.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == parent) become(words);
  ::_exit(failure_code);
}

/// How the ranks ended.
class Outcome {
 public:
  void add(int rank, int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == passed_signal) {
      // The rank had not begun to handle it.
      code_ = kSignalBase + passed_signal;
      return;
    }
    if (WIFSIGNALED(status)) {
      write_message("mlp: note: rank " + std::to_string(rank) +
                    " was killed by signal " +
                    std::to_string(WTERMSIG(status)) + '\n');
      if (code_ == 0) code_ = kDeviceFailure;
      return;
    }
    const int code = WEXITSTATUS(status);
    // The error of a rank that failed explains more than the errors of the
    // ranks that lost it.
    if (code_ == 0 || code_ == kDeviceFailure) {
      if (code != 0) code_ = code;
    }
  }

  [[nodiscard]] int code() const { return code_; }

 private:
  int code_ = 0;
};

/// The processes of a training, while they run.
class Ranks {
 public:
  explicit Ranks(std::vector<pid_t> ranks)
      : ranks_(std::move(ranks)), is_stopped_(ranks_.size(), false) {}

  /// Waits until all have ended.
  int wait_for_all() {
    for (std::size_t num_left = ranks_.size(); num_left > 0;) {
      int status = 0;
      const pid_t process = ::waitpid(-1, &status, WUNTRACED | WCONTINUED);
      if (process < 0 && errno == EINTR) continue;
      if (process < 0) break;
      const auto place = std::find(ranks_.begin(), ranks_.end(), process);
      if (place == ranks_.end()) continue;
      const auto rank = static_cast<std::size_t>(place - ranks_.begin());
      is_stopped_[rank] = WIFSTOPPED(status);
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        --num_left;
        processes[rank] = 0;
        outcome_.add(static_cast<int>(rank), status);
      }
      if (outcome_.code() != 0) kill_stopped();
    }
    return outcome_.code();
  }

 private:
  /// A rank that was stopped by a signal would never notice that the others
  /// have ended.
  void kill_stopped() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!is_stopped_[rank]) continue;
      write_message("mlp: note: rank " + std::to_string(rank) +
                    " was stopped and is now killed\n");
      is_stopped_[rank] = false;
      ::kill(ranks_[rank], SIGKILL);
    }
  }

  std::vector<pid_t> ranks_;
  std::vector<bool> is_stopped_;
  Outcome outcome_;
};

/// Returns the parent of a process, or 0 if the process is gone.
pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat(std::istreambuf_iterator<char>(file), {});
  // The name of the program, in parentheses, may contain spaces.
  std::istringstream fields(
      stat.substr(std::min(stat.rfind(')'), stat.size())));
  std::string word;
  pid_t parent = 0;
  fields >> word >> word >> parent;
  return parent;
}

/// Sends a signal to the ranks that mpirun has started. mpirun itself would send
/// SIGTERM instead and kill the ranks a second later.
///
/// \return false if there is no rank
bool signal_ranks_of(pid_t mpirun, int signal) {
  const std::string program = path_of_this_program();
  bool is_any = false;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto process = parse_int(entry.path().filename().string());
    std::error_code gone;
    if (!process ||
        std::filesystem::read_symlink(entry.path() / "exe", gone) != program) {
      continue;
    }
    const auto rank = static_cast<pid_t>(*process);
    pid_t parent = parent_of(rank);
    while (parent > 1 && parent != mpirun) parent = parent_of(parent);
    if (parent == mpirun && ::kill(rank, signal) == 0) is_any = true;
  }
  return is_any;
}

/// The exit code of a child that could not become mpirun.
constexpr int kNotFound = 127;

/// Waits for mpirun to end, and passes signals on to the ranks.
int wait_for_mpirun(pid_t mpirun) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) {
    ::sigaddset(&signals, number);
  }
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  int status = 0;
  int signal_of_mpirun = 0;
  while (::waitpid(mpirun, &status, WNOHANG) == 0) {
    int number = 0;
    if (::sigwait(&signals, &number) != 0 || number == SIGCHLD) continue;
    if (signal_ranks_of(mpirun, number)) continue;
    ::kill(mpirun, number);
    signal_of_mpirun = number;
  }
  if (WIFSIGNALED(status)) return kSignalBase + WTERMSIG(status);
  const int code = WEXITSTATUS(status);
  // mpirun has another exit code if a signal meets it without its ranks.
  return code == 0 || signal_of_mpirun == 0 ? code
                                            : kSignalBase + signal_of_mpirun;
}

int run_mpirun(const std::vector<std::string>& words,
               const RankOptions& options) {
  std::vector<std::string> command{"mpirun"};
  if (::geteuid() == 0) command.push_back("--allow-run-as-root");
  // If each rank were bound to one core, its threads would share that core.
  command.insert(command.end(),
                 {"--oversubscribe", "--bind-to", "none", "-n",
                  std::to_string(options.num_ranks), path_of_this_program()});
  command.insert(command.end(), words.begin(), words.end());
  const int code = wait_for_mpirun(start(command, kNotFound));
  if (code != kNotFound) return code;
  throw ResourceError(
      "mpirun cannot be started; install an MPI, for example Debian's package "
      "openmpi-bin, or use --transport gloo");
}

}  // namespace

int run_rank_processes(std::vector<std::string> words,
                       const RankOptions& options, int num_threads) {
  const bool is_nccl = options.transport == Transport::kNccl;
  if (is_nccl) cuda::require_nccl(options.num_ranks);
  for (const char* const flag : {"ranks", "transport", "threads"}) {
    remove_flag(words, flag);
  }
  if (is_nccl) words.insert(words.begin(), "--transport=nccl");
  words.insert(words.begin(), "--threads=" + std::to_string(num_threads));
  if (options.transport == Transport::kMpi) return run_mpirun(words, options);
  if (!is_nccl) distributed::require_gloo("");
  const TemporaryFolder folder("mlp-ranks-");  // to meet in
  words.insert(
      words.begin(),
      {path_of_this_program(), "--rendezvous=" + folder.path().string(),
       "--world-size=" + std::to_string(options.num_ranks)});
  struct sigaction action {};
  action.sa_handler = &pass_on;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < options.num_ranks; ++rank) {
    std::vector<std::string> own = words;
    own.insert(own.begin() + 1, "--rank=" + std::to_string(rank));
    ranks.push_back(start(own));
    processes[static_cast<std::size_t>(rank)] = ranks.back();
  }
  return Ranks(std::move(ranks)).wait_for_all();
}

}  // namespace mlp::cli
