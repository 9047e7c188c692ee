// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// A library for LD_PRELOAD that counts the calls of a program to the C library
// and lets one of them fail. It uses nothing of the C++ library, because the
// program has its own.
//
// MLP_FAULT_COUNTS names a file in which the calls are counted, one number for
// each kind. MLP_FAULT_SERVER says that the process waits for orders: for each
// order it forks, and the child runs the program. fault_server.py is the other
// side. MLP_FAULT is an order for a process that the program starts itself.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace {

/// The kinds of calls, in the order of KINDS in fault_server.py.
enum Kind : int {
  kAllocate,
  kOpen,
  kRead,
  kWrite,
  kWriteMessage,  // write to standard error
  kSync,
  kRename,
  kStat,
  kClose,
  kUnlink,
  kFolder,  // mkdir, mkdtemp, rmdir
  kMode,
  kLink,
  kLock,
  kMap,
  kThread,
  kFork,
  kNumKinds
};

enum class Mode : int {
  kOnce,       // one call fails
  kOnwards,    // that call and all later ones of its kind fail
  kAlternate,  // that call and every second one after it fail
  kShort       // that call and all later ones transfer few bytes
};

enum class Action { kPass, kFail, kTransferFew };

struct Order {
  int kind = -1;
  std::uint64_t at = 0;
  Mode mode = Mode::kOnce;
  int error_number = 0;
  int rank = -1;  // of the process that it is for; -1 is this process
};

Order order;
std::uint64_t own_counts[kNumKinds];
std::uint64_t* counts = own_counts;

Action next_action(Kind kind) {
  const std::uint64_t number =
      __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED);
  if (kind != order.kind || number < order.at) return Action::kPass;
  switch (order.mode) {
    case Mode::kShort:
      return Action::kTransferFew;
    case Mode::kOnce:
      if (number != order.at) return Action::kPass;
      break;
    case Mode::kAlternate:
      if ((number - order.at) % 2 != 0) return Action::kPass;
      break;
    case Mode::kOnwards:
      break;
  }
  errno = order.error_number;
  return Action::kFail;
}

bool is_failing(Kind kind) { return next_action(kind) == Action::kFail; }

void* find(const char* name) { return dlsym(RTLD_NEXT, name); }

/// One byte, or a small share of many bytes, so that large files take no longer
/// than necessary.
size_t shorten(Action action, size_t bytes) {
  constexpr size_t kShare = 512;
  const bool is_short = action == Action::kTransferFew && bytes > 1;
  return is_short ? 1 + bytes / kShare : bytes;
}

Kind kind_of_write(int descriptor) {
  return descriptor == STDERR_FILENO ? kWriteMessage : kWrite;
}

bool parse(const char* text, Order& parsed) {
  int mode = 0;
  unsigned long at = 0;
  const int num_read = sscanf(text, "%d %lu %d %d %d", &parsed.kind, &at, &mode,
                              &parsed.error_number, &parsed.rank);
  parsed.at = at;
  parsed.mode = static_cast<Mode>(mode);
  return num_read == 5;
}

void map_counts() {
  const char* const file = getenv("MLP_FAULT_COUNTS");
  if (file == nullptr) return;
  const int descriptor = open(file, O_RDWR | O_CLOEXEC);
  void* const mapped = mmap(nullptr, sizeof own_counts, PROT_READ | PROT_WRITE,
                            MAP_SHARED, descriptor, 0);
  if (descriptor < 0 || mapped == MAP_FAILED) _exit(99);
  close(descriptor);
  counts = static_cast<std::uint64_t*>(mapped);
}

/// Returns in the child, in which the program then runs.
void start_child(const char* text, const Order& given) {
  unsetenv("MLP_FAULT_SERVER");
  lseek(STDIN_FILENO, 0, SEEK_SET);
  memset(counts, 0, sizeof own_counts);
  if (given.rank >= 0) {
    setenv("MLP_FAULT", text, 1);
    counts = own_counts;
    return;
  }
  order = given;
}

