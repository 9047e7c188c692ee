// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/blas/cublas_functions.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"
#include "../../thrown_message.hpp"

namespace {

using mlp::cuda::CublasFunctions;

TEST_SUITE("cuda/blas/cublas_functions") {
  TEST_CASE("loads all functions, or says what to install") {
    const CublasFunctions* functions = nullptr;

    const std::string refusal = mlp::test::thrown_message<mlp::DeviceError>(
        [&] { functions = &mlp::cuda::cublas_functions(); });

    if (functions) {
      CHECK((functions->create != nullptr));
      CHECK((functions->destroy != nullptr));
      CHECK((functions->set_stream != nullptr));
      CHECK((functions->set_workspace != nullptr));
      CHECK((functions->set_math_mode != nullptr));
      CHECK((functions->get_status_string != nullptr));
      CHECK((functions->gemm_ex != nullptr));
    } else {
      CHECK(refusal.find("cuBLAS cannot be loaded: libcublas.so.13") !=
            std::string::npos);
      CHECK(refusal.find("set LD_LIBRARY_PATH to its folder") !=
            std::string::npos);
    }
  }
}

}  // namespace
