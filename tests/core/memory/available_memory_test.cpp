// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/memory/available_memory.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "../../../core/error.hpp"
#include "../../../core/files/temporary_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

/// A system that is described by files in a folder.
class DescribedSystem {
 public:
  DescribedSystem() : folder_("mlp-memory-") {}

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  void write_group(const std::string& path, const std::string& limit,
                   const std::string& usage, const std::string& stat) const {
    write(path + "/memory.max", limit + '\n');
    write(path + "/memory.current", usage + '\n');
    write(path + "/memory.stat", stat);
  }

  [[nodiscard]] MemoryFiles files() const {
    return {folder_.path() / "proc", folder_.path() / "groups"};
  }

  [[nodiscard]] double available() const {
    return available_memory(files()).bytes;
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

}  // namespace

TEST_SUITE("core/memory/available_memory") {
  TEST_CASE("adds free swap to the memory that the machine has left") {
    const DescribedSystem system;
    system.write("proc/meminfo",
                 "MemTotal:  900 kB\nMemFree:  5 kB\nMemAvailable:  100 kB\n"
                 "SwapTotal: 50 kB\nSwapFree:   20 kB\n");

    CHECK(system.available() == 120.0 * 1024.0);
    CHECK(available_memory(system.files()).limit ==
          "free memory of this machine");
  }

  TEST_CASE("takes the pages of files in a control group for free") {
    const DescribedSystem system;
    system.write("proc/meminfo", "MemAvailable: 1000 kB\n");
    system.write("proc/self/cgroup", "0::/job\n");
    system.write_group("groups/job", "5000", "4000",
                       "anon 1\ninactive_file 300\nactive_file 20\n");

    CHECK(system.available() == 1320.0);
    CHECK(available_memory(system.files()).limit ==
          "limit of the control group");
  }

  TEST_CASE("takes the smallest of all groups that contain the process") {
    const DescribedSystem system;
    system.write("proc/self/cgroup", "0::/outer/inner\n");
    system.write_group("groups", "max", "9", "");
    system.write_group("groups/outer", "700", "100", "");
    system.write_group("groups/outer/inner", "max", "50", "");

    CHECK(system.available() == 600.0);
  }

  TEST_CASE("reads control groups of version 1") {
    const DescribedSystem system;
    system.write("proc/self/cgroup",
                 "5:cpu:/x\n4:memory:/job\n1:name=systemd:/\n");
    system.write("groups/memory/job/memory.limit_in_bytes", "800\n");
    system.write("groups/memory/job/memory.usage_in_bytes", "500\n");
    system.write("groups/memory/job/memory.stat",
                 "inactive_file 7\ntotal_inactive_file 40\n");

    CHECK(system.available() == 340.0);
  }

  TEST_CASE("processes divide the machine, but not the address space of each") {
    constexpr rlim_t kLimit = rlim_t{1} << 46;  // far above what a test takes
    const auto page = static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    const DescribedSystem system;
    system.write("proc/meminfo", "MemAvailable: 1000 kB\n");
    const AddressSpaceLimit limit(kLimit);
    const auto share_of_four = [&](rlim_t pages_left) {
      system.write("proc/self/statm",
                   std::to_string(kLimit / page - pages_left) + " 1 1\n");
      return available_memory(system.files(), 4);
    };

    const AvailableMemory own = share_of_four(200'000 / page);
    const AvailableMemory shared = share_of_four(400'000 / page);

    CHECK(own.bytes == static_cast<double>(200'000 / page * page));
    CHECK(own.is_of_process);
    CHECK(shared.bytes == 250.0 * 1024.0);
    CHECK(shared.limit == "free memory of this machine");
    CHECK_FALSE(shared.is_of_process);
  }

  TEST_CASE("knows no limit where nothing is described") {
    const DescribedSystem system;
    system.write("proc/self/cgroup", "nonsense\n0:\n");
    system.write("proc/meminfo", "MemAvailable: many\n");

    CHECK(std::isinf(system.available()));
  }

  TEST_CASE("finds some memory on this machine") {
    CHECK(available_memory().bytes > 0.0);
  }

  TEST_CASE("formats bytes as MB below 1 GB and as GB above") {
    CHECK(format_bytes(86.6e6) == "87 MB");
    CHECK(format_bytes(1.25e9) == "1.3 GB");
    CHECK(format_bytes(442e9) == "442 GB");
  }

  TEST_CASE("refuses a file that needs more than any machine has") {
    require_memory_for("rows.csv", 1e6);
    const std::string sentence = test::thrown_message<ResourceError>(
        [&] { require_memory_for("rows.csv", 125e12); });

    CHECK(sentence.starts_with("rows.csv: needs 125000 GB of memory; "));
    CHECK(sentence.ends_with("); use a smaller file, or a part of it"));
  }
}

}  // namespace mlp
