// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/folder_replacement.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <string>

#include "../../../core/error.hpp"
#include "../../../core/files/read_file.hpp"
#include "../../killed_writer.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace fs = std::filesystem;
using namespace mlp;
using mlp::test::ScratchFolder;
using Replacement = mlp::FolderReplacement<DataError>;

namespace {

/// The error that renameat2() has; 0 for none.
int rename_error = 0;

const ReplacedFolder kAnyFolder{true, ""};

}  // namespace

/// Takes the place of the call of the C library, to emulate a file system that
/// cannot exchange names.
extern "C" int renameat2(int from_folder, const char* from, int to_folder,
                         const char* to, unsigned flags) noexcept {
  if (rename_error != 0) {
    errno = rename_error;
    return -1;
  }
  return static_cast<int>(
      ::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

namespace {

class RenameError {
 public:
  explicit RenameError(int number) { rename_error = number; }
  ~RenameError() { rename_error = 0; }
  RenameError(const RenameError&) = delete;
  RenameError& operator=(const RenameError&) = delete;
};

std::string read(const std::string& path) {
  return mlp::read_file<DataError>(path);
}

/// Writes a folder with two files of the same content.
void replace(const std::string& path, const std::string& content,
             const ReplacedFolder& replaced = kAnyFolder) {
  Replacement replacement(path, replaced);
  replacement.write("data/one", content);
  replacement.write("two", content);
  replacement.take_place();
}

template <typename Exception>
std::string refusal(const std::string& path,
                    const ReplacedFolder& replaced = kAnyFolder) {
  return mlp::test::thrown_message<Exception>(
      [&] { replace(path, "new", replaced); });
}

/// Returns the content of both files, or "damaged".
std::string content_of(const std::string& path) {
  if (!fs::exists(path + "/data/one") || !fs::exists(path + "/two")) {
    return "damaged";
  }
  const std::string content = read(path + "/two");
  return read(path + "/data/one") == content ? content : "damaged";
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777u;
}

}  // namespace

TEST_SUITE("core/files/folder_replacement") {
  TEST_CASE("makes a new folder when it takes its place and not before") {
    const ScratchFolder folder;
    const mode_t old = ::umask(027);
    {
      Replacement replacement(folder / "model/", {});
      replacement.write("a/b/c", "content");
      CHECK_FALSE(fs::exists(folder / "model"));
      replacement.take_place();
    }
    ::umask(old);

    CHECK(read(folder / "model/a/b/c") == "content");
    CHECK(mode_of(folder / "model") == 0750);
    CHECK(mode_of(folder / "model/a/b/c") == 0640);
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("replaces a folder with or without an exchange of names") {
    for (const int error_number : {0, EINVAL, ENOSYS}) {
      const RenameError guard(error_number);
      const ScratchFolder folder;
      replace(folder / "model", "old");
      folder.write("model/other", "of the old version");
      REQUIRE(::chmod((folder / "model").c_str(), 0700) == 0);

      replace(folder / "model", "new");

      CHECK(content_of(folder / "model") == "new");
      CHECK_FALSE(fs::exists(folder / "model/other"));
      CHECK(mode_of(folder / "model") == 0700);
      CHECK(folder.num_files() == 1);
    }
  }

  TEST_CASE("lets only its owner read the new version before its place") {
    const ScratchFolder folder;
    const Replacement replacement(folder / "model", {});

    for (const auto& entry : fs::directory_iterator(folder.path())) {
      CHECK(mode_of(entry.path()) == 0700);
    }
  }

  TEST_CASE("leaves nothing behind if it never takes its place") {
    const ScratchFolder folder;
    replace(folder / "model", "old");

    Replacement(folder / "model", kAnyFolder).write("a/b", "new");

    CHECK(content_of(folder / "model") == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("replaces the target of a link and keeps the link") {
    const ScratchFolder folder;
    fs::create_directory(folder / "inner");
    fs::create_symlink("inner/model", folder / "link");

    for (const std::string content : {"first", "second"}) {
      replace(folder / "link", content);

      CHECK(fs::is_symlink(folder / "link"));
      CHECK(content_of(folder / "inner/model") == content);
      CHECK(folder.num_files() == 2);
    }
  }

  TEST_CASE("refuses a folder that exists, or that lacks the marker") {
    const ScratchFolder folder;
    fs::create_directory(folder / "empty");
    replace(folder / "model", "old");

    CHECK(refusal<DataError>(folder / "model", {}) ==
          (folder / "model" +
           ": exists; choose another folder, or allow to overwrite it"));
    for (const std::string name : {"model", "empty", "."}) {
      CHECK(refusal<DataError>(folder / name, {true, "metadata"}) ==
            (folder / name +
             ": exists and is not what would replace it; choose "
             "another folder, or remove it first"));
    }
    CHECK_NOTHROW(replace(folder / "model", "new", {true, "data"}));
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE("refuses files, pipes, devices and what is in a file") {
    const ScratchFolder folder;
    const std::string file = folder.write("file", "old");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    for (const std::string& path :
         {file, folder / "pipe", std::string("/dev/null"), folder / "file/m"}) {
      CHECK(refusal<ResourceError>(path) ==
            (path + ": cannot be written: Not a directory"));
    }
    CHECK(refusal<ResourceError>(folder / "none/model") ==
          (folder / "none/model" +
           ": cannot be written: no folder can be created in " +
           (folder / "none") + ": No such file or directory"));
    CHECK(refusal<ResourceError>("") ==
          ": cannot be written: No such file or directory");
    CHECK(read(file) == "old");
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE("keeps the old version if a call fails") {
    const ScratchFolder folder;
    replace(folder / "model", "old");
    const RenameError guard(EIO);

    CHECK(refusal<ResourceError>(folder / "model") ==
          (folder / "model" + ": cannot be written: Input/output error"));
    CHECK_THROWS_AS(replace(folder / "other", "new"), ResourceError);

    CHECK(content_of(folder / "model") == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("keeps the old version where the new one does not fit") {
    const ScratchFolder folder;
    replace(folder / "model", "old");
    const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const rlimit low{10'000, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &low);
    const std::string sentence = mlp::test::thrown_message<ResourceError>(
        [&] { replace(folder / "model", std::string(1'000'000, 'x')); });
    ::setrlimit(RLIMIT_FSIZE, &old);
    ::signal(SIGXFSZ, old_handler);

    CHECK(sentence == folder / "model" + ": cannot be written: File too large");
    CHECK(content_of(folder / "model") == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("puts the old version back if the second of two renames fails") {
    const ScratchFolder folder;
    replace(folder / "model", "old");
    fs::create_directory(folder / "kept");

    CHECK_THROWS_WITH_AS(
        mlp::detail::swap_by_two_renames(folder / "none", folder / "model",
                                         folder / "kept/model", "model"),
        "model: cannot be written: No such file or directory", ResourceError);
    CHECK(content_of(folder / "model") == "old");
    CHECK(fs::is_empty(folder / "kept"));
  }

  TEST_CASE("refuses a file that it wrote already") {
    const ScratchFolder folder;
    Replacement replacement(folder / "model", {});
    replacement.write("file", "first");

    CHECK_THROWS_WITH_AS(
        replacement.write("file", "second"),
        (folder / "model" + ": cannot be written: File exists").c_str(),
        ResourceError);
  }

  TEST_CASE(
      "leaves a whole folder after 100 kills, and the next write cleans up") {
    constexpr int kNumKills = 100;
    const std::string contents[] = {std::string(5'000, 'a'),
                                    std::string(7'000, 'b')};
    for (const int error_number : {0, EINVAL}) {
      const RenameError guard(error_number);
      const ScratchFolder folder;
      const std::string path = folder / "model";
      // A process looks once for what others left.
      REQUIRE(mlp::test::run_in_process([&] { replace(path, contents[0]); }));
      std::mt19937 random(11);

      int num_whole = 0;
      for (int i = 0; i < kNumKills; ++i) {
        mlp::test::kill_while_writing(
            [&](int call) { replace(path, contents[call % 2]); }, random);
        // Another process finds what the killed one left.
        REQUIRE(mlp::test::run_in_process(
            [&] { const Replacement next(folder / "other", {}); }));
        const std::string found = content_of(path);
        num_whole += found == contents[0] || found == contents[1];
      }

      CHECK(num_whole == kNumKills);
      CHECK(folder.num_files() == 1);
    }
  }
}
