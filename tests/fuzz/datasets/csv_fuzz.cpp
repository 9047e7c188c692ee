// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a CSV file.

#include <cstddef>
#include <cstdint>

#include "../../../datasets/csv/csv.hpp"
#include "../outcome.hpp"
#include "csv_options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const mlp::fuzz::CsvInput input = mlp::fuzz::split_csv_input(data, size);
  const auto table = mlp::fuzz::outcome_of([&] {
    return mlp::datasets::read_csv(input.text, "data.csv", input.options);
  });
  if (table.value) {
    mlp::fuzz::require(table.value->dataset.features.allFinite(),
                       "finite features");
  }
  return 0;
}
