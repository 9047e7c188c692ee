// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace mlp {

/// Asks the system to use huge pages for memory that is about to be filled.
///
/// With huge pages the first writes to new memory are several times faster. The
/// result is the same if the system refuses. Blocks of less than 4 MiB are left
/// unchanged: the gain is small and huge pages would waste memory.
/// \param memory  allocated memory; its contents are kept
inline void advise_huge_pages([[maybe_unused]] void* memory,
                              [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kLeastBytes = std::size_t{4} << 20;
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (bytes < kLeastBytes || page_bytes <= 0) return;
  const auto page = static_cast<std::uintptr_t>(page_bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t skipped = (page - address % page) % page;
  const std::uintptr_t advised = (bytes - skipped) / page * page;
  static_cast<void>(
      ::madvise(static_cast<char*>(memory) + skipped, advised, MADV_HUGEPAGE));
#endif
}

}  // namespace mlp
