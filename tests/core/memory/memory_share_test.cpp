// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/memory/memory_share.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "../../../core/files/temporary_folder.hpp"

namespace mlp {

namespace {

constexpr double kKibibyte = 1024.0;

/// A machine with 1000 kB of free memory, and a process of some pages.
class SmallMachine {
 public:
  explicit SmallMachine(rlim_t pages) : folder_("mlp-share-") {
    std::filesystem::create_directories(folder_.path() / "proc/self");
    std::ofstream(folder_.path() / "proc/meminfo") << "MemAvailable: 1000 kB\n";
    std::ofstream(folder_.path() / "proc/self/statm") << pages << " 1 1\n";
  }

  [[nodiscard]] MemoryFiles files() const {
    return {folder_.path() / "proc", folder_.path() / "groups"};
  }

 private:
  TemporaryFolder folder_;
};

/// Limits the address space while it lives.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    struct rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpaceLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  struct rlimit before_ {};
};

// Far above what a test takes.
constexpr rlim_t kLimit = rlim_t{1} << 46;

}  // namespace

TEST_SUITE("core/memory/memory_share") {
  TEST_CASE("processes divide what the machine leaves") {
    const SmallMachine machine(1);

    const MemoryShare share = memory_share(4, machine.files());

    CHECK(share.left.bytes == 250.0 * kKibibyte);
    CHECK(share.left.limit == "free memory of this machine");
    CHECK_FALSE(share.is_of_process);
  }

  TEST_CASE("a process does not divide its own limit") {
    const auto page = static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    const SmallMachine machine(kLimit / page - 100);
    const AddressSpaceLimit limit(kLimit);

    const MemoryShare share = memory_share(4, machine.files());

    CHECK(share.left.bytes == 100.0 * static_cast<double>(page));
    CHECK(share.is_of_process);
  }

  TEST_CASE("knows no limit where nothing is described") {
    const MemoryShare share = memory_share(2, {"/none", "/none"});

    CHECK(std::isinf(share.left.bytes));
    CHECK_FALSE(share.is_of_process);
  }
}

}  // namespace mlp
