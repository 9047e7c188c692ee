// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/reading/text_file.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../core/thread_pool.hpp"

using namespace mlp::datasets;

TEST_SUITE("datasets/reading/text_file") {
  TEST_CASE("counts the lines before each file, without byte order marks") {
    const std::vector<TextFile> files{{"a.csv",
                                       "\xEF\xBB\xBF"
                                       "1\n2\n3"},
                                      {"b.csv", ""},
                                      {"c.csv", "4\n"}};
    mlp::ThreadPool pool(1);

    const auto in_pieces = detail::make_pieces(files, pool);

    CHECK(detail::count_bytes(files) == 7);
    CHECK(in_pieces[0].text == "1\n2\n3");
    CHECK(in_pieces[1].source.lines_before == 3);
    CHECK(in_pieces[2].source.lines_before == 3);
    CHECK(detail::source_files(in_pieces).size() == 3);
  }

  TEST_CASE("names no files if there is only one") {
    const std::vector<TextFile> files{{"a.csv", "1\n"}};
    mlp::ThreadPool pool(1);

    CHECK(detail::source_files(detail::make_pieces(files, pool)).empty());
  }
}
