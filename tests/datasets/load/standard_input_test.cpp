// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/standard_input.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "../../scratch_folder.hpp"

namespace mlp::datasets::detail {

namespace {

std::shared_ptr<StandardInput> take(const std::string& text,
                                    const StoreRule& rule) {
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
  const auto input = take_standard_input(rule, ends[0]);
  writer.join();
  ::close(ends[0]);
  return input;
}

}  // namespace

TEST_SUITE("datasets/load/standard_input") {
  TEST_CASE("a small input stays in memory, and a large one goes to a file") {
    const test::ScratchFolder folder;
    const std::string text(9 << 20, 'x');

    const auto small = take(text, {folder.path(), 1e9});
    const auto large = take(text, {folder.path(), 1e6});

    CHECK(small->file == nullptr);
    REQUIRE(large->file != nullptr);
    CHECK(large->file->size() == text.size());
    CHECK(take_bytes(*large) == text);
    CHECK(take_bytes(*small) == text);
  }
}

}  // namespace mlp::datasets::detail
