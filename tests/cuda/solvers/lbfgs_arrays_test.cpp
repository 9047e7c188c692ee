// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/solvers/lbfgs_arrays.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../../../cuda/runtime/device_copy.hpp"
#include "../device_numbers.hpp"

namespace mlp::cuda {

namespace {

TEST_SUITE("cuda/solvers/lbfgs_arrays") {
  TEST_CASE("allocates memory for corrections when they come") {
    const Stream stream;
    LbfgsArrays arrays(20, 25, 0, stream);

    CHECK(arrays.memory().capacity == 0);
    CHECK(arrays.grow(1, stream));
    CHECK(arrays.memory().capacity == 10);
    CHECK_FALSE(arrays.grow(10, stream));
    CHECK(arrays.grow(11, stream));
    CHECK(arrays.memory().capacity == 20);
    CHECK(arrays.grow(21, stream));
    CHECK(arrays.memory().capacity == 25);
  }

  TEST_CASE("keeps the corrections and their products when it grows") {
    const Stream stream;
    LbfgsArrays arrays(2, 25, 0, stream);
    arrays.grow(10, stream);
    std::vector<double> table(100);
    for (std::size_t i = 0; i < 100; ++i) table[i] = static_cast<double>(i);
    const DeviceArray<double> numbers = testing::uploaded(table, stream);
    copy_on_device(numbers.data(), 100, arrays.memory().sy, stream);
    copy_on_device(numbers.data(), 20, arrays.memory().y, stream);

    arrays.grow(11, stream);

    DeviceArray<double> y(20);
    DeviceArray<double> column(10);
    copy_on_device(arrays.memory().y, 20, y.data(), stream);
    copy_on_device(arrays.memory().sy + 3 * 20, 10, column.data(), stream);
    CHECK(y.download(stream) ==
          std::vector<double>(table.begin(), table.begin() + 20));
    CHECK(column.download(stream) ==
          std::vector<double>(table.begin() + 30, table.begin() + 40));
  }
}

}  // namespace

}  // namespace mlp::cuda
