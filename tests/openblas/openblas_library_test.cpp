// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "../../openblas/openblas_backend.hpp"
#include "installed_library.hpp"

using mlp::Matrix;
using mlp::ResourceError;
using mlp::openblas::Library;
using mlp::testing::installed_library;

TEST_SUITE("openblas/openblas_library") {
  TEST_CASE("multiplies as [1 2; 3 4] [5 6; 7 8] = [19 22; 43 50]") {
    const Library* library = installed_library();
    if (!library) return;
    const Matrix a{{1, 2}, {3, 4}};
    const Matrix b{{5, 6}, {7, 8}};
    Matrix c{{1, 1}, {1, 1}};

    library->multiply({2, 2, 2}, {a.data()}, {b.data()}, 10.0, c.data());

    CHECK(c == Matrix{{29, 32}, {53, 60}});
  }

  TEST_CASE("reads factors of every shape, transposed or not") {
    const Library* library = installed_library();
    if (!library) return;
    const Eigen::MatrixXf a = Eigen::MatrixXf{{1, 2, 3}, {4, 5, 6}};
    const Eigen::MatrixXf b = Eigen::MatrixXf{{1}, {10}, {100}};
    const Eigen::MatrixXf expected = a * b;
    const Eigen::MatrixXf a_stored = a.transpose();
    const Eigen::MatrixXf b_stored = b.transpose();
    Eigen::MatrixXf c(2, 1);
    for (const bool is_a : {false, true}) {
      for (const bool is_b : {false, true}) {
        library->multiply({2, 1, 3}, {is_a ? a_stored.data() : a.data(), is_a},
                          {is_b ? b_stored.data() : b.data(), is_b}, 0.0F,
                          c.data());

        CHECK(c == expected);
      }
    }
  }

  TEST_CASE("uses the kernels that the environment names") {
    const Library* library = installed_library();
    if (!library) return;
    const char* const core = std::getenv("OPENBLAS_CORETYPE");

    CHECK(library->config().starts_with("OpenBLAS "));
    if (core) CHECK(library->core_name() == core);
  }

  TEST_CASE("says what to install where there is no such file") {
    CHECK_THROWS_WITH_AS(
        Library("libopenblas-of-nobody.so"),
        "OpenBLAS cannot be loaded: libopenblas-of-nobody.so: cannot open "
        "shared object file: No such file or directory; install it, for "
        "example Debian's package libopenblas0-pthread, or use another backend",
        ResourceError);
  }

  TEST_CASE("refuses a library that is no OpenBLAS") {
    CHECK_THROWS_WITH_AS(
        Library("libm.so.6"),
        "libm.so.6: is not OpenBLAS: it lacks cblas_dgemm; install OpenBLAS, "
        "for example Debian's package libopenblas0-pthread",
        ResourceError);
  }

  TEST_CASE("refuses a library that counts in 64 bits") {
    const std::string name = MLP_LIBRARY_OF_64_BITS;

    CHECK_THROWS_WITH_AS(
        Library{name},
        (name + ": must use 32-bit integers; it uses 64-bit integers; install "
                "OpenBLAS, for example Debian's package libopenblas0-pthread")
            .c_str(),
        ResourceError);
  }
}
