// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a model file.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../mlp/model_json.hpp"
#include "../outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document =
      mlp::fuzz::outcome_of([&] { return mlp::from_json(text, "model.json"); });
  mlp::fuzz::require(document.value.has_value() != !document.error.empty(),
                     "a model or a sentence");
  return 0;
}
