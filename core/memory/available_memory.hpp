// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "../error.hpp"
#include "../number_text.hpp"

/// How much memory this process can still get, as far as the system tells.
namespace mlp {

/// The memory that is left, and what limits it.
struct AvailableMemory {
  double bytes = std::numeric_limits<double>::infinity();
  std::string limit = "no limit is known";

  /// True if each process has the limit for itself: `ulimit -v`.
  bool is_of_process = false;
};

namespace detail {

/// Returns the content of a small file, or nothing if it cannot be read.
inline std::string read_small_file(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  // An iterator would throw if the file cannot be read.
  std::getline(file, text, '\0');
  return text;
}

/// Reads the number after a name at the begin of a line, as in /proc/meminfo.
inline std::optional<double> number_after(std::string_view text,
                                          std::string_view name) {
  std::size_t begin = 0;
  while (text.substr(begin, name.size()) != name) {
    begin = text.find('\n', begin);
    if (begin++ == std::string_view::npos) return std::nullopt;
  }
  text.remove_prefix(begin + name.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return parse_double(text.substr(0, text.find_first_of(" \n")));
}

/// Reads a file that contains one number; nothing for "max".
inline std::optional<double> number_in(const std::string& path) {
  return number_after(read_small_file(path), "");
}

/// The names of the files of a version of control groups.
struct ControlGroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable[2];  ///< lines of memory.stat
};

inline constexpr ControlGroupFiles kVersion1{
    "/memory.limit_in_bytes",
    "/memory.usage_in_bytes",
    {"total_inactive_file", "total_active_file"}};
inline constexpr ControlGroupFiles kVersion2{
    "/memory.max", "/memory.current", {"inactive_file", "active_file"}};

/// The memory that is left in a control group. Pages of files can be reclaimed.
inline double left_in_group(const std::string& folder,
                            const ControlGroupFiles& files) {
  const std::optional<double> limit = number_in(folder + files.limit);
  const std::optional<double> usage = number_in(folder + files.usage);
  if (!limit || !usage) return std::numeric_limits<double>::infinity();
  double left = *limit - *usage;
  const std::string stat = read_small_file(folder + "/memory.stat");
  for (const char* name : files.reclaimable) {
    left += number_after(stat, std::string(name) + ' ').value_or(0.0);
  }
  return std::max(left, 0.0);
}

/// The memory that is left in a control group and in those that contain it.
///
/// \param root  where the groups are mounted
/// \param path  of the group, from the root
inline double left_in_groups(const std::string& root, std::string path,
                             const ControlGroupFiles& files) {
  double left = std::numeric_limits<double>::infinity();
  while (true) {
    while (path.ends_with('/')) path.pop_back();
    left = std::min(left, left_in_group(root + path, files));
    if (path.empty()) return left;
    path.resize(path.find_last_of('/') + 1);
  }
}

}  // namespace detail

/// Where the system describes its memory.
struct MemoryFiles {
  std::string proc = "/proc";
  std::string control_groups = "/sys/fs/cgroup";
};

/// The memory of the control groups of this process, versions 1 and 2.
[[nodiscard]] inline double memory_of_control_groups(const MemoryFiles& files) {
  double left = std::numeric_limits<double>::infinity();
  std::istringstream groups(
      detail::read_small_file(files.proc + "/self/cgroup"));
  const std::string& root = files.control_groups;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers =
        ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string path = line.substr(second + 1);
    const auto look = [&](const char* mount,
                          const detail::ControlGroupFiles& names) {
      left = std::min(left, detail::left_in_groups(root + mount, path, names));
    };
    if (controllers == ",,") {
      look("", detail::kVersion2);
      look("/unified", detail::kVersion2);
    } else if (controllers.find(",memory,") != std::string::npos) {
      look("/memory", detail::kVersion1);
    }
  }
  return left;
}

/// The address space that `ulimit -v` leaves to this process.
[[nodiscard]] inline double memory_of_address_space(const MemoryFiles& files) {
  struct rlimit limit {};
  const auto pages = detail::number_after(
      detail::read_small_file(files.proc + "/self/statm"), "");
  if (!pages || ::getrlimit(RLIMIT_AS, &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<double>::infinity();
  }
  const double used = *pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return std::max(static_cast<double>(limit.rlim_cur) - used, 0.0);
}

/// Returns the smallest of what the machine, the control groups and `ulimit -v`
/// leave. Free swap counts as memory. Nothing else is known on systems other than
/// Linux: the result is then infinite.
///
/// \param num_processes  > 0; that need memory at the same time: each may have an equal
///                       part of what the machine and the control groups leave
/// \cost a few small files are read: about 0.1 ms
[[nodiscard]] inline AvailableMemory available_memory(
    const MemoryFiles& files = {}, int num_processes = 1) {
  constexpr double kKibibyte = 1024.0;
  AvailableMemory available;
  const auto take = [&](double bytes, const char* limit, bool is_of_process) {
    if (!is_of_process) bytes /= num_processes;
    if (bytes < available.bytes) available = {bytes, limit, is_of_process};
  };
  const std::string meminfo = detail::read_small_file(files.proc + "/meminfo");
  const double swap =
      kKibibyte * detail::number_after(meminfo, "SwapFree:").value_or(0.0);
  if (const auto free = detail::number_after(meminfo, "MemAvailable:")) {
    take(*free * kKibibyte + swap, "free memory of this machine", false);
  }
  take(memory_of_control_groups(files) + swap, "limit of the control group",
       false);
  take(memory_of_address_space(files), "limit of the address space, ulimit -v",
       true);
  return available;
}

/// Formats a number of bytes: "31.2 GB", "87 MB" or "1.2 MB".
[[nodiscard]] inline std::string format_bytes(double bytes) {
  if (bytes < 1e7) return format_double(std::round(bytes / 1e5) / 10.0) + " MB";
  if (bytes < 1e9) return format_double(std::round(bytes / 1e6)) + " MB";
  return format_double(std::round(bytes / 1e8) / 10.0) + " GB";
}

/// Below this many bytes nothing is asked: an allocation that fails is an error
/// too.
inline constexpr double kLeastCheckedBytes = 64e6;

/// Returns true if a copy of data that stay where they are is worth its memory: it takes at
/// most half of what is left.
[[nodiscard]] inline bool may_copy(double bytes) {
  return bytes < kLeastCheckedBytes || bytes <= 0.5 * available_memory().bytes;
}

/// Refuses a file that needs more memory than is left, before any is allocated.
///
/// \param file  the file name shown in messages
/// \throws ResourceError with both sizes
inline void require_memory_for(const std::string& file, double bytes) {
  if (bytes < kLeastCheckedBytes) return;
  const AvailableMemory available = available_memory();
  if (bytes <= available.bytes) return;
  throw ResourceError(file, "needs " + format_bytes(bytes) + " of memory; " +
                                format_bytes(available.bytes) +
                                " are available (" + available.limit +
                                "); use a smaller file, or a part of it");
}

}  // namespace mlp
