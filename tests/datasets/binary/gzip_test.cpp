// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/binary/gzip.hpp"

#include <doctest/doctest.h>

#include <string>

#include "compress.hpp"

namespace mlp::datasets {

namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 30;

}  // namespace

TEST_SUITE("datasets/binary/gzip") {
  TEST_CASE("knows a gzip file by its first bytes") {
    CHECK(is_gzip("\x1F\x8B\x08"));
    CHECK_FALSE(is_gzip("\x1F"));
    CHECK_FALSE(is_gzip("1,2,3"));
  }

  TEST_CASE("gives back what was compressed") {
    std::string text;
    for (int i = 0; i < 50000; ++i) text += std::to_string(i) + ',';

    CHECK(gunzip(compress(text), text.size(), "f") == text);
    CHECK(gunzip(compress(""), 0, "f").empty());
  }

  TEST_CASE("inflates one member after the other") {
    const std::string twice = compress("one,") + compress("two");

    CHECK(gunzip(twice, kPlenty, "f") == "one,two");
  }

  TEST_CASE("ignores zeros behind the last member and refuses other bytes") {
    CHECK(gunzip(compress("one") + std::string(512, '\0'), 9, "f") == "one");
    CHECK_THROWS_WITH_AS(
        gunzip(compress("one") + "more", 9, "f"),
        "f: the compressed data are damaged; expected a gzip file, got: "
        "incorrect header check",
        DataError);
  }

  TEST_CASE("inflates the start alone where that is enough") {
    const std::string text(100000, 'x');

    CHECK(gunzip_prefix(compress(text), 10, "f") == "xxxxxxxxxx");
    CHECK(gunzip_prefix(compress("ab"), 10, "f") == "ab");
  }

  TEST_CASE("stops a bomb at the limit") {
    const std::string bomb = compress(std::string(10000000, '\0'));

    REQUIRE(bomb.size() < 20000);
    CHECK_THROWS_WITH_AS(
        gunzip(bomb, 9999999, "f"),
        "f: the compressed data hold too much; expected at most 9999999 bytes",
        DataError);
  }

  TEST_CASE("stops a bomb before it needs more memory than is left") {
    const std::string bomb = compress(std::string(300000000, '\0'));
    int num_probes = 0;
    const auto memory = [&] {
      ++num_probes;
      return AvailableMemory{1e8, "limit of this test"};
    };

    CHECK_THROWS_WITH_AS(
        gunzip(bomb, kPlenty, "f", memory),
        "f: the compressed data hold more than 34 MB, and the next part needs "
        "300 MB of memory; 100 MB are available (limit of this test); use a "
        "smaller file, or a part of it",
        ResourceError);
    CHECK(num_probes == 1);
  }

  TEST_CASE("counts a bomb and allocates nothing for it") {
    const std::string bomb = compress(std::string(300000000, '\0'));
    const auto memory = [] {
      FAIL("asks for memory");
      return AvailableMemory{};
    };

    CHECK_THROWS_WITH_AS(
        gunzip(bomb, 299999999, "f", memory),
        "f: the compressed data hold too much; expected at most 299999999 "
        "bytes",
        DataError);
    CHECK(gunzip(bomb, 300000000, "f").size() == 300000000);
  }

  TEST_CASE("stops usual data before they need more memory than is left") {
    std::string text;
    for (int i = 0; i < 9000000; ++i) text += std::to_string(i) + ',';
    const auto memory = [] {
      return AvailableMemory{6e7, "limit of this test"};
    };

    CHECK_THROWS_WITH_AS(
        gunzip(compress(text), kPlenty, "f", memory),
        "f: the compressed data hold more than 34 MB, and the next part needs "
        "67 MB of memory; 60 MB are available (limit of this test); use a "
        "smaller file, or a part of it",
        ResourceError);
  }

  TEST_CASE("inflates what fits into the memory that is left") {
    const std::string text(70000000, 'x');
    const auto memory = [] {
      return AvailableMemory{1.5e8, "limit of this test"};
    };

    CHECK(gunzip(compress(text), text.size(), "f", memory) == text);
  }

  TEST_CASE("refuses every beginning of a file") {
    const std::string whole = compress("sepal_length,sepal_width\n5.1,3.5\n");

    for (std::size_t size = 0; size < whole.size(); ++size) {
      CHECK_THROWS_WITH_AS(
          gunzip(whole.substr(0, size), kPlenty, "f"),
          "f: the compressed data end too early; expected a whole gzip file, "
          "got a part of one",
          DataError);
    }
  }

  TEST_CASE("refuses a changed bit in the data and in the checksum") {
    const std::string whole = compress("sepal_length,sepal_width\n5.1,3.5\n");

    for (std::size_t at = 10; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 4);
      CHECK_THROWS_AS(gunzip(changed, kPlenty, "f"), DataError);
    }
  }
}

}  // namespace mlp::datasets
