// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/runtime/shared_library.hpp"

#include <doctest/doctest.h>

#include "../../../core/error.hpp"

namespace {

using mlp::cuda::SharedLibrary;

TEST_SUITE("cuda/runtime/shared_library") {
  TEST_CASE("calls a function of the first library that exists") {
    const SharedLibrary library("the C library",
                                {"libmissing.so.9", "libm.so.6"}, "");
    double (*square_root)(double) = nullptr;

    library.find("sqrt", square_root);

    CHECK(library.file() == "libm.so.6");
    CHECK(square_root(49.0) == 7.0);
  }

  TEST_CASE("says why the first file was not loaded and what to install") {
    CHECK_THROWS_WITH_AS(
        SharedLibrary("NCCL", {"libmissing.so.9", "libmissing.so"},
                      "install the package x"),
        doctest::Contains("NCCL cannot be loaded: libmissing.so.9: cannot open "
                          "shared object file"),
        mlp::ResourceError);
    CHECK_THROWS_WITH(
        SharedLibrary("NCCL", {"libmissing.so.9"}, "install the package x"),
        doctest::Contains("; install the package x"));
  }

  TEST_CASE("names a function that the library lacks") {
    const SharedLibrary library("NCCL", {"libm.so.6"}, "install the package x");
    void (*function)() = nullptr;

    CHECK_THROWS_WITH_AS(library.find("ncclGetVersion", function),
                         "libm.so.6: is not NCCL, or too old: it lacks "
                         "ncclGetVersion; install the package x",
                         mlp::ResourceError);
  }
}

}  // namespace
