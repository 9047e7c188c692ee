// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/unlinked_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp {

namespace {

std::string text_of(const UnlinkedFile& file, std::uint64_t offset,
                    std::size_t size) {
  std::string text(size, ' ');
  file.read(offset, text.data(), size);
  return text;
}

/// Lets the process write files of at most some bytes, as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    struct rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  struct rlimit before_ {};
  void (*handler_)(int) = nullptr;
};

}  // namespace

TEST_SUITE("core/files/unlinked_file") {
  TEST_CASE("reads what was written") {
    const test::ScratchFolder folder;
    UnlinkedFile file(folder.path());

    file.append("hello ", 6);
    file.append("world", 5);

    CHECK(file.size() == 11);
    CHECK(text_of(file, 4, 5) == "o wor");
    file.expect_read(0, 11);
  }

  TEST_CASE("the folder stays empty") {
    const test::ScratchFolder folder;
    UnlinkedFile file(folder.path());
    file.append("x", 1);

    CHECK(std::filesystem::is_empty(folder.path()));
  }

  TEST_CASE("refuses a folder that is not there, or in memory") {
    CHECK(test::thrown_message<ResourceError>(
              [] { const UnlinkedFile file("/nowhere/at/all"); }) ==
          "/nowhere/at/all: a file cannot be made there: No such file or "
          "directory");
    if (!std::filesystem::exists("/dev/shm")) return;
    CHECK(test::thrown_message<ResourceError>([] {
            UnlinkedFile("/dev/shm").require_disk();
          }).find("is in memory (tmpfs)") != std::string::npos);
  }

  TEST_CASE("refuses a size for which the disk has no room") {
    const test::ScratchFolder folder;
    const UnlinkedFile file(folder.path());

    file.require_room(1.0);
    CHECK(test::thrown_message<ResourceError>([&] {
            file.require_room(1e18);
          }).find("free; expected ") != std::string::npos);
  }

  TEST_CASE("says why bytes cannot be written, and keeps those before") {
    const test::ScratchFolder folder;
    UnlinkedFile file(folder.path());
    file.append("12345678", 8);
    const FileSizeLimit limit(8);

    CHECK(test::thrown_message<ResourceError>([&] {
            file.append("9", 1);
          }).find("a file cannot be written: File too large") !=
          std::string::npos);
    CHECK(text_of(file, 0, 8) == "12345678");
  }

  TEST_CASE("says that bytes are not there") {
    const test::ScratchFolder folder;
    UnlinkedFile file(folder.path());
    file.append("12", 2);

    CHECK(test::thrown_message<ResourceError>([&] {
            static_cast<void>(text_of(file, 1, 2));
          }).find("became shorter; expected 2 bytes, got 2") !=
          std::string::npos);
  }
}

}  // namespace mlp
