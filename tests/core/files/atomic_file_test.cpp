// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/atomic_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "../../../core/error.hpp"
#include "../../../core/files/read_file.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace fs = std::filesystem;
using mlp::DataError;
using mlp::ResourceError;
using mlp::test::InFolder;

namespace {

/// Lowers a limit of this process for the length of a scope.
class LowLimit {
 public:
  LowLimit(decltype(RLIMIT_FSIZE) resource, rlim_t value)
      : resource_(resource) {
    ::getrlimit(resource_, &old_);
    const rlimit low{value, old_.rlim_max};
    ::setrlimit(resource_, &low);
  }
  ~LowLimit() { ::setrlimit(resource_, &old_); }
  LowLimit(const LowLimit&) = delete;
  LowLimit& operator=(const LowLimit&) = delete;

 private:
  decltype(RLIMIT_FSIZE) resource_;
  rlimit old_{};
};

void write(const std::string& path, std::string_view content) {
  mlp::write_atomically<DataError>(path, content);
}

std::string read(const std::string& path) {
  return mlp::read_file<DataError>(path);
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777u;
}

std::string refusal(const std::string& path, std::string_view content) {
  return mlp::test::thrown_message<DataError>([&] { write(path, content); });
}

}  // namespace

TEST_SUITE("core/files/atomic_file") {
  TEST_CASE_FIXTURE(
      InFolder,
      "writes a new file with every byte and leaves nothing beside it") {
    const std::string content("a\0b\n", 4);

    write(folder / "new", content);

    CHECK(read(folder / "new") == content);
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder, "writes pieces one after another") {
    mlp::write_pieces_atomically<DataError>(folder / "new",
                                            [](const auto& write) {
                                              write("first ");
                                              write("second");
                                            });

    CHECK(read(folder / "new") == "first second");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "keeps the old file if a later piece cannot be made") {
    write(folder / "file", "old");

    const auto fail = [&] {
      mlp::write_pieces_atomically<DataError>(
          folder / "file", [](const auto& piece) {
            piece("new");
            throw mlp::DataError("line 2 is wrong");
          });
    };

    CHECK_THROWS_WITH_AS(fail(), "line 2 is wrong", DataError);
    CHECK(read(folder / "file") == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder, "replaces a longer file and keeps none of it") {
    write(folder / "file", std::string(1'000'000, 'x'));

    write(folder / "file", "short");

    CHECK(read(folder / "file") == "short");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder, "writes a file named without a directory") {
    const fs::path old = fs::current_path();
    fs::current_path(folder / "");

    write("bare", "content");
    fs::current_path(old);

    CHECK(read(folder / "bare") == "content");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "gives a new file the permissions that the umask leaves") {
    const mode_t old = ::umask(027);

    write(folder / "new", "content");
    ::umask(old);

    CHECK(mode_of(folder / "new") == 0640);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "keeps the permissions of a file that it replaces") {
    for (const mode_t mode : {0600u, 0444u, 0666u, 0755u}) {
      write(folder / "file", "old");
      REQUIRE(::chmod((folder / "file").c_str(), mode) == 0);

      write(folder / "file", "new");

      CHECK(mode_of(folder / "file") == mode);
      CHECK(read(folder / "file") == "new");
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "follows a chain of symbolic links and keeps them") {
    fs::create_directory(folder / "inner");
    write(folder / "inner/file", "old");
    fs::create_symlink("inner/second", folder / "first");
    fs::create_symlink(folder / "inner/file", folder / "inner/second");

    write(folder / "first", "new");

    CHECK(fs::is_symlink(folder / "first"));
    CHECK(fs::is_symlink(folder / "inner/second"));
    CHECK(read(folder / "inner/file") == "new");
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE_FIXTURE(InFolder, "makes the file that a dangling link names") {
    fs::create_symlink("absent", folder / "link");

    write(folder / "link", "new");

    CHECK(fs::is_symlink(folder / "link"));
    CHECK(read(folder / "absent") == "new");
  }

  TEST_CASE_FIXTURE(InFolder, "refuses links that lead in a circle") {
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");

    CHECK(refusal(folder / "a", "new") ==
          (folder / "a" + ": cannot be written: Too many levels of symbolic"
                          " links"));
  }

  TEST_CASE("writes a device directly and leaves it a device") {
    write("/dev/null", "content");

    CHECK(fs::is_character_file("/dev/null"));
  }

  TEST_CASE_FIXTURE(InFolder, "writes a pipe to its end") {
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const std::string content(200'000, 'x');  // more than a pipe holds
    std::string received;

    std::thread reader([&] { received = read(folder / "pipe"); });
    write(folder / "pipe", content);
    reader.join();

    CHECK(received == content);
    CHECK(fs::is_fifo(folder / "pipe"));
  }

  TEST_CASE("calls a full device a lack of resources") {
    CHECK_THROWS_WITH_AS(
        write("/dev/full", "content"),
        "/dev/full: cannot be written: No space left on device", ResourceError);
  }

  TEST_CASE_FIXTURE(InFolder, "refuses a directory") {
    CHECK(refusal(folder / "", "content") ==
          (folder / "" + ": cannot be written: Is a directory"));
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses a directory that is missing and names it") {
    CHECK(refusal(folder / "no/file", "content") ==
          (folder / "no/file" +
           ": cannot be written: no file can be created in " + folder / "no" +
           ": No such file or directory"));
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE_FIXTURE(InFolder, "refuses a path below a file") {
    write(folder / "file", "old");

    CHECK(refusal(folder / "file/below", "content") ==
          (folder / "file/below" + ": cannot be written: Not a directory"));
  }

  TEST_CASE("refuses an empty path") {
    CHECK(refusal("", "content") ==
          "cannot be written: No such file or directory");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "keeps the old file where the new one does not fit") {
    write(folder / "file", "old");
    const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
    std::string sentence;

    {
      const LowLimit limit(RLIMIT_FSIZE, 10'000);  // a short write, then none
      sentence = mlp::test::thrown_message<ResourceError>(
          [&] { write(folder / "file", std::string(1'000'000, 'x')); });
    }
    ::signal(SIGXFSZ, old_handler);

    CHECK(sentence == folder / "file" + ": cannot be written: File too large");
    CHECK(read(folder / "file") == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder, "keeps the old file where file handles end") {
    write(folder / "file", "old");
    std::string sentence;

    {
      const LowLimit limit(RLIMIT_NOFILE, 0);
      sentence = mlp::test::thrown_message<ResourceError>(
          [&] { write(folder / "file", "new"); });
    }

    CHECK(sentence == folder / "file" +
                          ": cannot be written: no file can be created in " +
                          folder.path() + ": Too many open files");
    CHECK(read(folder / "file") == "old");
  }

  TEST_CASE("replaces no device") {
    CHECK_THROWS_WITH_AS(
        mlp::replace_file<DataError>("/dev/null", "content"),
        "/dev/null: cannot be replaced: it is a device or a pipe; expected a "
        "regular file; name another file",
        DataError);
    CHECK(fs::is_character_file("/dev/null"));
  }

  TEST_CASE_FIXTURE(
      InFolder, "checks that a file can be replaced and leaves it as it is") {
    write(folder / "file", "old");

    mlp::check_replaceable<DataError>(folder / "file");
    mlp::check_replaceable<DataError>(folder / "new");

    CHECK(read(folder / "file") == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder, "finds by a check that no byte can be written") {
    const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
    std::string sentence;

    {
      const LowLimit limit(RLIMIT_FSIZE, 0);
      sentence = mlp::test::thrown_message<ResourceError>(
          [&] { mlp::check_replaceable<DataError>(folder / "file"); });
    }
    ::signal(SIGXFSZ, old_handler);

    CHECK(sentence == folder / "file" + ": cannot be written: File too large");
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE_FIXTURE(
      InFolder, "gives readers the old or the new content and nothing else") {
    const std::string old(100'000, 'o');
    const std::string next(150'000, 'n');
    write(folder / "file", old);

    std::thread writer([&] {
      for (int i = 0; i < 20; ++i) write(folder / "file", i % 2 ? old : next);
    });
    bool is_whole = true;
    for (int i = 0; i < 200; ++i) {
      const std::string seen = read(folder / "file");
      is_whole = is_whole && (seen == old || seen == next);
    }
    writer.join();

    CHECK(is_whole);
  }
}
