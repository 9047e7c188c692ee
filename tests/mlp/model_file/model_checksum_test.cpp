// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/model_checksum.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "../../../core/sha256.hpp"

using mlp::checksummed_bytes;
using mlp::sha256_hex;

namespace {

const std::string kLines = "{\n  \"a\": 1,\n";

/// A model file of these lines and of some hash.
std::string with_hash(const std::string& lines) {
  return lines + "  \"sha256\": \"" + std::string(64, '0') + "\"\n}\n";
}

}  // namespace

TEST_SUITE("mlp/model_file/model_checksum") {
  TEST_CASE("covers the bytes through the newline before the line of sha256") {
    CHECK(checksummed_bytes(with_hash(kLines)) == kLines);
    CHECK(checksummed_bytes(with_hash("\n")) == "\n");
  }

  TEST_CASE("covers nothing of a file with another end") {
    const std::string text = with_hash(kLines);

    for (const std::string& other :
         {std::string(), std::string("}\n"), with_hash(""),
          with_hash("{\"a\": 1,"), text.substr(0, text.size() - 1), text + '\n',
          text.substr(0, text.size() - 2) + " }\n",
          text.substr(0, text.size() - 3) + "\r\n}\r\n"}) {
      CHECK_FALSE(checksummed_bytes(other));
    }
  }

  TEST_CASE("covers nothing where the line of sha256 is not indented by two") {
    const std::string text = with_hash(kLines);
    const std::size_t at = text.find("  \"sha256\"");

    for (const char* start : {"\"", " \"", "\t\"", "   \"", "    \""}) {
      std::string other = text;
      CHECK_FALSE(checksummed_bytes(other.replace(at, 3, start)));
    }
  }

  TEST_CASE("appends the hash of what is there, and no hash counts it") {
    std::string text = kLines;

    mlp::append_checksum(text);

    CHECK(text == kLines + "  \"sha256\": \"" + sha256_hex(kLines) + "\"\n}\n");
    CHECK(checksummed_bytes(text) == kLines);
  }

  TEST_CASE("names a model by its content and not by what wrote it") {
    const std::string content = "{\n  \"a\": 1,\n  \"b\": \"uid\",\n";
    const std::string name = "mlpc_" + sha256_hex(content).substr(0, 12);

    CHECK(mlp::model_uid(content) == name);
    for (const char* producer : {"mlp 1.0.0", "mlp 2.0.0", "another"}) {
      const std::string lines = "{\n  \"producer\": \"" +
                                std::string(producer) +
                                "\",\n  \"uid\": \"mlpc_000000000000\",\n"
                                "  \"a\": 1,\n  \"b\": \"uid\",\n";
      CHECK(mlp::model_uid(lines) == name);
    }
  }

  TEST_CASE("counts members of the same name that stand deeper") {
    for (const char* line : {"  \"a\": {\"uid\": \"b\"},\n", "  \"uids\": 1,\n",
                             "   \"uid\": 1,\n", "  \"producer\" : 1,\n"}) {
      CHECK(mlp::model_uid(line) == "mlpc_" + sha256_hex(line).substr(0, 12));
    }
  }

  TEST_CASE("names text that does not end with a newline") {
    CHECK(mlp::model_uid("ab\ncd") ==
          "mlpc_" + sha256_hex("ab\ncd").substr(0, 12));
    CHECK(mlp::model_uid("") == "mlpc_" + sha256_hex("").substr(0, 12));
  }

  TEST_CASE("takes a file with its hash and refuses another one") {
    std::string text = kLines;
    mlp::append_checksum(text);

    CHECK_NOTHROW(mlp::check_checksum(text, "m.json", sha256_hex(kLines)));
    CHECK_THROWS_AS(mlp::check_checksum(text, "m.json", sha256_hex("")),
                    mlp::ModelError);
  }
}
