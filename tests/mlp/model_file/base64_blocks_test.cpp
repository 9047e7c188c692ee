// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/model_file/base64_blocks.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace mlp::detail;

namespace {

constexpr std::size_t kBlocks = 50;

/// Numbers of any bits.
std::vector<double> random_numbers() {
  std::mt19937_64 random(1);
  std::vector<double> numbers(kBlocks * kBase64Numbers);
  for (double& number : numbers) number = std::bit_cast<double>(random());
  return numbers;
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  for (const double number : numbers) {
    bits.push_back(std::bit_cast<std::uint64_t>(number));
  }
  return bits;
}

std::string encode_plainly(const std::vector<double>& numbers) {
  std::string digits(kBlocks * kBase64NumbersDigits, ' ');
  encode_base64_plainly(numbers.data(), kBlocks, digits.data());
  return digits;
}

}  // namespace

TEST_SUITE("mlp/model_file/base64_blocks") {
  TEST_CASE("encodes bytes in the order of the digits") {
    const double numbers[] = {1.0, -2.5, 0.1};
    std::string digits(kBase64NumbersDigits, ' ');

    encode_base64_blocks(numbers, 1, digits.data());

    CHECK(digits == "AAAAAAAA8D8AAAAAAAAEwJqZmZmZmbk/");
  }

  TEST_CASE("gives the bits of the plain code by any instructions") {
    const std::vector<double> numbers = random_numbers();
    const std::string expected = encode_plainly(numbers);
    std::string digits(expected.size(), ' ');
    std::vector<double> read(numbers.size());
    std::vector<double> read_plainly(numbers.size());

    encode_base64_blocks(numbers.data(), kBlocks, digits.data());

    CHECK(digits == expected);
    CHECK(decode_base64_blocks(digits.data(), kBlocks, read.data()));
    CHECK(bits_of(read) == bits_of(numbers));
    CHECK(decode_base64_plainly(digits.data(), kBlocks, read_plainly.data()));
    CHECK(bits_of(read_plainly) == bits_of(numbers));
  }

  TEST_CASE("refuses every byte that is not a digit at every place") {
    const std::string digits = encode_plainly(random_numbers());
    std::vector<double> numbers(kBlocks * kBase64Numbers);
    int num_different = 0;
    for (int byte = 0; byte < 256; ++byte) {
      const char wrong = static_cast<char>(byte);
      const bool is_digit = kBase64Digits.find(wrong) != kBase64Digits.npos;
      for (std::size_t at = 0; at < 2 * kBase64NumbersDigits; ++at) {
        std::string text = digits;
        text[at] = wrong;
        num_different += is_digit != decode_base64_blocks(text.data(), kBlocks,
                                                          numbers.data());
        num_different += is_digit != decode_base64_plainly(text.data(), kBlocks,
                                                           numbers.data());
      }
    }

    CHECK(num_different == 0);
  }

  TEST_CASE("writes nothing behind the last number and the last digit") {
    std::vector<double> numbers(kBase64Numbers + 1, 5.0);
    std::string digits(kBase64NumbersDigits + 1, 'A');

    CHECK(decode_base64_blocks(digits.data(), 1, numbers.data()));
    CHECK(numbers == std::vector<double>{0.0, 0.0, 0.0, 5.0});
    digits.assign(digits.size(), '!');
    encode_base64_blocks(numbers.data(), 1, digits.data());
    CHECK(digits == "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA!");
  }
}
