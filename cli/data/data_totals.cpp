// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "data_totals.hpp"

#include <algorithm>
#include <cmath>

#include "../../mlp/network/topology.hpp"

namespace mlp::cli {

namespace {

/// Returns the largest label plus one. Labels that are not classes are not
/// checked here; the training refuses them.
Index largest_class_count(const Vector& labels) {
  const double largest = labels.size() == 0 ? 0.0 : labels.maxCoeff();
  const auto limit = static_cast<double>(Topology::kMaxWidth);
  return static_cast<Index>(std::floor(std::clamp(largest, 0.0, limit - 1.0))) +
         1;
}

}  // namespace

double sum_weights(const datasets::Dataset& data) {
  return data.weights.size() == 0 ? static_cast<double>(data.num_instances())
                                  : data.weights.sum();
}

DataTotals totals_of(const datasets::Dataset& data, Task task) {
  DataTotals totals;
  totals.num_features = data.num_features();
  totals.num_classes = largest_class_count(data.labels);
  totals.labels = datasets::count_labels(data.label_texts);
  if (task != Task::kRegression) {
    totals.numbers = datasets::LabelNumbers::of(data.labels);
    totals.numbers.set_spellings(data.label_spellings);
  }
  totals.sizes = {data.num_instances()};
  totals.weight_sum = sum_weights(data);
  return totals;
}

}  // namespace mlp::cli
