// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/file_replacement.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <random>
#include <string>

#include "../../../core/error.hpp"
#include "../../../core/files/read_file.hpp"
#include "../../killed_writer.hpp"
#include "../../scratch_folder.hpp"

namespace fs = std::filesystem;
using mlp::DataError;
using mlp::test::ScratchFolder;
using Replacement = mlp::FileReplacement<DataError>;

namespace {

std::string read(const std::string& path) {
  return mlp::read_file<DataError>(path);
}

void replace(const std::string& path, const std::string& content,
             const std::string& old_suffix = "") {
  Replacement replacement(path);
  replacement.write(content);
  replacement.take_place(old_suffix);
}

}  // namespace

TEST_SUITE("core/files/file_replacement") {
  TEST_CASE("replaces the file when it takes its place and not before") {
    const ScratchFolder folder;
    const std::string path = folder.write("file", "old");

    Replacement replacement(path);
    replacement.write("n");
    replacement.write("ew");

    CHECK(read(path) == "old");
    replacement.take_place();
    CHECK(read(path) == "new");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("leaves nothing behind if it never takes its place") {
    const ScratchFolder folder;
    const std::string path = folder.write("file", "old");

    { Replacement(path).write("new"); }

    CHECK(read(path) == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("keeps the old file under its name with a suffix") {
    const ScratchFolder folder;

    replace(folder / "file", "first", ".previous");
    CHECK(folder.num_files() == 1);
    replace(folder / "file", "second", ".previous");
    replace(folder / "file", "third", ".previous");

    CHECK(read(folder / "file") == "third");
    CHECK(read(folder / "file.previous") == "second");
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE("keeps the permissions where it keeps the old file") {
    const ScratchFolder folder;
    const std::string path = folder.write("file", "old");
    REQUIRE(::chmod(path.c_str(), 0600) == 0);

    replace(path, "new", ".previous");

    CHECK(fs::status(path).permissions() == fs::perms(0600));
  }

  TEST_CASE("keeps the old file beside the target of a link") {
    const ScratchFolder folder;
    fs::create_directory(folder / "inner");
    folder.write("inner/file", "old");
    fs::create_symlink("inner/file", folder / "link");

    replace(folder / "link", "new", ".previous");

    CHECK(fs::is_symlink(folder / "link"));
    CHECK(read(folder / "inner/file") == "new");
    CHECK(read(folder / "inner/file.previous") == "old");
    CHECK_FALSE(fs::exists(folder / "link.previous"));
  }

  TEST_CASE("leaves both files as they are if the old one cannot be kept") {
    const ScratchFolder folder;
    const std::string path = folder.write("file", "old");
    fs::create_directory(path + ".previous");

    CHECK_THROWS_WITH_AS(replace(path, "new", ".previous"),
                         (path +
                          ": cannot be written: the old file cannot be "
                          "renamed to " +
                          path + ".previous: Is a directory")
                             .c_str(),
                         DataError);
    CHECK(read(path) == "old");
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE("refuses a pipe and leaves it where it is") {
    const ScratchFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    CHECK_THROWS_WITH_AS(
        replace(folder / "pipe", "new", ".previous"),
        (folder / "pipe" + ": cannot be replaced: it is a device or a pipe; "
                           "expected a regular file; name another file")
            .c_str(),
        DataError);
    CHECK(fs::is_fifo(folder / "pipe"));
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE(
      "leaves a whole file after 200 kills, and the next write cleans up") {
    constexpr int kNumKills = 200;
    const ScratchFolder folder;
    const std::string contents[] = {std::string(50'000, 'a'),
                                    std::string(70'000, 'b')};
    const std::string path = folder.write("file", contents[0]);
    std::mt19937 random(11);

    int num_whole = 0;
    for (int i = 0; i < kNumKills; ++i) {
      mlp::test::kill_while_writing(
          [&](int call) { replace(path, contents[call % 2]); }, random);
      const std::string seen = read(path);
      num_whole += seen == contents[0] || seen == contents[1] ? 1 : 0;
    }
    const bool is_written = mlp::test::run_in_process(
        [&] { replace(folder / "other", contents[0]); });

    CHECK(num_whole == kNumKills);
    CHECK(is_written);
    CHECK(folder.num_files() == 2);
  }
}
