// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/blas/cublas_functions.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"

namespace {

using mlp::cuda::CublasFunctions;

TEST_SUITE("cuda/blas/cublas_functions") {
  TEST_CASE("loads all functions, or says what to install") {
    std::string refusal;
    const CublasFunctions* functions = nullptr;

    try {
      functions = &mlp::cuda::cublas_functions();
    } catch (const mlp::DeviceError& error) {
      refusal = error.what();
    }

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
