// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Fields in double quotes, as a CSV file has them.
namespace mlp::datasets {

/// Appends a field in double quotes; those within it are doubled.
///
/// \source RFC 4180
inline void append_in_double_quotes(std::string& line, std::string_view field) {
  line += '"';
  for (const char byte : field) {
    if (byte == '"') line += '"';
    line += byte;
  }
  line += '"';
}

}  // namespace mlp::datasets
