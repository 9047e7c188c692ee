// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cpu/base/instruction_set.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::cpu {

TEST_SUITE("cpu/base/instruction_set") {
  TEST_CASE("names the sets as users read them") {
    CHECK(std::string(name(InstructionSet::Avx512)) == "AVX-512");
    CHECK(std::string(name(InstructionSet::Avx2)) == "AVX2");
    CHECK(std::string(name(InstructionSet::Sse4)) == "SSE4");
    CHECK(std::string(name(InstructionSet::Baseline)) == "baseline");
  }

  TEST_CASE("finds the older sets where it finds a newer one") {
    CHECK(is_usable(InstructionSet::Baseline));
    if (is_usable(InstructionSet::Avx512)) {
      CHECK(is_usable(InstructionSet::Avx2));
    }
    if (is_usable(InstructionSet::Avx2)) {
      CHECK(is_usable(InstructionSet::Sse4));
    }
  }
}

}  // namespace mlp::cpu