/// Runs the program once for each order, until the driver ends.
void serve(const char* descriptors) {
  int from_driver = 0;
  int to_driver = 0;
  if (sscanf(descriptors, "%d,%d", &from_driver, &to_driver) != 2) _exit(96);
  FILE* const orders = fdopen(from_driver, "r");
  char text[128];
  while (fgets(text, sizeof text, orders) != nullptr) {
    Order given;
    if (!parse(text, given)) _exit(98);
    const pid_t child = fork();
    if (child < 0) _exit(97);
    if (child == 0) {
      close(from_driver);
      close(to_driver);
      return start_child(text, given);
    }
    dprintf(to_driver, "%d\n", child);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    dprintf(to_driver, "%d\n", status);
  }
  _exit(0);
}

/// Takes an order for a rank if this process is that rank.
void take_order_of_rank(int num_words, char** words, const char* text) {
  Order given;
  if (!parse(text, given)) _exit(98);
  char name[32];
  snprintf(name, sizeof name, "--rank=%d", given.rank);
  for (int i = 1; i < num_words; ++i) {
    if (strcmp(words[i], name) == 0) {
      map_counts();
      order = given;
    }
  }
}

__attribute__((constructor)) void start(int num_words, char** words, char**) {
  if (const char* const descriptors = getenv("MLP_FAULT_SERVER")) {
    map_counts();
    serve(descriptors);
  } else if (const char* const text = getenv("MLP_FAULT")) {
    take_order_of_rank(num_words, words, text);
  }
}

}  // namespace

// The calls. Allocation has names that need no search, because the search may
// allocate.
extern "C" {

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);

void* malloc(size_t bytes) noexcept {
  return is_failing(kAllocate) ? nullptr : __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) noexcept {
  return is_failing(kAllocate) ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* old, size_t bytes) noexcept {
  return is_failing(kAllocate) ? nullptr : __libc_realloc(old, bytes);
}

void* memalign(size_t alignment, size_t bytes) noexcept {
  return is_failing(kAllocate) ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  return is_failing(kAllocate) ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** result, size_t alignment, size_t bytes) noexcept {
  *result = is_failing(kAllocate) ? nullptr : __libc_memalign(alignment, bytes);
  return *result == nullptr ? ENOMEM : 0;
}

