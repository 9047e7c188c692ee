// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "../thrown_message.hpp"
#include "cuda_language.hpp"
#include "execution_settings.hpp"
#include "kernel_error.hpp"

namespace mlp::cuda_host {

namespace {

/// Restores the settings at the end of a test.
struct Settings {
  mlp::cuda_host::ExecutionSettings before = execution_settings();
  ~Settings() { execution_settings() = before; }
};

LaunchShape shape_of(unsigned blocks, unsigned threads, std::size_t bytes = 0) {
  return {{blocks, 1, 1}, {threads, 1, 1}, bytes};
}

std::string error_of(const LaunchShape& shape,
                     const std::function<void()>& kernel) {
  return test::thrown_message<KernelError>([&] { run_grid(shape, kernel); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

/// Sums the numbers of a block in shared memory.
///
/// \param has_barriers  false makes the mistake that tests look for
void sum_block(const double* numbers, double* sums, bool has_barriers) {
  auto* const shared = static_cast<double*>(mlp::cuda_host::shared_memory());
  const unsigned i = threadIdx.x;
  shared[i] = numbers[blockIdx.x * blockDim.x + i];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (has_barriers) __syncthreads();
    if (i < half) shared[i] += shared[i + half];
  }
  if (i == 0) sums[blockIdx.x] = shared[0];
}

std::vector<double> sum_blocks(std::uint64_t seed, bool has_barriers) {
  const Settings settings;
  execution_settings().order_seed = seed;
  std::vector<double> numbers(4 * 64);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::sin(static_cast<double>(i));
  }
  std::vector<double> sums(4);
  run_grid(shape_of(4, 64, 64 * sizeof(double)),
           [&] { sum_block(numbers.data(), sums.data(), has_barriers); });
  return sums;
}

}  // namespace

TEST_CASE("run_grid() runs each thread of each block once") {
  std::vector<int> counts(2 * 3 * 4 * 5, 0);
  run_grid({{2, 3, 1}, {4, 5, 1}, 0}, [&] {
    const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
    counts[block * 20 + thread] += 1;
  });
  CHECK(counts == std::vector<int>(counts.size(), 1));
}

TEST_CASE("run_grid() refuses blocks that a device cannot run") {
  CHECK_THROWS_AS(run_grid(shape_of(1, 1025), [] {}), KernelError);
  CHECK_THROWS_AS(run_grid(shape_of(1, 0), [] {}), KernelError);
  CHECK_THROWS_AS(run_grid(shape_of(0, 32), [] {}), KernelError);
}

TEST_CASE("A sum with barriers has the same bits in every order of threads") {
  const std::vector<double> expected = sum_blocks(0, true);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CHECK(sum_blocks(seed, true) == expected);
  }
}

TEST_CASE("A missing barrier changes the bits in some order of threads") {
  const std::vector<double> expected = sum_blocks(0, true);
  int num_different = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    num_different += sum_blocks(seed, false) != expected ? 1 : 0;
  }
  CHECK(num_different >= 19);
}

TEST_CASE("A barrier that some threads do not reach is an error") {
  const std::string returned = error_of(shape_of(1, 64), [] {
    if (threadIdx.x == 5) return;
    __syncthreads();
  });
  CHECK(contains(returned, "waits at grid_test.cpp:"));
  CHECK(contains(returned, "thread (5, 0, 0) of block (0, 0, 0) has returned"));

  const std::string elsewhere = error_of(shape_of(1, 64), [] {
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  });
  CHECK(contains(elsewhere, "divergent barrier: thread (0, 0, 0)"));
}

TEST_CASE("Shuffles read the lanes that CUDA's documentation names") {
  std::vector<int> butterfly(64);
  run_grid(shape_of(1, 64), [&] {
    const unsigned i = threadIdx.x;
    const int value = static_cast<int>(i);
    butterfly[i] = __shfl_xor_sync(0xffffffffU, value, 5);
  });
  for (int i = 0; i < 64; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(butterfly[at] == (i ^ 5));
  }
}

TEST_CASE("A shuffle among half of a warp does not wait for the other half") {
  std::vector<int> sums(32);
  run_grid(shape_of(1, 32), [&] {
    const unsigned i = threadIdx.x;
    const unsigned mask = i < 16 ? 0xffffU : 0xffff0000U;
    int sum = static_cast<int>(i);
    for (int bits = 8; bits > 0; bits /= 2) {
      sum += __shfl_xor_sync(mask, sum, bits);
    }
    sums[i] = sum;
  });
  CHECK(sums[3] == 120);
  CHECK(sums[20] == 376);
}

TEST_CASE("A shuffle without some of its lanes is an error") {
  const std::string missing = error_of(shape_of(1, 32), [] {
    if (threadIdx.x != 9) {
      static_cast<void>(__shfl_xor_sync(0xffffffffU, 1, 1));
    }
  });
  CHECK(contains(missing, "for threads that never arrive there"));
  const std::string outside = error_of(
      shape_of(1, 32), [] { static_cast<void>(__shfl_xor_sync(0x1U, 1, 1)); });
  CHECK(contains(outside, "is not in the mask of its exchange"));
}

TEST_CASE("Fresh shared memory has the bytes of the settings") {
  const Settings settings;
  double seen = 0.0;
  const auto read = [&] {
    seen = *static_cast<const double*>(mlp::cuda_host::shared_memory());
  };
  run_grid(shape_of(1, 1, sizeof(double)), read);
  CHECK(std::isnan(seen));
  execution_settings().fill = 0;
  run_grid(shape_of(1, 1, sizeof(double)), read);
  CHECK(seen == 0.0);
}

TEST_CASE("A write outside shared memory is an error") {
  const std::string error = error_of(shape_of(2, 1, 16), [] {
    static_cast<char*>(mlp::cuda_host::shared_memory())[16] = 0;
  });
  CHECK(error ==
        "a kernel wrote outside the 16 bytes of shared memory of its block");
}

TEST_CASE("The order of blocks follows the seed") {
  const Settings settings;
  std::set<std::vector<unsigned>> orders;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    execution_settings().order_seed = seed;
    std::vector<unsigned> order;
    run_grid(shape_of(8, 1), [&] { order.push_back(blockIdx.x); });
    orders.insert(order);
  }
  CHECK(orders.size() >= 9);
}

TEST_CASE("A kernel runs after one that failed") {
  CHECK_THROWS(run_grid(shape_of(1, 32), [] {
    if (threadIdx.x == 3) throw KernelError("from a thread");
    __syncthreads();
  }));
  int count = 0;
  run_grid(shape_of(2, 32), [&] {
    __syncthreads();
    ++count;
  });
  CHECK(count == 64);
}

}  // namespace mlp::cuda_host
