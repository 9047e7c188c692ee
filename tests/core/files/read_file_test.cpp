// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/read_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "../../killed_writer.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::test {

namespace {

/// Leaves some address space to this process beside what it has.
void limit_address_space(double bytes) {
  const auto pages = mlp::detail::number_after(
      mlp::detail::read_small_file("/proc/self/statm"), "");
  const double used =
      pages.value() * static_cast<double>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_AS, &limit) == 0);
  limit.rlim_cur = static_cast<rlim_t>(used + bytes);
  REQUIRE(::setrlimit(RLIMIT_AS, &limit) == 0);
}

}  // namespace

TEST_SUITE("core/files/read_file") {
  TEST_CASE("shows the first bytes once, and ends if they are refused") {
    const std::string bytes(600'001, 'x');
    const ScratchFolder folder;
    const std::string file = folder.write("file", bytes);
    std::string start;
    const auto keep = [&](std::string_view first) { start += first; };
    const auto refuse = [](std::string_view) { throw DataError("f", "wrong"); };

    CHECK(read_file<DataError>(file, keep) == bytes);

    CHECK(start.size() > 0);
    CHECK(bytes.starts_with(start));
    CHECK_THROWS_WITH_AS(read_file<DataError>(file, refuse), "f: wrong",
                         DataError);
    CHECK(read_file<DataError>(folder.write("none", ""), refuse).empty());
  }

  TEST_CASE("reads every byte of a file") {
    const std::string bytes("a\0b\r\n\xFF", 6);
    const ScratchFolder folder;
    const std::string file = folder.write("file", bytes);

    CHECK(read_file<DataError>(file) == bytes);
  }

  TEST_CASE("reads an empty file as no bytes") {
    const ScratchFolder folder;
    const std::string file = folder.write("file", "");

    CHECK(read_file<DataError>(file).empty());
  }

  TEST_CASE("reads files of any size around the first guess") {
    for (const std::size_t size : {65535u, 65536u, 65537u, 200001u}) {
      const std::string bytes(size, 'x');
      const ScratchFolder folder;
      const std::string file = folder.write("file", bytes);

      CHECK(read_file<DataError>(file) == bytes);
    }
  }

  TEST_CASE("reads a pipe that states no size to its end") {
    const std::string bytes(300000, 'y');
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    std::thread writer([&] {
      std::size_t sent = 0;
      while (sent < bytes.size()) {
        const auto count =
            ::write(ends[1], bytes.data() + sent, bytes.size() - sent);
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
      }
      ::close(ends[1]);
    });

    const std::string received = read_descriptor<DataError>(ends[0], "pipe");

    writer.join();
    ::close(ends[0]);
    CHECK(received == bytes);
  }

  TEST_CASE("fills a buffer from a pipe that gives less at a time") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    std::thread writer([&] {
      for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
        if (::write(ends[1], &letter, 1) != 1) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      ::close(ends[1]);
    });
    std::string bytes(3, ' ');

    CHECK(read_full<DataError>(ends[0], "pipe", bytes.data(), 3) == 3);
    CHECK(bytes == "abc");
    CHECK(read_full<DataError>(ends[0], "pipe", bytes.data(), 3) == 2);
    CHECK(bytes == "dec");
    CHECK(read_full<DataError>(ends[0], "pipe", bytes.data(), 3) == 0);
    writer.join();
    ::close(ends[0]);
    CHECK_THROWS_WITH_AS(read_full<ModelError>(-1, "model", bytes.data(), 3),
                         "model: cannot be read: Bad file descriptor",
                         ModelError);
  }

  TEST_CASE("reports a missing file as the error type it was given") {
    CHECK_THROWS_WITH_AS(
        read_file<DataError>("/no/such/file"),
        "/no/such/file: cannot be opened: No such file or directory",
        DataError);
    CHECK_THROWS_AS(read_file<ModelError>("/no/such/file"), ModelError);
  }

  TEST_CASE("reports a folder in place of a file") {
    CHECK_THROWS_WITH_AS(read_file<DataError>("/"),
                         "/: cannot be read: Is a directory", DataError);
  }

  TEST_CASE("reports a closed descriptor") {
    CHECK_THROWS_WITH_AS(read_descriptor<ModelError>(-1, "model"),
                         "model: cannot be read: Bad file descriptor",
                         ModelError);
  }

  TEST_CASE("stops to read a device without an end before memory is full") {
    constexpr double kLeftBytes = 400e6;
    const bool is_refused = mlp::test::run_in_process([&] {
      limit_address_space(kLeftBytes);
      try {
        static_cast<void>(read_file<DataError>("/dev/zero"));
      } catch (const ResourceError& error) {
        const std::string_view text = error.what();
        if (text.starts_with("/dev/zero: needs ") &&
            text.find(" of memory; ") != text.npos) {
          return;
        }
      }
      throw DataError("read, or refused for another reason");
    });

    CHECK(is_refused);
  }

  TEST_CASE("tells a machine without memory or handles from a bad file") {
    CHECK_THROWS_WITH_AS(
        mlp::throw_file_error<DataError>("f", "opened", EMFILE),
        "f: cannot be opened: Too many open files", ResourceError);
    CHECK_THROWS_WITH_AS(mlp::throw_file_error<DataError>("f", "read", ENOMEM),
                         "f: cannot be read: Cannot allocate memory",
                         ResourceError);
  }
}

}  // namespace mlp::test
