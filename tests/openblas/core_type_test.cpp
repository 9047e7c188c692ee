// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../cpu/cpu_backend.hpp"
#include "../../openblas/openblas_backend.hpp"

using mlp::openblas::choose_core_type;
using mlp::openblas::detect_processor;

TEST_SUITE("openblas/core_type") {
  TEST_CASE("chooses the kernels of the widest instructions") {
    CHECK(std::string(choose_core_type({true, true, false})) == "SkylakeX");
    CHECK(std::string(choose_core_type({true, true, true})) == "SkylakeX");
    CHECK(std::string(choose_core_type({false, true, false})) == "Haswell");
    CHECK(std::string(choose_core_type({false, true, true})) == "Zen");
  }

  TEST_CASE("leaves the choice for an old processor to OpenBLAS") {
    CHECK(choose_core_type({false, false, false}) == nullptr);
    CHECK(choose_core_type({false, false, true}) == nullptr);
  }

  TEST_CASE("finds the instructions that the tuned kernels find") {
    const std::string best = mlp::cpu::backend().name();

    const auto traits = detect_processor();

    CHECK(traits.has_avx512 == (best == "AVX-512"));
    CHECK(traits.has_avx2 == (best == "AVX-512" || best == "AVX2"));
  }
}
