// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Reads texts as CSV, for tests.

#include <string>
#include <vector>

#include "../../../datasets/csv/csv.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets::testing {

using Texts = std::vector<std::string>;

inline CsvTable read(const std::string& text, const CsvOptions& options = {}) {
  return read_csv(text, "f.csv", options);
}

/// The message of the error of reading a text; "" if it can be read.
inline std::string refusal(const std::string& text,
                           const CsvOptions& options = {}) {
  return test::thrown_message<DataError>([&] { return read(text, options); });
}

}  // namespace mlp::datasets::testing
