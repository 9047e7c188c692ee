// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/base64.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

using mlp::decode_base64;
using mlp::Vector;

namespace {

std::string encode_base64(const Vector& numbers) {
  std::string text;
  mlp::append_base64(text, numbers);
  return text;
}

}  // namespace

TEST_SUITE("mlp/model_file/base64") {
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
      CHECK(text.size() == mlp::base64_size(static_cast<std::size_t>(size)));
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

  TEST_CASE("appends to a text and changes nothing of it") {
    std::string text = "data:";

    mlp::append_base64(text, Vector{{1.0}});

    CHECK(text == "data:AAAAAAAA8D8=");
  }

  TEST_CASE("refuses every byte that is not a digit at every place") {
    const std::string digits = encode_base64(Vector{{1.0, -2.5, 0.1, M_PI}});
    int num_different = 0;
    for (int byte = 0; byte < 256; ++byte) {
      const char wrong = static_cast<char>(byte);
      const bool is_digit = mlp::detail::kBase64Digits.find(wrong) !=
                            mlp::detail::kBase64Digits.npos;
      for (std::size_t at = 0; at < 40; ++at) {
        std::string text = digits;
        text[at] = wrong;
        num_different += is_digit != decode_base64(text).has_value();
      }
    }

    CHECK(num_different == 0);
  }
}
