// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include "../scratch_folder.hpp"
#include "command_words.hpp"

namespace mlp::test {

/// What a run of the program left behind.
struct ProgramResult {
  int exit_code = -1;      ///< 128 + signal where a signal killed it
  bool is_killed = false;  ///< by a signal
  std::string output;
  std::string messages;
};

/// The program at work: arguments go in, both streams come out.
class Program {
 public:
  /// \param words    without the program's name
  /// \param program  its file
  explicit Program(const std::vector<std::string>& words,
                   const std::string& program = MLP_PROGRAM) {
    make_pipe(output_);
    make_pipe(messages_);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output_[1], 1);
    posix_spawn_file_actions_adddup2(&actions, messages_[1], 2);
    std::vector<std::string> copies = words;
    copies.insert(copies.begin(), program);
    std::vector<char*> arguments;
    for (std::string& copy : copies) arguments.push_back(copy.data());
    arguments.push_back(nullptr);
    const int failure = ::posix_spawn(&process_, program.c_str(), &actions,
                                      nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(output_[1]);
    ::close(messages_[1]);
    if (failure != 0) throw std::runtime_error("cannot start " + program);
  }

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  ~Program() {
    if (process_ > 0) ::kill(process_, SIGKILL);
    if (process_ > 0) ::waitpid(process_, nullptr, 0);
    ::close(output_[0]);
    ::close(messages_[0]);
  }

  [[nodiscard]] pid_t id() const { return process_; }

  void send(int signal) const { ::kill(process_, signal); }

  /// Reads messages until one contains a text, or the program ends.
  void wait_for_message(const std::string& text) {
    while (result_.messages.find(text) == std::string::npos) {
      if (!read_some(messages_[0], result_.messages)) return;
    }
  }

  /// Reads both streams to their ends and waits for the program.
  ProgramResult finish() {
    bool is_output_open = true;
    bool is_messages_open = true;
    while (is_output_open || is_messages_open) {
      std::array<pollfd, 2> streams{
          pollfd{is_output_open ? output_[0] : -1, POLLIN, 0},
          pollfd{is_messages_open ? messages_[0] : -1, POLLIN, 0}};
      ::poll(streams.data(), streams.size(), -1);
      if (streams[0].revents != 0) {
        is_output_open = read_some(output_[0], result_.output);
      }
      if (streams[1].revents != 0) {
        is_messages_open = read_some(messages_[0], result_.messages);
      }
    }
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    result_.is_killed = WIFSIGNALED(status);
    result_.exit_code =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result_;
  }

 private:
  static void make_pipe(std::array<int, 2>& ends) {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("cannot make a pipe");
    }
  }

  static bool read_some(int descriptor, std::string& text) {
    std::array<char, 4096> bytes;
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  std::array<int, 2> output_{};
  std::array<int, 2> messages_{};
  pid_t process_ = -1;
  ProgramResult result_;
};

/// Runs the program to its end.
inline ProgramResult run_program(const std::vector<std::string>& words,
                                 const std::string& program = MLP_PROGRAM) {
  return Program(words, program).finish();
}

/// Returns the output of a command.
///
/// \throws std::runtime_error with the messages if the command fails
inline std::string output_of(const Words& words) {
  const ProgramResult result = run_program(words);
  if (result.exit_code != 0) throw std::runtime_error(result.messages);
  return result.output;
}

/// A file of the folder data/.
inline std::string data_file(const std::string& name) {
  return std::string(MLP_DATA_DIR "/").append(name);
}

}  // namespace mlp::test
