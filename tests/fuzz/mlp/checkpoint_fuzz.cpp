// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a checkpoint file. Half of the inputs have the right hash.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../../core/sha256.hpp"
#include "../../../mlp/checkpoint/checkpoint_file.hpp"
#include "../outcome.hpp"
#include "checkpoint_bytes.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                               std::size_t size,
                                               std::size_t max_size,
                                               unsigned seed) {
  using mlp::fuzz::kHashBytes;
  if (seed % 2 != 0 || size < kHashBytes || max_size < 2 * kHashBytes) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  size = LLVMFuzzerMutate(data, size - kHashBytes, max_size - kHashBytes);
  const std::string hash =
      mlp::sha256_hex({reinterpret_cast<const char*>(data), size});
  std::memcpy(data + size, hash.data(), kHashBytes);
  return size + kHashBytes;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto checkpoint = mlp::fuzz::outcome_of(
      [&] { return mlp::detail::parse_checkpoint(bytes, "state.ckpt"); });
  if (!checkpoint.value) return 0;
  mlp::fuzz::require(mlp::fuzz::checkpoint_bytes(*checkpoint.value) == bytes,
                     "the same bytes");
  static_cast<void>(mlp::fuzz::outcome_of([&] {
    return mlp::take_state(*checkpoint.value, "solver l-bfgs\nseed 1\n",
                           "state.ckpt");
  }));
  return 0;
}
