// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a file of initial weights.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../cli/train/initial_weights_file.hpp"
#include "../outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto weights = mlp::fuzz::outcome_of(
      [&] { return mlp::cli::parse_weight_array(text, "weights.json"); });
  if (weights.value) {
    mlp::fuzz::require(weights.value->allFinite(), "finite weights");
  }
  return 0;
}