// Defines a call that returns `failure` if it fails.
#define MLP_CALL(kind, failure, result, name, parameters, ...)    \
  result name parameters {                                        \
    using Call = result(*) parameters;                            \
    static const auto real = reinterpret_cast<Call>(find(#name)); \
    return is_failing(kind) ? failure : real(__VA_ARGS__);        \
  }

MLP_CALL(kSync, -1, int, fsync, (int file), file)
MLP_CALL(kSync, -1, int, fdatasync, (int file), file)
MLP_CALL(kRename, -1, int, rename, (const char* from, const char* to) noexcept,
         from, to)
MLP_CALL(kRename, -1, int, renameat,
         (int folder, const char* from, int target, const char* to) noexcept,
         folder, from, target, to)
MLP_CALL(kRename, -1, int, renameat2,
         (int folder, const char* from, int target, const char* to,
          unsigned flags) noexcept,
         folder, from, target, to, flags)
MLP_CALL(kStat, -1, int, stat, (const char* path, struct stat* to) noexcept,
         path, to)
MLP_CALL(kStat, -1, int, lstat, (const char* path, struct stat* to) noexcept,
         path, to)
MLP_CALL(kStat, -1, int, fstat, (int file, struct stat* to) noexcept, file, to)
MLP_CALL(kStat, -1, int, fstatat,
         (int folder, const char* path, struct stat* to, int flags) noexcept,
         folder, path, to, flags)
MLP_CALL(kStat, -1, int, access, (const char* path, int mode) noexcept, path,
         mode)
MLP_CALL(kUnlink, -1, int, unlink, (const char* path) noexcept, path)
MLP_CALL(kUnlink, -1, int, unlinkat,
         (int folder, const char* path, int flags) noexcept, folder, path,
         flags)
MLP_CALL(kUnlink, -1, int, rmdir, (const char* path) noexcept, path)
MLP_CALL(kUnlink, -1, int, remove, (const char* path) noexcept, path)
MLP_CALL(kFolder, -1, int, mkdir, (const char* path, mode_t mode) noexcept,
         path, mode)
MLP_CALL(kFolder, -1, int, mkdirat,
         (int folder, const char* path, mode_t mode) noexcept, folder, path,
         mode)
MLP_CALL(kFolder, nullptr, char*, mkdtemp, (char* pattern) noexcept, pattern)
MLP_CALL(kFolder, nullptr, DIR*, opendir, (const char* path), path)
MLP_CALL(kFolder, nullptr, DIR*, fdopendir, (int file), file)
MLP_CALL(kMode, -1, int, fchmod, (int file, mode_t mode) noexcept, file, mode)
MLP_CALL(kMode, -1, int, ftruncate, (int file, off_t size) noexcept, file, size)
MLP_CALL(kLink, -1, ssize_t, readlink,
         (const char* path, char* to, size_t bytes) noexcept, path, to, bytes)
MLP_CALL(kLock, -1, int, flock, (int file, int operation) noexcept, file,
         operation)
MLP_CALL(kMap, MAP_FAILED, void*, mmap,
         (void* place, size_t bytes, int access, int flags, int file,
          off_t offset) noexcept,
         place, bytes, access, flags, file, offset)
MLP_CALL(kFork, -1, pid_t, fork, () noexcept)
MLP_CALL(kFork, -1, int, execvp,
         (const char* file, char* const* arguments) noexcept, file, arguments)

// Calls that must take effect even if they fail, or return the error's number.

int close(int file) {
  using Call = int (*)(int);
  static const auto real = reinterpret_cast<Call>(find("close"));
  const int result = real(file);
  return is_failing(kClose) ? -1 : result;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*run)(void*), void* argument) noexcept {
  using Call = decltype(&pthread_create);
  static const auto real = reinterpret_cast<Call>(find("pthread_create"));
  if (is_failing(kThread)) return order.error_number;
  return real(thread, attributes, run, argument);
}

// Calls that may transfer fewer bytes than asked for.

ssize_t read(int file, void* to, size_t bytes) {
  using Call = ssize_t (*)(int, void*, size_t);
  static const auto real = reinterpret_cast<Call>(find("read"));
  const Action action = next_action(kRead);
  if (action == Action::kFail) return -1;
  return real(file, to, shorten(action, bytes));
}

ssize_t pread(int file, void* to, size_t bytes, off_t offset) {
  using Call = ssize_t (*)(int, void*, size_t, off_t);
  static const auto real = reinterpret_cast<Call>(find("pread"));
  const Action action = next_action(kRead);
  if (action == Action::kFail) return -1;
  return real(file, to, shorten(action, bytes), offset);
}

ssize_t write(int file, const void* from, size_t bytes) {
  using Call = ssize_t (*)(int, const void*, size_t);
  static const auto real = reinterpret_cast<Call>(find("write"));
  const Action action = next_action(kind_of_write(file));
  if (action == Action::kFail) return -1;
  return real(file, from, shorten(action, bytes));
}

ssize_t pwrite(int file, const void* from, size_t bytes, off_t offset) {
  using Call = ssize_t (*)(int, const void*, size_t, off_t);
  static const auto real = reinterpret_cast<Call>(find("pwrite"));
  const Action action = next_action(kWrite);
  if (action == Action::kFail) return -1;
  return real(file, from, shorten(action, bytes), offset);
}

// Calls with an optional argument, which is passed on even if it is missing.

int open(const char* path, int flags, ...) {
  using Call = int (*)(const char*, int, ...);
  static const auto real = reinterpret_cast<Call>(find("open"));
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return is_failing(kOpen) ? -1 : real(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  using Call = int (*)(int, const char*, int, ...);
  static const auto real = reinterpret_cast<Call>(find("openat"));
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return is_failing(kOpen) ? -1 : real(folder, path, flags, mode);
}

}  // extern "C"
