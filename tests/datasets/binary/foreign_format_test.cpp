// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/binary/foreign_format.hpp"

#include <doctest/doctest.h>

#include <string_view>

using mlp::datasets::detail::find_foreign_format;
using namespace std::string_view_literals;

TEST_SUITE("datasets/binary/foreign_format") {
  TEST_CASE("names the command that decompresses a file") {
    const auto xz = find_foreign_format("\xFD\x37zXZ\0\0\4"sv);

    REQUIRE(xz.has_value());
    CHECK(xz->name == "a file compressed by xz");
    CHECK(xz->advice("f.csv.xz") ==
          "; decompress it: xz -dc f.csv.xz writes the data, and - reads them "
          "from standard input");
    CHECK(find_foreign_format("\x28\xB5\x2F\xFD\0"sv)->command == "zstd -dc");
    CHECK(find_foreign_format("BZh91AY&SY..."sv)->command == "bzip2 -dc");
  }

  TEST_CASE("names formats to convert") {
    CHECK(find_foreign_format("PAR1..PAR1"sv)->name == "a Parquet file");
    CHECK(find_foreign_format("ARROW1\0\0"sv)->name ==
          "an Arrow or Feather file");
    CHECK(find_foreign_format("PK\x03\x04"sv)->advice("f") == "; convert it");
    CHECK(find_foreign_format("FEA1..FEA1"sv)->advice("f") ==
          "; write it as version 2, for example with pandas.read_feather and "
          "DataFrame.to_feather");
    CHECK(find_foreign_format("\xFF\xFF\xFF\xFF"sv)->advice("f") ==
          "; write a file of Arrow IPC instead, for example with "
          "pyarrow.ipc.new_file, or a Parquet file");
  }

  TEST_CASE("takes texts for no such format") {
    for (const std::string_view text :
         {"BZh,b,c\n1,2,3\n"sv, "BZh91,b,c,d\n"sv, "FEA1,FEA2\n1,2\n"sv,
          "1,2,3"sv, ""sv}) {
      CHECK_FALSE(find_foreign_format(text).has_value());
    }
  }
}
