// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "random_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "../../cuda/runtime/cuda_check.hpp"

namespace mlp::bench {
namespace {

/// The numbers that are drawn; longer arrays repeat them.
constexpr std::size_t kNumDrawn = std::size_t{1} << 20;

template <typename Number>
void append(Number number, std::vector<char>& bytes) {
  const std::size_t end = bytes.size();
  bytes.resize(end + sizeof number);
  std::memcpy(bytes.data() + end, &number, sizeof number);
}

std::vector<char> draw(Index number_bytes) {
  std::mt19937_64 generator(1);
  // Every bit is random: a device computes faster with numbers that end with zeros,
  // because it needs less power.
  std::uniform_real_distribution<double> distribution(-0.5, 0.5);
  std::vector<char> bytes;
  for (std::size_t i = 0; i < kNumDrawn; ++i) {
    const double drawn = distribution(generator);
    const auto number = static_cast<float>(drawn);
    if (number_bytes == sizeof(double)) {
      append(drawn, bytes);
    } else if (number_bytes == sizeof(float)) {
      append(number, bytes);
    } else {
      // A bfloat16 is the upper half of a float.
      constexpr int kHalf = 16;
      append(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >>
                                        kHalf),
             bytes);
    }
  }
  return bytes;
}

}  // namespace

void fill_randomly(Index number_bytes, cuda::DeviceArray<char>& memory,
                   const cuda::Stream& stream) {
  const std::vector<char> drawn = draw(number_bytes);
  std::size_t filled = std::min(drawn.size(), memory.size_bytes());
  memory.upload({drawn.data(), filled}, stream);
  while (filled < memory.size_bytes()) {
    const std::size_t count = std::min(filled, memory.size_bytes() - filled);
    cuda::check(cudaMemcpyAsync(memory.data() + filled, memory.data(), count,
                                cudaMemcpyDeviceToDevice, stream.get()),
                "cudaMemcpyAsync");
    filled += count;
  }
  stream.synchronize();
}

}  // namespace mlp::bench
