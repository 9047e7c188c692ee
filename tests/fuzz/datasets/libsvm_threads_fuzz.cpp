// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a LIBSVM file with one thread and with three: equal data,
// or the same error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../datasets/libsvm/libsvm.hpp"
#include "../../../datasets/reading/text_lines.hpp"
#include "../outcome.hpp"
#include "equal_data.hpp"
#include "libsvm_width.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using mlp::datasets::detail::read_libsvm_text;
  const std::string_view text = mlp::datasets::detail::without_byte_order_mark(
      {reinterpret_cast<const char*>(data), size});
  const mlp::Index width = mlp::fuzz::libsvm_width(text);
  const auto alone = mlp::fuzz::outcome_of(
      [&] { return read_libsvm_text(text, "data.svm", width, 1); });
  const auto together = mlp::fuzz::outcome_of([&] {
    return read_libsvm_text(text, "data.svm", width, mlp::fuzz::kManyThreads,
                            mlp::fuzz::kSmallPieces);
  });
  mlp::fuzz::require_equal(alone, together);
  return 0;
}
