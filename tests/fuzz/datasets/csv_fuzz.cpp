// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a CSV file.

#include <cstddef>
#include <cstdint>

#include "../../../datasets/column_encoder.hpp"
#include "../../../datasets/csv/csv.hpp"
#include "../outcome.hpp"
#include "csv_options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const mlp::fuzz::CsvInput input = mlp::fuzz::split_csv_input(data, size);
  const auto table = mlp::fuzz::outcome_of([&] {
    return mlp::datasets::read_csv(input.text, "data.csv", input.options);
  });
  if (!table.value) return 0;
  mlp::datasets::Dataset encoded = table.value->dataset;
  const auto is_encoded = mlp::fuzz::outcome_of([&] {
    auto columns = encoded.columns;
    mlp::datasets::fit_missing_values(encoded, columns);
    mlp::datasets::encode(encoded, columns);
    return true;
  });
  if (is_encoded.value) {
    mlp::fuzz::require(encoded.features.allFinite(), "finite features");
  }
  return 0;
}
