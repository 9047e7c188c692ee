// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A library for LD_PRELOAD that records the calls which put a file on the disk:
// fsync of a file, rename or exchange of names, fsync of a folder.
//
//     ORDER_LOG       the file that gets a line for each call, before the call
//     ORDER_KILL_AT   if given, the call, from 1, at which the process is killed
//     ORDER_KILL_WHEN before or after the call

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

std::atomic<int> num_calls{0};

std::string name_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// Describes an open file: file NAME, or folder.
std::string describe(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    return "folder";
  }
  std::array<char, PATH_MAX> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  if (size < 0) return "file ?";
  return "file " + name_of({path.data(), static_cast<std::size_t>(size)});
}

void record(const std::string& line) {
  const char* const log = ::getenv("ORDER_LOG");
  if (log == nullptr) return;
  const int descriptor =
      ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (::write(descriptor, line.data(), line.size()) < 0) ::abort();
  ::close(descriptor);
}

/// Records a call, makes it, and kills the process if its turn has come.
template <typename Call>
int run(const std::string& line, Call call) {
  const int number = ++num_calls;
  const char* const kill_at = ::getenv("ORDER_KILL_AT");
  const bool is_last = kill_at != nullptr && std::atoi(kill_at) == number;
  const char* const when = ::getenv("ORDER_KILL_WHEN");
  const bool is_after = when != nullptr && std::string_view(when) == "after";
  record(line + '\n');
  if (is_last && !is_after) ::kill(::getpid(), SIGKILL);
  const auto result = static_cast<int>(call());
  const int error_number = errno;
  if (is_last && is_after) ::kill(::getpid(), SIGKILL);
  errno = error_number;
  return result;
}

}  // namespace

extern "C" {

int fsync(int descriptor) {
  return run("fsync " + describe(descriptor),
             [&] { return ::syscall(SYS_fsync, descriptor); });
}

int fdatasync(int descriptor) {
  return run("fdatasync " + describe(descriptor),
             [&] { return ::syscall(SYS_fdatasync, descriptor); });
}

int rename(const char* from, const char* to) noexcept {
  return run("rename " + name_of(from) + " " + name_of(to), [&] {
    return ::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  const bool is_exchange = (flags & RENAME_EXCHANGE) != 0;
  return run((is_exchange ? "exchange " : "rename ") + name_of(from) + " " +
                 name_of(to),
             [&] {
               return ::syscall(SYS_renameat2, from_folder, from, to_folder, to,
                                flags);
             });
}

}  // extern "C"
