// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mlp::cli {

namespace {

/// Reads a small file of the kernel; returns an empty text if there is none.
std::string read_system_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Removes spaces and zeros from both ends of a text.
std::string trim(const std::string& text) {
  constexpr std::string_view kBlanks(" \0", 2);
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::string processor_name() {
  std::string name;
#if defined(__x86_64__)
  constexpr unsigned kFirstPart = 0x80000002u;
  constexpr unsigned kLastPart = 0x80000004u;
  for (unsigned part = kFirstPart; part <= kLastPart; ++part) {
    std::array<unsigned, 4> words{};
    if (__get_cpuid(part, &words[0], &words[1], &words[2], &words[3]) == 0) {
      return std::string(kUnknown);
    }
    name.append(reinterpret_cast<const char*>(words.data()), sizeof words);
  }
#endif
  name = trim(name);
  return name.empty() ? std::string(kUnknown) : name;
}

int count_cores() {
  std::set<std::string> cores;
  for (int i = 0; i < ::sysconf(_SC_NPROCESSORS_CONF); ++i) {
    const std::string siblings =
        read_system_file(std::string(kCoresFolder)
                             .append("/cpu")
                             .append(std::to_string(i))
                             .append("/topology/thread_siblings_list"));
    if (!siblings.empty()) cores.insert(siblings);
  }
  return static_cast<int>(cores.size());
}

int count_hardware_threads() {
  return static_cast<int>(std::max(0L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

int count_usable_threads() {
  cpu_set_t threads;
  CPU_ZERO(&threads);
  if (::sched_getaffinity(0, sizeof threads, &threads) != 0) return 1;
  return std::max(1, CPU_COUNT(&threads));
}

std::string huge_page_policy() {
  const std::string text = read_system_file(std::string(kHugePagesFile));
  const std::size_t first = text.find('[');
  const std::size_t last = text.find(']');
  if (first == text.npos || last == text.npos || last < first) {
    return std::string(kUnknown);
  }
  return text.substr(first + 1, last - first - 1);
}

}  // namespace mlp::cli
