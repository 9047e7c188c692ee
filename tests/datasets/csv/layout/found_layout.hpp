// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Finds the layout of texts, for tests.

#include <string>
#include <utility>
#include <vector>

#include "../../../../datasets/csv/layout/csv_layout.hpp"

namespace mlp::datasets::testing {

inline detail::CsvLayout find(const std::string& text,
                              const CsvOptions& options = {}) {
  return detail::CsvLayoutFinder(text, "f.csv", options).find();
}

inline CsvOptions label(const std::string& name) {
  CsvOptions options;
  options.label = name;
  return options;
}

inline CsvOptions weight(const std::string& name) {
  CsvOptions options;
  options.weight = name;
  return options;
}

inline CsvOptions optional(Index num_features,
                           std::vector<std::string> names = {}) {
  CsvOptions options;
  options.label_rule = LabelRule::kOptional;
  options.num_features = num_features;
  options.feature_names = std::move(names);
  return options;
}

}  // namespace mlp::datasets::testing
