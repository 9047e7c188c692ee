// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as an idx file of features, and as one of labels.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../datasets/binary/idx.hpp"
#include "../outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto dataset = mlp::fuzz::outcome_of(
      [&] { return mlp::datasets::read_idx(bytes, "data.idx"); });
  const auto labels = mlp::fuzz::outcome_of(
      [&] { return mlp::datasets::read_idx_labels(bytes, "data.idx"); });
  if (dataset.value) {
    mlp::fuzz::require(dataset.value->features.allFinite(), "finite features");
  }
  if (labels.value) {
    mlp::fuzz::require(labels.value->allFinite(), "finite labels");
  }
  return 0;
}
