// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Reads any bytes as a CSV file with one thread and with three: equal data, or
// the same error.

#include <cstddef>
#include <cstdint>

#include "../../../datasets/csv/csv.hpp"
#include "../outcome.hpp"
#include "csv_options.hpp"
#include "equal_data.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using mlp::datasets::detail::PieceSizes;
  mlp::fuzz::CsvInput input = mlp::fuzz::split_csv_input(data, size);
  const auto read = [&](int num_threads, const PieceSizes& sizes) {
    input.options.num_threads = num_threads;
    return mlp::fuzz::outcome_of([&] {
      return mlp::datasets::detail::read_csv_text(input.text, "data.csv",
                                                  input.options, sizes)
          .dataset;
    });
  };
  mlp::fuzz::require_equal(
      read(1, {}), read(mlp::fuzz::kManyThreads, mlp::fuzz::kSmallPieces));
  return 0;
}
