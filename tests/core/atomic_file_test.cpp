// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/atomic_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "../../core/error.hpp"
#include "../../core/read_file.hpp"

namespace fs = std::filesystem;
using mlp::DataError;
using mlp::ResourceError;

namespace {

/// A directory of its own for one test case, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = fs::temp_directory_path() / "mlp-atomic-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const {
    return path_ / name;
  }
  [[nodiscard]] auto num_files() const {
    return std::distance(fs::directory_iterator(path_), {});
  }

 private:
  fs::path path_;
};

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

}  // namespace

TEST_SUITE("core/atomic_file") {
  TEST_CASE("writes a new file with every byte and leaves nothing beside it") {
    const Folder folder;
    const std::string content("a\0b\n", 4);

    write(folder.path("new"), content);

    CHECK(read(folder.path("new")) == content);
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("replaces a longer file and keeps none of it") {
    const Folder folder;
    write(folder.path("file"), std::string(1'000'000, 'x'));

    write(folder.path("file"), "short");

    CHECK(read(folder.path("file")) == "short");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("writes a file named without a directory") {
    const Folder folder;
    const fs::path old = fs::current_path();
    fs::current_path(folder.path(""));

    write("bare", "content");
    fs::current_path(old);

    CHECK(read(folder.path("bare")) == "content");
  }

  TEST_CASE("gives a new file the permissions that the umask leaves") {
    const Folder folder;
    const mode_t old = ::umask(027);

    write(folder.path("new"), "content");
    ::umask(old);

    CHECK(mode_of(folder.path("new")) == 0640);
  }

  TEST_CASE("keeps the permissions of a file that it replaces") {
    const Folder folder;
    for (const mode_t mode : {0600u, 0444u, 0666u, 0755u}) {
      write(folder.path("file"), "old");
      REQUIRE(::chmod(folder.path("file").c_str(), mode) == 0);

      write(folder.path("file"), "new");

      CHECK(mode_of(folder.path("file")) == mode);
      CHECK(read(folder.path("file")) == "new");
    }
  }

  TEST_CASE("follows a chain of symbolic links and keeps them") {
    const Folder folder;
    fs::create_directory(folder.path("inner"));
    write(folder.path("inner/file"), "old");
    fs::create_symlink("inner/second", folder.path("first"));
    fs::create_symlink(folder.path("inner/file"), folder.path("inner/second"));

    write(folder.path("first"), "new");

    CHECK(fs::is_symlink(folder.path("first")));
    CHECK(fs::is_symlink(folder.path("inner/second")));
    CHECK(read(folder.path("inner/file")) == "new");
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE("makes the file that a dangling link names") {
    const Folder folder;
    fs::create_symlink("absent", folder.path("link"));

    write(folder.path("link"), "new");

    CHECK(fs::is_symlink(folder.path("link")));
    CHECK(read(folder.path("absent")) == "new");
  }

  TEST_CASE("refuses links that lead in a circle") {
    const Folder folder;
    fs::create_symlink("b", folder.path("a"));
    fs::create_symlink("a", folder.path("b"));

    CHECK_THROWS_WITH_AS(
        write(folder.path("a"), "new"),
        (folder.path("a") + ": cannot be written: Too many levels of symbolic"
                            " links")
            .c_str(),
        DataError);
  }

  TEST_CASE("writes a device directly and leaves it a device") {
    write("/dev/null", "content");

    CHECK(fs::is_character_file("/dev/null"));
  }

  TEST_CASE("writes a pipe to its end") {
    const Folder folder;
    REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
    const std::string content(200'000, 'x');  // more than a pipe holds
    std::string received;

    std::thread reader([&] { received = read(folder.path("pipe")); });
    write(folder.path("pipe"), content);
    reader.join();

    CHECK(received == content);
    CHECK(fs::is_fifo(folder.path("pipe")));
  }

  TEST_CASE("calls a full device a lack of resources") {
    CHECK_THROWS_WITH_AS(
        write("/dev/full", "content"),
        "/dev/full: cannot be written: No space left on device", ResourceError);
  }

  TEST_CASE("refuses a directory") {
    const Folder folder;

    CHECK_THROWS_WITH_AS(
        write(folder.path(""), "content"),
        (folder.path("") + ": cannot be written: Is a directory").c_str(),
        DataError);
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE("refuses a directory that is missing and names it") {
    const Folder folder;

    CHECK_THROWS_WITH_AS(write(folder.path("no/file"), "content"),
                         (folder.path("no/file") +
                          ": cannot be written: no file can be made in " +
                          folder.path("no") + ": No such file or directory")
                             .c_str(),
                         DataError);
    CHECK(folder.num_files() == 0);
  }

  TEST_CASE("refuses a path below a file") {
    const Folder folder;
    write(folder.path("file"), "old");

    CHECK_THROWS_WITH_AS(
        write(folder.path("file/below"), "content"),
        (folder.path("file/below") + ": cannot be written: Not a directory")
            .c_str(),
        DataError);
  }

  TEST_CASE("refuses an empty path") {
    CHECK_THROWS_WITH_AS(write("", "content"),
                         ": cannot be written: No such file or directory",
                         DataError);
  }

  TEST_CASE("keeps the old file where the new one does not fit") {
    const Folder folder;
    write(folder.path("file"), "old");
    const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
    std::string sentence;

    {
      const LowLimit limit(RLIMIT_FSIZE, 10'000);  // a short write, then none
      try {
        write(folder.path("file"), std::string(1'000'000, 'x'));
      } catch (const ResourceError& error) {
        sentence = error.what();
      }
    }
    ::signal(SIGXFSZ, old_handler);

    CHECK(sentence ==
          folder.path("file") + ": cannot be written: File too large");
    CHECK(read(folder.path("file")) == "old");
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("keeps the old file where file handles end") {
    const Folder folder;
    write(folder.path("file"), "old");
    std::string sentence;

    {
      const LowLimit limit(RLIMIT_NOFILE, 0);
      try {
        write(folder.path("file"), "new");
      } catch (const ResourceError& error) {
        sentence = error.what();
      }
    }

    CHECK(sentence ==
          folder.path("file") + ": cannot be written: no file can be made in " +
              folder.path("").substr(0, folder.path("").size() - 1) +
              ": Too many open files");
    CHECK(read(folder.path("file")) == "old");
  }

  TEST_CASE("gives readers the old or the new content and nothing else") {
    const Folder folder;
    const std::string old(100'000, 'o');
    const std::string next(150'000, 'n');
    write(folder.path("file"), old);

    std::thread writer([&] {
      for (int i = 0; i < 20; ++i)
        write(folder.path("file"), i % 2 ? old : next);
    });
    bool is_whole = true;
    for (int i = 0; i < 200; ++i) {
      const std::string seen = read(folder.path("file"));
      is_whole = is_whole && (seen == old || seen == next);
    }
    writer.join();

    CHECK(is_whole);
  }
}
