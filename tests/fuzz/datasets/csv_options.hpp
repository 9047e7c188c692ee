// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Takes the options of the CSV reader from the last two bytes of an input.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../datasets/csv/csv_options.hpp"

namespace mlp::fuzz {

/// The text of an input, and how to read it.
struct CsvInput {
  std::string_view text;
  datasets::CsvOptions options;
};

/// An input that ends with two zero bytes is read with the default options.
inline CsvInput split_csv_input(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kDelimiters{'\0', ',', ';', '\t'};
  constexpr std::array<std::string_view, 4> kLabels{"", "a", "0", "-1"};
  CsvInput input;
  if (size < 2) return input;
  input.text = {reinterpret_cast<const char*>(data), size - 2};
  const unsigned bits = data[size - 1];
  datasets::CsvOptions& options = input.options;
  options.label_rule = static_cast<datasets::LabelRule>((bits & 3) % 3);
  options.label = kLabels[bits >> 2 & 3];
  options.delimiter = kDelimiters[bits >> 4 & 3];
  options.label_as_text = (bits & 64) != 0;
  if ((bits & 3) == 3) {
    options.one_hot.is_auto = true;
    options.missing = (bits & 64) != 0 ? datasets::MissingRule::kDrop
                                       : datasets::MissingRule::kMean;
  }
  if ((bits & 128) != 0) {
    options.weight = "w";
    options.feature_names = {"b", "c"};
    options.known_label = {"a", 1};
  }
  const unsigned columns = data[size - 2];
  options.header = static_cast<datasets::HeaderRule>((columns & 3) % 3);
  if ((columns & 4) != 0) options.ignored = {"0"};
  if ((columns & 8) != 0) options.ignored.push_back("id");
  if ((columns & 16) != 0) options.features = {"b", "1"};
  if ((columns & 32) != 0) options.kept = {"-1", "id"};
  if ((columns & 64) != 0) options.num_features = 2;
  if ((columns & 128) != 0) options.delimiter = '|';
  return input;
}

}  // namespace mlp::fuzz
