// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../datasets/reading/text_file.hpp"

namespace mlp::datasets::detail {

namespace {

std::vector<std::string> texts_of(const std::vector<TextPiece>& pieces) {
  std::vector<std::string> texts;
  for (const TextPiece& piece : pieces) texts.emplace_back(piece.text);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_SUITE("datasets/reading/text_pieces") {
  TEST_CASE("cuts behind the first line end that makes a piece large enough") {
    CHECK(texts_of(cut_at_lines("ab\nc\ndefgh\ni", 3)) ==
          Texts{"ab\n", "c\ndefgh\n", "i"});
    CHECK(texts_of(cut_at_lines("ab\ncd\n", 4)) == Texts{"ab\ncd\n"});
    CHECK(texts_of(cut_at_lines("abc", 1)) == Texts{"abc"});
    CHECK(texts_of(cut_at_lines("\n\n", 1)) == Texts{"\n", "\n"});
    CHECK(cut_at_lines("", 1).empty());
  }

  TEST_CASE("numbers the lines of each piece") {
    ThreadPool pool(2);

    const auto pieces = make_pieces("ab\nc\ndefgh\ni", "f", pool, 3);

    REQUIRE(pieces.size() == 3);
    CHECK(pieces[0].first_line == 1);
    CHECK(pieces[1].first_line == 2);
    CHECK(pieces[1].num_lines == 2);
    CHECK(pieces[2].first_line == 4);
    CHECK(pieces[2].end_line() == 5);
    CHECK(count_lines(pieces) == 4);
    CHECK(count_lines({}) == 0);
  }

  TEST_CASE("refuses a NUL byte with the line that it has in the whole text") {
    ThreadPool pool(2);
    const std::string text("a\nb\nc\n1\0002\n", 10);

    CHECK_THROWS_WITH_AS(
        make_pieces(text, "f", pool, 2),
        "f:4:2: there is a NUL byte; expected text in UTF-8, got a binary file "
        "or UTF-16",
        DataError);
  }
}

}  // namespace mlp::datasets::detail
