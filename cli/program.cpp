// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "../core/version.hpp"
#include "commands.hpp"
#include "console/console.hpp"
#include "console/exit_code.hpp"
#include "flags/command_line.hpp"
#include "flags/global_options.hpp"
#include "flags/help/help.hpp"

namespace mlp::cli {

namespace {

int run_help(const CommandLine& line) {
  const bool is_man = line.has("man");
  if (line.arguments.empty()) {
    write_output(is_man ? man_page() : overview_help());
    return kSuccess;
  }
  const CommandLine named = parse_command_line({line.arguments[0], "--help"});
  write_output(is_man ? man_page(*named.command)
                      : command_help(*named.command));
  return kSuccess;
}

int run_command(const CommandLine& line) {
  const GlobalOptions options = read_global_options(line);
  switch (line.command->command) {
    case kTrain:
      return run_train(line, options);
    case kPredict:
      return run_predict(line, options);
    case kEvaluate:
      return run_evaluate(line, options);
    case kFeaturize:
      return run_featurize(line, options);
    case kInspect:
      return run_inspect(line, options);
    case kDoctor:
      return run_doctor(options);
    case kCompletion:
      write_output(completion_script(line.arguments[0]));
      return kSuccess;
    default:
      return run_help(line);
  }
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) {
    write_message(short_usage());
    return kUsageFailure;
  }
  const CommandLine line = parse_command_line(words);
  if (line.has("version")) {
    write_output("mlp " + std::string(kVersion) + '\n');
    return kSuccess;
  }
  if (line.has("help")) {
    write_output(line.command ? command_help(*line.command) : overview_help());
    return kSuccess;
  }
  if (line.command == nullptr) {
    throw UsageError("a command is missing; mlp --help lists them");
  }
  return run_command(line);
}

/// Reports that there is no memory, without allocating any. If several threads
/// do, the first one reports it, and the others give it the time.
ExitCode report_no_memory() {
  static std::atomic_flag is_reported;
  if (is_reported.test_and_set()) {
    constexpr useconds_t kMicroseconds = 100'000;
    ::usleep(kMicroseconds);
    return kResourceFailure;
  }
  for (const std::string_view part :
       {std::string_view("mlp: error: "), kNoMemorySentence,
        std::string_view("\n")}) {
    write_message(part);
  }
  return kResourceFailure;
}

/// Reports the exception that is being handled.
ExitCode report_failure() {
  try {
    const Failure failure = describe_failure(std::current_exception());
    write_error(failure.sentence);
    return failure.exit_code;
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  }
}

std::terminate_handler usual_handler = nullptr;

/// The handler of std::terminate. The C++ library calls it if there is no memory
/// for an exception. Any other cause is a bug, which its own handler reports.
[[noreturn]] void end_abnormally() {
  constexpr std::size_t kBytesOfException = 256;
  // volatile, or the compiler could assume that the allocation succeeds.
  void* volatile memory = std::malloc(kBytesOfException);
  if (memory == nullptr) ::_exit(report_no_memory());
  usual_handler();
  std::abort();
}

void prepare_termination() {
  const std::terminate_handler before = std::set_terminate(&end_abnormally);
  if (before != &end_abnormally) usual_handler = before;
}

/// Lets this process open many files: each compressed one that is larger than the memory
/// stays open.
void allow_open_files() {
  constexpr rlim_t kMost = 65536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(kMost, limit.rlim_max);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

}  // namespace

int run_program(int num_words, char** words) {
  prepare_console();
  prepare_termination();
  allow_open_files();
  try {
    const int first = num_words > 0 ? 1 : 0;
    return run({words + first, words + num_words});
  } catch (...) {
    return report_failure();
  }
}

}  // namespace mlp::cli
