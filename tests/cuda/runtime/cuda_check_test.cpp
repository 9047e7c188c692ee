// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/cuda_check.hpp"

#include <doctest/doctest.h>

#include "../../../core/error.hpp"

namespace {

TEST_SUITE("cuda/runtime/cuda_check") {
  TEST_CASE("accepts success") {
    CHECK_NOTHROW(mlp::cuda::check(cudaSuccess, "cudaMalloc"));
  }

  TEST_CASE("names the call and the error") {
    CHECK_THROWS_WITH_AS(
        mlp::cuda::check(cudaErrorInvalidDevice, "cudaSetDevice"),
        doctest::Contains("the CUDA device failed: cudaSetDevice: "),
        mlp::DeviceError);
  }

  TEST_CASE("reports missing memory as a missing resource") {
    CHECK_THROWS_AS(
        mlp::cuda::check(cudaErrorMemoryAllocation, "cudaMallocHost"),
        mlp::ResourceError);
  }
}

}  // namespace
