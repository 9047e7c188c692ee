// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../mlp/model_json.hpp"
#include "sample_document.hpp"

using mlp::from_json;
using mlp::to_json;
using mlp::tests::full_document;

namespace {

/// True where the text loads; a refusal must be a ModelError, and anything else
/// ends the test.
bool loads(std::string_view text) {
  try {
    static_cast<void>(from_json(text, "m.json"));
    return true;
  } catch (const mlp::ModelError&) {
    return false;
  }
}

/// Deterministic numbers for choosing damages.
class Lottery {
 public:
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_ = 20260101;
};

}  // namespace

TEST_SUITE("mlp/model_file/json_robustness") {
  TEST_CASE("refuses every prefix of a model") {
    const std::string text = to_json(full_document());

    REQUIRE(loads(text));
    for (std::size_t size = 0; size < text.size(); ++size) {
      CAPTURE(size);
      REQUIRE_FALSE(loads(std::string_view(text).substr(0, size)));
    }
  }

  TEST_CASE("refuses every flip of one bit") {
    std::string text = to_json(full_document());
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char original = text[at];
      for (unsigned bit = 0; bit < 8; ++bit) {
        text[at] = static_cast<char>(static_cast<unsigned char>(original) ^
                                     (1u << bit));
        CAPTURE(at);
        CAPTURE(bit);
        REQUIRE_FALSE(loads(text));
      }
      text[at] = original;
    }
  }

  TEST_CASE("survives flips of one bit with the hash made right again") {
    std::string text = to_json(full_document());
    const std::size_t end = text.find("  \"sha256\"");
    int num_loaded = 0;
    for (std::size_t at = 0; at < end; ++at) {
      const char original = text[at];
      for (unsigned bit = 0; bit < 8; ++bit) {
        text[at] = static_cast<char>(static_cast<unsigned char>(original) ^
                                     (1u << bit));
        if (loads(mlp::tests::resigned(text))) ++num_loaded;
      }
      text[at] = original;
    }

    // A digit of a weight, a letter of a name: another model, but a model.
    CHECK(num_loaded > 0);
  }

  TEST_CASE("survives parts that are cut out, doubled or moved") {
    const std::string text = to_json(full_document());
    Lottery lottery;
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = text;
      const std::size_t at = lottery.below(text.size());
      const std::size_t size = lottery.below(40);
      const std::string part = text.substr(at, size);
      if (lottery.below(2) == 0) damaged.erase(at, size);
      damaged.insert(lottery.below(damaged.size()), part);
      REQUIRE((damaged == text || !loads(damaged)));
    }
  }

  TEST_CASE("refuses every value in the place of every other") {
    const std::string text = to_json(full_document());
    const std::vector<std::string> values{"null",
                                          "true",
                                          "[]",
                                          "{}",
                                          "\"\"",
                                          "0",
                                          "-1",
                                          "1e400",
                                          "1e-400",
                                          "0.5",
                                          "[[[[]]]]",
                                          "{\"a\":{}}",
                                          "18446744073709551616"};
    std::size_t at = 0;
    while ((at = text.find("\n  \"", at + 1)) != std::string::npos) {
      const std::size_t value_at = text.find(": ", at) + 2;
      const std::size_t end = text.find('\n', value_at);
      const bool is_last = text[end - 1] != ',';
      for (const std::string& value : values) {
        std::string changed = text;
        changed.replace(value_at, end - value_at - (is_last ? 0 : 1), value);
        REQUIRE_FALSE(loads(changed));
      }
    }
  }
}
