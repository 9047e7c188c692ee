// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/text_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>

namespace mlp::datasets::detail {

TEST_SUITE("datasets/reading/text_lines") {
  TEST_CASE("takes off a byte order mark and nothing else") {
    CHECK(without_byte_order_mark("\xEF\xBB\xBF"
                                  "1,2") == "1,2");
    CHECK(without_byte_order_mark("1,2") == "1,2");
    CHECK(without_byte_order_mark("\xEF\xBB") == "\xEF\xBB");
    CHECK(without_byte_order_mark("").empty());
  }

  TEST_CASE("counts lines with and without an end") {
    CHECK(count_lines_checked("", "f") == 0);
    CHECK(count_lines_checked("a", "f") == 1);
    CHECK(count_lines_checked("a\n", "f") == 1);
    CHECK(count_lines_checked("a\n\nb", "f") == 3);
  }

  TEST_CASE("counts the lines of texts of every size around a block") {
    std::mt19937_64 random(1);

    for (const std::size_t size :
         {std::size_t{63}, std::size_t{64}, std::size_t{65}, kScanBytes - 1,
          kScanBytes, kScanBytes + 1, 3 * kScanBytes + 7}) {
      std::string text(size, 'x');
      for (char& byte : text) byte = random() % 3 == 0 ? '\n' : '\xFF';
      text.back() = 'x';
      const auto expected = std::count(text.begin(), text.end(), '\n') + 1;

      CHECK(scan_lines(text).num_lines == static_cast<std::size_t>(expected));
      CHECK_FALSE(scan_lines(text).is_suspect);
      text[random() % size] = '\0';
      CHECK(scan_lines(text).is_suspect);
    }
  }

  TEST_CASE("counts line ends without anything between") {
    const std::string text(3 * kScanBytes + 5, '\n');

    CHECK(scan_lines(text).num_lines == text.size());
  }

  TEST_CASE("accepts the longest line and refuses one byte more") {
    const std::string longest(kMaxLineBytes, 'x');

    CHECK(count_lines_checked("a\n" + longest + "\nb", "f") == 3);
    CHECK_THROWS_WITH_AS(
        count_lines_checked("a\n" + longest + "xy", "f"),
        "f:2:16777217: the line is too long; expected at most 16777216 bytes, "
        "got 16777218",
        DataError);
  }

  TEST_CASE("refuses a NUL byte and says where it is") {
    CHECK_THROWS_WITH_AS(
        count_lines_checked(std::string("1,2\n3,\0004", 7), "f"),
        "f:2:3: there is a NUL byte; expected text in UTF-8, got a binary file "
        "or UTF-16",
        DataError);
  }
}

}  // namespace mlp::datasets::detail
