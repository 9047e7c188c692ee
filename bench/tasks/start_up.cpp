// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// What it costs to start a program, run it and see it end. A program of its own
// does this and not the runner: the memory that the system reports of a child
// begins with that of the process it was spawned from.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "../../core/error.hpp"
#include "tasks.hpp"

namespace mlp::bench {
namespace {

class StartUp final : public Task {
 public:
  explicit StartUp(Arguments command) : command_(std::move(command)) {
    for (std::string& word : command_) words_.push_back(word.data());
    words_.push_back(nullptr);
    posix_spawn_file_actions_init(&actions_);
    for (const int descriptor : {0, 1, 2}) {
      posix_spawn_file_actions_addopen(&actions_, descriptor, "/dev/null",
                                       O_RDWR, 0);
    }
  }
  StartUp(const StartUp&) = delete;
  StartUp& operator=(const StartUp&) = delete;
  ~StartUp() override { posix_spawn_file_actions_destroy(&actions_); }

  Sample run(long repeats) override {
    Sample sample;
    long max_kilobytes = 0;
    const Stopwatch watch;
    for (long i = 0; i < repeats; ++i) {
      const rusage usage = run_once();
      max_kilobytes = std::max(max_kilobytes, usage.ru_maxrss);
    }
    sample.duration = watch.elapsed();
    sample.values = {
        {"max_rss_bytes", 1024.0 * static_cast<double>(max_kilobytes)}};
    return sample;
  }

 private:
  rusage run_once() {
    pid_t child = 0;
    char* no_environment[] = {nullptr};
    const int error = posix_spawn(&child, words_[0], &actions_, nullptr,
                                  words_.data(), no_environment);
    int status = 1;
    rusage usage{};
    if (error == 0) wait4(child, &status, 0, &usage);
    if (status != 0) {
      throw ResourceError(command_[0], "could not be run; check the command");
    }
    return usage;
  }

  Arguments command_;
  std::vector<char*> words_;
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

std::unique_ptr<Task> make_start_up(const Arguments& arguments) {
  if (arguments.empty()) throw ParamError("the argument COMMAND is missing");
  return std::make_unique<StartUp>(arguments);
}

}  // namespace mlp::bench
