// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/memory/page_release.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mlp {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Memory that begins in the middle of a page, filled with x.
struct FilledMemory {
  explicit FilledMemory(std::size_t bytes) : all(bytes + 100, 'x') {}

  char* begin() { return all.data() + 100; }

  /// The number of bytes of a part that are as they were.
  std::size_t num_kept(std::size_t from, std::size_t to) {
    return static_cast<std::size_t>(
        std::count(begin() + from, begin() + to, 'x'));
  }

  std::vector<char> all;
};

/// The number of pages in memory that lie wholly within some bytes.
std::size_t count_resident(char* bytes, std::size_t size) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(bytes);
  const std::size_t skipped = (page - address % page) % page;
  const std::size_t count = (size - skipped) / page;
  std::vector<unsigned char> states(count);
  REQUIRE(::mincore(bytes + skipped, count * page, states.data()) == 0);
  return static_cast<std::size_t>(std::count_if(
      states.begin(), states.end(), [](unsigned char s) { return s & 1; }));
}

}  // namespace

TEST_SUITE("core/memory/page_release") {
  TEST_CASE("releases the pages in front of the byte") {
    constexpr std::size_t kBytes = 32 * kMebibyte;
    FilledMemory memory(kBytes);
    const std::size_t before = count_resident(memory.begin(), kBytes);
    PageRelease release(memory.begin());

    release.release_first(16 * kMebibyte);

    const std::size_t after = count_resident(memory.begin(), kBytes);
    CHECK(after <= before * 5 / 8);
    CHECK(release.end() <= 16 * kMebibyte);
    CHECK(release.end() > 14 * kMebibyte);
  }

  TEST_CASE("keeps what lies outside the memory and behind the byte") {
    constexpr std::size_t kBytes = 16 * kMebibyte;
    FilledMemory memory(kBytes);
    PageRelease release(memory.begin() + 5 * kMebibyte);

    for (std::size_t bytes = 0; bytes < 8 * kMebibyte; bytes += 12345) {
      release.release_first(bytes);
    }

    CHECK(memory.num_kept(0, 5 * kMebibyte) == 5 * kMebibyte);
    CHECK(memory.num_kept(13 * kMebibyte, kBytes) == 3 * kMebibyte);
    CHECK(memory.num_kept(5 * kMebibyte + release.end(), kBytes) ==
          11 * kMebibyte - release.end());
  }

  TEST_CASE("keeps what was written after it was released") {
    constexpr std::size_t kBytes = 16 * kMebibyte;
    FilledMemory memory(kBytes);
    PageRelease release(memory.begin());

    release.release_first(8 * kMebibyte);
    std::fill_n(memory.begin(), 8 * kMebibyte, 'x');
    release.release_first(4 * kMebibyte);
    release.release_first(8 * kMebibyte);

    CHECK(memory.num_kept(0, kBytes) == kBytes);
  }

  TEST_CASE("keeps all memory if it is small or if there is none") {
    FilledMemory memory(kMebibyte);
    PageRelease release(memory.begin());
    PageRelease none;

    release.release_first(kMebibyte);
    none.release_first(0);

    CHECK(memory.num_kept(0, kMebibyte) == kMebibyte);
    CHECK(release.end() == 0);
    CHECK(none.end() == 0);
  }
}

}  // namespace mlp
