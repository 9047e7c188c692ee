// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/unpacked_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <zlib.h>

#include <string>

#include "../../../core/files/read_file.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets::detail {

namespace {

std::string zip(const test::ScratchFolder& folder, const std::string& text) {
  const std::string path = folder / "t.gz";
  gzFile file = gzopen(path.c_str(), "wb1");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_file<DataError>(path);
}

std::string unpack(const test::ScratchFolder& folder, const std::string& bytes,
                   std::size_t max_bytes = std::size_t{1} << 30) {
  const std::string path = folder.write("packed", bytes);
  InflatedStream stream(::open(path.c_str(), O_RDONLY), path);
  const UnpackedFile file(stream, {path, max_bytes}, folder.path());
  return read_file<DataError>(file.path());
}

/// UTF-16 of a text of ASCII and of one character of four bytes for each '$'.
std::string utf16_of(const std::string& text, bool is_little) {
  std::string bytes;
  const auto add = [&](unsigned unit) {
    const auto high = static_cast<char>(unit >> 8);
    const auto low = static_cast<char>(unit & 0xFF);
    bytes += is_little ? std::string{low, high} : std::string{high, low};
  };
  add(0xFEFF);
  for (const char c : text) {
    if (c != '$') {
      add(static_cast<unsigned>(c));
      continue;
    }
    add(0xD83D);
    add(0xDE00);
  }
  return bytes;
}

}  // namespace

TEST_SUITE("datasets/load/unpacked_file") {
  TEST_CASE("decompresses one member and several") {
    const test::ScratchFolder folder;
    const std::string text(9 << 20, 'x');

    CHECK(unpack(folder, zip(folder, text)) == text);
    CHECK(unpack(folder, zip(folder, "a\n") + zip(folder, "b\n")) == "a\nb\n");
    CHECK(unpack(folder, "plain\n") == "plain\n");
  }

  TEST_CASE("decodes UTF-16 of several blocks") {
    const test::ScratchFolder folder;
    // A pair of units lies across the end of the first block for one of the two.
    for (const std::string& start : {std::string("$"), std::string("x$")}) {
      std::string text = start;
      std::string expected = start.size() == 1 ? "" : "x";
      expected += "\xF0\x9F\x98\x80";
      while (text.size() < (5U << 20) / 2) {
        text += "$";
        expected += "\xF0\x9F\x98\x80";
      }
      for (const bool is_little : {true, false}) {
        const bool is_equal =
            unpack(folder, utf16_of(text, is_little)) == expected;
        CHECK(is_equal);
      }
    }
  }

  TEST_CASE("refuses contents that are too large") {
    const test::ScratchFolder folder;
    const std::string bytes = zip(folder, std::string(9 << 20, 'x'));

    CHECK(
        test::thrown_message<DataError>([&] { unpack(folder, bytes, 5 << 20); })
            .find("the compressed data hold too much; expected at most "
                  "5242880 bytes") != std::string::npos);
  }

  TEST_CASE("a folder that is not there leaves no descriptor open") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("packed", "plain\n");
    int descriptor = -1;
    {
      descriptor = ::open(path.c_str(), O_RDONLY);
      InflatedStream stream(descriptor, path);
      CHECK_THROWS_AS(UnpackedFile(stream, {path, 100}, folder / "none"),
                      ResourceError);
    }
    CHECK(::fcntl(descriptor, F_GETFD) == -1);
  }

  TEST_CASE("refuses damaged and cut files") {
    const test::ScratchFolder folder;
    std::string bytes = zip(folder, std::string(100000, 'x') + "end");

    CHECK(test::thrown_message<DataError>([&] {
            unpack(folder, bytes.substr(0, bytes.size() / 2));
          }).find("the compressed data end too early") != std::string::npos);
    bytes[bytes.size() / 2] ^= 0x55;
    bytes[bytes.size() / 2 + 1] ^= 0x55;
    CHECK(test::thrown_message<DataError>([&] {
            unpack(folder, bytes);
          }).find("the compressed data are damaged") != std::string::npos);
    CHECK(test::thrown_message<DataError>([&] {
            unpack(folder, std::string("\xFF\xFEx\0,\0l", 7));
          }).find("odd number of bytes, 7") != std::string::npos);
  }
}

}  // namespace mlp::datasets::detail
