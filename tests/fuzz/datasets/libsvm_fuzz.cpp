// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a LIBSVM file.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../datasets/libsvm/libsvm.hpp"
#include "../outcome.hpp"
#include "libsvm_width.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto dataset = mlp::fuzz::outcome_of([&] {
    return mlp::datasets::read_libsvm(text, "data.svm",
                                      mlp::fuzz::libsvm_width(text));
  });
  if (dataset.value) {
    mlp::fuzz::require(dataset.value->features.allFinite(), "finite features");
  }
  return 0;
}
