// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "data_report.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "../../core/number_text.hpp"
#include "../../datasets/label_index.hpp"
#include "../console/json_output.hpp"
#include "../console/text_table.hpp"

namespace mlp::cli {

namespace {

/// The largest number of features or classes listed in the text report.
constexpr std::size_t kMaxShown = 20;

using ClassCounts = std::vector<std::pair<std::string, Index>>;

/// Counts how often each label occurs. Text labels are in the order of their
/// class indices, numbers ascending.
ClassCounts count_classes(const datasets::Dataset& data) {
  ClassCounts classes;
  if (!data.label_texts.empty()) {
    std::map<std::string, Index> counts;
    for (const std::string& text : data.label_texts) ++counts[text];
    for (const std::string& name :
         datasets::LabelIndex::fit(data.label_texts).names) {
      classes.emplace_back(name, counts[name]);
    }
    return classes;
  }
  std::map<double, Index> counts;
  for (const double label : data.labels) ++counts[label];
  for (const auto& [label, count] : counts) {
    classes.emplace_back(format_double(label), count);
  }
  return classes;
}

std::string feature_name(const datasets::Dataset& data, Index feature) {
  return data.feature_names.empty()
             ? std::to_string(feature)
             : data.feature_names[static_cast<std::size_t>(feature)];
}

std::string six_digits(double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.6g", number);
  return buffer;
}

std::string describe_rest(std::size_t num_all) {
  if (num_all <= kMaxShown) return "";
  return "and " + std::to_string(num_all - kMaxShown) +
         " more; --json lists all of them\n";
}

std::string format_ranges(const datasets::Dataset& data) {
  TextTable table({"feature", "minimum", "mean", "maximum"});
  const Index num_shown =
      std::min(data.num_features(), static_cast<Index>(kMaxShown));
  for (Index i = 0; i < num_shown; ++i) {
    const auto feature = data.features.row(i);
    table.add({feature_name(data, i), six_digits(feature.minCoeff()),
               six_digits(feature.mean()), six_digits(feature.maxCoeff())});
  }
  return table.text() +
         describe_rest(static_cast<std::size_t>(data.num_features()));
}

std::string format_classes(const datasets::Dataset& data) {
  const ClassCounts classes = count_classes(data);
  TextTable table(
      {data.label_name.empty() ? "label" : data.label_name, "instances"});
  for (std::size_t i = 0; i < std::min(classes.size(), kMaxShown); ++i) {
    table.add({classes[i].first, std::to_string(classes[i].second)});
  }
  return table.text() + describe_rest(classes.size());
}

}  // namespace

std::string format_data_json(const datasets::Dataset& data) {
  const Vector minimum = data.features.rowwise().minCoeff();
  const Vector mean = data.features.rowwise().mean();
  const Vector maximum = data.features.rowwise().maxCoeff();
  JsonObject json;
  json.add("file", data.source)
      .add("rows", data.num_instances())
      .add("features", data.num_features());
  if (!data.feature_names.empty()) json.add("featureNames", data.feature_names);
  json.add("minimum", minimum).add("mean", mean).add("maximum", maximum);
  if (!data.has_labels()) return json.text();
  if (!data.label_name.empty()) json.add("label", data.label_name);
  std::vector<std::string> names;
  std::vector<Index> counts;
  for (const auto& [name, count] : count_classes(data)) {
    names.push_back(name);
    counts.push_back(count);
  }
  return json.add("classes", names).add("classRows", counts).text();
}

std::string format_data_text(const datasets::Dataset& data) {
  std::string text = std::to_string(data.num_instances()) + " instances of " +
                     std::to_string(data.num_features()) + " features\n\n" +
                     format_ranges(data);
  if (data.has_labels()) text += '\n' + format_classes(data);
  return text;
}

}  // namespace mlp::cli
