// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/standard_input.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include "../../scratch_folder.hpp"

namespace mlp::datasets::detail {

namespace {

/// Calls a function for the end of a pipe into which another thread writes a text.
template <typename F>
auto read_input(const std::string& text, const F& read) {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written =
          ::write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) break;
      at += static_cast<std::size_t>(written);
    }
    ::close(ends[1]);
  });
  const auto finish = [&] {
    std::string rest;
    while (read_more(ends[0], 1 << 20, rest)) rest.clear();
    writer.join();
    ::close(ends[0]);
  };
  try {
    auto result = read(ends[0]);
    finish();
    return result;
  } catch (...) {
    finish();
    throw;
  }
}

std::shared_ptr<StandardInput> take(const std::string& text,
                                    const StoreRule& rule) {
  return read_input(text, [&](int descriptor) {
    return take_standard_input(rule, descriptor, 1e5);
  });
}

}  // namespace

TEST_SUITE("datasets/load/standard_input") {
  TEST_CASE("a small input stays in memory, and a large one goes to a file") {
    const test::ScratchFolder folder;
    const std::string text(9 << 20, 'x');

    const auto small = take("x", {folder.path(), 1e6});
    const auto large = take(text, {folder.path(), 1e6});

    CHECK(small->file == nullptr);
    REQUIRE(large->file != nullptr);
    CHECK(large->file->size() == text.size());
    CHECK(take_bytes(*large) == text);
    CHECK(take_bytes(*small) == "x");
  }

  TEST_CASE("without a disk, input stays in memory unless a size is given") {
    const std::string text(9 << 20, 'x');
    for (const char* const folder : {"/none", "/dev/shm"}) {
      CAPTURE(folder);

      const auto input = take(text, {folder, 0.0});

      CHECK(input->file == nullptr);
      const bool is_same = input->bytes == text;
      CHECK(is_same);
      CHECK_THROWS_AS(take(text, {folder, 1e6}), ResourceError);
    }
  }

  TEST_CASE("what a full disk took is read back into memory") {
    const test::ScratchFolder folder;
    std::string text;
    for (int i = 0; text.size() < (11U << 20); ++i) text += std::to_string(i);
    rlimit old{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
    const rlimit low{6 << 20, old.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &low) == 0);

    const auto input = take(text, {folder.path(), 0.0});

    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    CHECK(input->file == nullptr);
    const bool is_same = input->bytes == text;
    CHECK(is_same);
  }
}

}  // namespace mlp::datasets::detail
