// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_hash.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/sha256.hpp"

using mlp::hash_compact_json;
using mlp::sha256_hex;

TEST_SUITE("mlp/model_file/json_hash") {
  TEST_CASE("hashes a document without white space and without sha256") {
    const std::string text =
        " {\n\t\"a\" : [ 1.50 ,\r\n 2e0 ] , \"b c\": \" \\\" , } \" ,"
        " \"sha256\" : \"x\" }\n";

    CHECK(mlp::hash_model_json(text) ==
          sha256_hex(R"({"a":[1.50,2e0],"b c":" \" , } "})"));
  }

  TEST_CASE("drops the member with one comma wherever it stands") {
    const std::string expected = sha256_hex(R"({"a":1,"b":2})");

    for (const char* text :
         {R"({"sha256":"x","a":1,"b":2})", R"({"a":1,"sha256":"x","b":2})",
          R"({"a":1,"b":2,"sha256":"x"})",
          R"({"a":1,"sha256":{"c":[1,2]},"b":2})"}) {
      CHECK(mlp::hash_model_json(text) == expected);
    }
    CHECK(mlp::hash_model_json(R"({"sha256":"x"})") == sha256_hex("{}"));
  }

  TEST_CASE("keeps a member of the same name that stands deeper") {
    const std::string text = R"({"a":{"sha256":"x"},"b":["sha256"]})";

    CHECK(mlp::hash_model_json(text) == sha256_hex(text));
  }

  TEST_CASE("names a model by its content and not by what wrote it") {
    const std::string one = R"({"a":1,"producer":"p","uid":"u","sha256":"s"})";
    const std::string other = R"({"a":1,"producer":"q","uid":"","sha256":""})";

    CHECK(mlp::model_json_uid(one) ==
          "mlpc_" + sha256_hex(R"({"a":1})").substr(0, 12));
    CHECK(mlp::model_json_uid(one) == mlp::model_json_uid(other));
  }

  TEST_CASE("hashes long documents part by part") {
    std::string text = "{\"a\":[0";
    for (int i = 1; i < 100'000; ++i) text += ',' + std::to_string(i);
    text += "]}";

    CHECK(hash_compact_json(text, {}) == sha256_hex(text));
  }

  TEST_CASE("finds white space and strings wherever they stand in a long run") {
    for (std::size_t shift = 0; shift < 200; ++shift) {
      const std::string digits(shift, '7');
      const std::string quotes = R"("\\","[ \" ] , )" + digits + R"(\"")";
      const std::string spaced = "{\"a\":[" + digits + "1 ,2,\t" + digits +
                                 "3, " + quotes + ",{ \"b\" : [4,\n5 ]}]}";
      const std::string compact = "{\"a\":[" + digits + "1,2," + digits + "3," +
                                  quotes + ",{\"b\":[4,5]}]}";
      CHECK(mlp::hash_model_json(spaced) == sha256_hex(compact));
    }
  }

  TEST_CASE("computes the hash of short and of long text beside other work") {
    for (const std::size_t size : {10u, 3u << 20}) {
      const std::string text = "{\"a\":\"" + std::string(size, 'x') + "\"}";

      CHECK(mlp::start_model_json_hash(text).get() ==
            mlp::hash_model_json(text));
    }
  }

  TEST_CASE("comes to an end for text that is no JSON") {
    for (const char* text :
         {"", "}", "]]]", "\"", "\"\\", "{\"a\\", "{,", "[{"}) {
      CHECK(mlp::hash_model_json(text).size() == 64);
    }
  }
}
