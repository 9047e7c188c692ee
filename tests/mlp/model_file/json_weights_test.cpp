// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/json_weights.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <random>
#include <string>

#include "../../../mlp/model_file/json_base64.hpp"
#include "../../../mlp/model_file/json_numbers.hpp"

using mlp::Index;
using mlp::Vector;
using mlp::WeightsEncoding;
using namespace mlp::detail;

namespace {

std::string text_of(const Vector& weights, WeightsEncoding encoding) {
  std::string text;
  append_weights(text, weights, encoding, [] {});
  return text;
}

Vector random_weights(Index size) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Vector weights(size);
  for (double& weight : weights) weight = any(random);
  return weights;
}

}  // namespace

TEST_SUITE("mlp/model_file/json_weights") {
  TEST_CASE("writes the shortest decimals, and zeros with their sign") {
    const Vector weights{{0.1, -2.0, 0.0, -0.0, 1e-7, 1e300}};

    CHECK(text_of(weights, WeightsEncoding::kDecimal) ==
          "[0.1,-2,0,-0.0,1e-07,1e+300]");
  }

  TEST_CASE("writes no weights as an empty array or string") {
    CHECK(text_of(Vector{}, WeightsEncoding::kDecimal) == "[]");
    CHECK(text_of(Vector{}, WeightsEncoding::kBase64) == "\"\"");
  }

  TEST_CASE("writes pieces as if they were one") {
    for (const Index size : {kPieceWeights - 1, kPieceWeights,
                             kPieceWeights + 1, 10 * kPieceWeights + 2}) {
      const Vector weights = random_weights(size);
      const std::string decimals = text_of(weights, WeightsEncoding::kDecimal);

      const auto read =
          read_number_list(decimals.substr(1, decimals.size() - 2));

      REQUIRE(read);
      CHECK(*read == weights);
      CHECK(text_of(weights, WeightsEncoding::kBase64) ==
            '"' + mlp::encode_base64(weights) + '"');
    }
  }

  TEST_CASE("needs no more room than it says") {
    using Limits = std::numeric_limits<double>;
    for (const double longest :
         {Limits::lowest(), -Limits::min(), -Limits::denorm_min(),
          -1.2345678901234567e-5, -1.2345678901234567e-300}) {
      const Vector weights = Vector::Constant(100, longest);
      for (const auto encoding :
           {WeightsEncoding::kDecimal, WeightsEncoding::kBase64}) {
        CHECK(text_of(weights, encoding).size() <=
              most_weights_bytes(weights.size(), encoding));
      }
    }
  }

  TEST_CASE("tells of every growth, with bytes that stay where they are") {
    const Vector weights = random_weights(20 * kPieceWeights);
    for (const auto encoding :
         {WeightsEncoding::kDecimal, WeightsEncoding::kBase64}) {
      std::string text;
      text.reserve(most_weights_bytes(weights.size(), encoding));
      std::size_t size = 0;
      int num_shrunk = 0;
      append_weights(text, weights, encoding, [&] {
        num_shrunk += text.size() <= size;
        size = text.size();
      });

      CHECK(num_shrunk == 0);
      CHECK(size > 0);
    }
  }
}
