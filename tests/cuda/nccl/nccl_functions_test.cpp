// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/nccl/nccl_functions.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../../../core/error.hpp"

namespace {

TEST_SUITE("cuda/nccl/nccl_functions") {
  TEST_CASE("says what to install where NCCL is missing") {
    CHECK_THROWS_WITH_AS(
        mlp::cuda::load_nccl("libmissing.so.2"),
        "NCCL cannot be loaded: libmissing.so.2: cannot open shared object "
        "file: No such file or directory; install NCCL 2.18 or later, for "
        "example NVIDIA's package libnccl2, or use --transport gloo",
        mlp::ResourceError);
  }

  TEST_CASE("refuses a library that is not NCCL") {
    CHECK_THROWS_WITH_AS(
        mlp::cuda::load_nccl("libm.so.6"),
        doctest::Contains("libm.so.6: is not NCCL, or too old: it lacks "
                          "ncclGetVersion; install NCCL 2.18 or later"),
        mlp::ResourceError);
  }

  TEST_CASE("formats the version that a library reports") {
    mlp::cuda::NcclFunctions functions{};
    functions.get_version = [](int* version) {
      *version = 22809;
      return mlp::cuda::NcclResult::kSuccess;
    };

    CHECK(mlp::cuda::nccl_version(functions) == "2.28.9");
  }

  TEST_CASE("finds all functions of the library where NCCL is installed") {
    mlp::cuda::NcclFunctions functions{};
    try {
      functions = mlp::cuda::load_nccl();
    } catch (const mlp::ResourceError& error) {
      MESSAGE("test skipped: " << error.what());
      return;
    }

    CHECK(mlp::cuda::nccl_version(functions) >= "2.18");
    CHECK(std::string(functions.get_error_string(
              mlp::cuda::NcclResult::kSuccess)) == "no error");
  }
}

}  // namespace
