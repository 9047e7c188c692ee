// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as an idx or .npy file with one thread and with three: equal
// data, or the same error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/types.hpp"
#include "../../../datasets/binary/idx.hpp"
#include "../../../datasets/binary/npy.hpp"
#include "../outcome.hpp"
#include "equal_data.hpp"

namespace {

using mlp::datasets::detail::PieceSizes;

/// \return [num_features x num_instances]
mlp::Matrix read(std::string_view bytes, int num_threads,
                 const PieceSizes& sizes) {
  using namespace mlp::datasets;
  if (is_npy(bytes)) {
    return detail::read_npy_matrix(bytes,
                                   detail::read_npy_header(bytes, "data.npy"),
                                   "data.npy", num_threads, sizes);
  }
  return detail::read_idx_matrix(bytes, read_idx_header(bytes, "data.idx"),
                                 "data.idx", num_threads, sizes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto alone =
      mlp::fuzz::outcome_of([&] { return read(bytes, 1, PieceSizes{}); });
  const auto together = mlp::fuzz::outcome_of([&] {
    return read(bytes, mlp::fuzz::kManyThreads, mlp::fuzz::kSmallPieces);
  });
  mlp::fuzz::require(alone.error == together.error, "the same error");
  mlp::fuzz::require(
      !alone.value || mlp::fuzz::has_same_bits(*alone.value, *together.value),
      "equal data");
  return 0;
}
