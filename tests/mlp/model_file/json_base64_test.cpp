// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_base64.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

using mlp::decode_base64;
using mlp::encode_base64;
using mlp::Vector;

TEST_SUITE("mlp/model_file/json_base64") {
  // Python: base64.b64encode(struct.pack('<...d', ...))
  TEST_CASE("encodes as Python does whatever the padding") {
    CHECK(encode_base64(Vector{}) == "");
    CHECK(encode_base64(Vector{{1.0}}) == "AAAAAAAA8D8=");
    CHECK(encode_base64(Vector{{1.0, -2.5}}) == "AAAAAAAA8D8AAAAAAAAEwA==");
    CHECK(encode_base64(Vector{{1.0, -2.5, 0.1}}) ==
          "AAAAAAAA8D8AAAAAAAAEwJqZmZmZmbk/");
  }

  TEST_CASE("reads every number back to the last bit") {
    using Limits = std::numeric_limits<double>;
    const Vector numbers{{0.0, -0.0, Limits::denorm_min(), Limits::max(),
                          Limits::lowest(), Limits::epsilon(), M_PI,
                          Limits::infinity(), 1e-300, Limits::quiet_NaN()}};

    for (mlp::Index size = 0; size <= numbers.size(); ++size) {
      const std::string text = encode_base64(numbers.head(size));
      const auto read = decode_base64(text);

      REQUIRE(read);
      CHECK(text.size() == mlp::base64_size(static_cast<std::uint64_t>(size)));
      REQUIRE(read->size() == size);
      for (mlp::Index i = 0; i < size; ++i) {
        CHECK(std::bit_cast<std::uint64_t>((*read)[i]) ==
              std::bit_cast<std::uint64_t>(numbers[i]));
      }
    }
  }

  TEST_CASE("refuses text that is not what the encoder gives") {
    for (const char* text :
         {"A", "AAAA", "AAAAAAAA8D8", "AAAAAAAA8D==", "AAAAAAAA8D8A",
          "AAAAAAAA8D9=", "AAAAAAAA8D8=\n", " AAAAAAAA8D8=", "AAAAAAAA-D8=",
          "AAAAAAAA8D8AAAAAAAAEwB==", "AAAAAAAA8D8AAAAAAAAEwA=A",
          "AAAAAAAA8=8=", "AAAAAAAA8D8=AAAAAAAA8D8="}) {
      CAPTURE(text);
      CHECK_FALSE(decode_base64(text));
    }
  }
}
