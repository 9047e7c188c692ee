// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/csv/csv.hpp"
#include "../../datasets/dataset.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/libsvm/libsvm.hpp"
#include "../../mlp/params/param_table.hpp"
#include "../../mlp/params/params.hpp"

namespace mlp::testing {

/// One fit recorded from real Spark: tests/golden/README.md explains the keys.
struct GoldenFit {
  std::string name;
  nlohmann::json recorded;
  Params params;
  datasets::Dataset data;
};

/// A number of a golden file: NaN and the infinities stand there as strings.
inline double golden_number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  const double infinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return text == "-Infinity" ? -infinity : infinity;
}

inline Vector golden_vector(const nlohmann::json& values) {
  Vector vector(static_cast<Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    vector[static_cast<Index>(i)] = golden_number(values[i]);
  }
  return vector;
}

inline nlohmann::json read_golden(const std::string& name) {
  const std::string path =
      std::string(MLP_TEST_DATA_DIR) + "/golden/spark-3.5/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no file " + path);
  return nlohmann::json::parse(file);
}

inline datasets::Dataset read_inline(const nlohmann::json& instances) {
  datasets::Dataset data;
  const auto count = static_cast<Index>(instances.size());
  data.features.resize(static_cast<Index>(instances[0]["features"].size()),
                       count);
  data.labels.resize(count);
  for (Index i = 0; i < count; ++i) {
    const auto& instance = instances[static_cast<std::size_t>(i)];
    data.features.col(i) = golden_vector(instance["features"]);
    data.labels[i] = golden_number(instance["label"]);
  }
  return data;
}

inline datasets::Dataset read_golden_data(const nlohmann::json& recorded) {
  const auto what = recorded["data"].get<std::string>();
  if (what == "inline") return read_inline(recorded["instances"]);
  const std::string path =
      std::string(MLP_DATA_DIR) + '/' + what.substr(0, what.find(','));
  if (what.starts_with("sample")) return datasets::read_libsvm_file(path);
  datasets::Dataset data = datasets::read_csv_file(path).dataset;
  if (!data.label_texts.empty()) {
    data.labels = datasets::LabelIndex::fit(data.label_texts).apply(data);
  }
  if (what.ends_with("divided by 16")) data.features /= 16.0;
  if (what.ends_with("times 1000")) data.features *= 1000.0;
  if (what.ends_with("first 50 rows")) {
    data.features = data.features.leftCols(50).eval();
    data.labels = data.labels.head(50).eval();
    data.lines.clear();
    data.label_texts.clear();
  }
  return data;
}

/// Reads a recorded fit, its parameters through the table that the command line
/// uses, and its data.
inline GoldenFit read_golden_fit(const std::string& name) {
  GoldenFit fit{name, read_golden(name), {}, {}};
  for (const auto& [key, value] : fit.recorded["params"].items()) {
    const ParamInfo* info = find_param(key);
    if (!info) throw std::runtime_error("unknown parameter " + key);
    set_param(fit.params, *info,
              value.is_string() ? value.get<std::string>() : value.dump());
  }
  fit.params.seed = fit.recorded["effectiveSeed"].get<std::int64_t>();
  fit.data = read_golden_data(fit.recorded);
  fit.data.partition_sizes =
      fit.recorded["partitionSizes"].get<std::vector<Index>>();
  return fit;
}

/// Every recorded fit.
inline const std::vector<std::string>& golden_fit_names() {
  static const std::vector<std::string> names = {
      "calibration",
      "digits_32",
      "digits_4_partitions",
      "digits_wide_tol",
      "iris_200_partitions",
      "iris_3_partitions",
      "iris_7_partitions",
      "iris_block1",
      "iris_block30",
      "iris_deep",
      "iris_default",
      "iris_gd",
      "iris_one_class_only",
      "iris_softmax_regression",
      "iris_thresholds",
      "iris_thresholds_zero",
      "iris_unscaled_x1000",
      "sample_seed1",
      "sample_softmax_regression",
      "xor_2_2_2_seed123",
      "xor_2_5_2_seed123",
      "xor_default_seed_pyspark",
      "xor_gd",
      "xor_gd_converges",
      "xor_initial_weights",
      "xor_maxiter0",
      "xor_seed_-1",
      "xor_seed_-9223372036854775808",
      "xor_seed_0",
      "xor_seed_1",
      "xor_seed_9223372036854775807",
      "xor_short_block",
      "xor_tol0_search_fails",
      "xor_two_partitions_iter1",
      "xor_two_partitions_iter10",
      "xor_two_partitions_iter100",
      "xor_two_partitions_iter20",
      "xor_two_partitions_iter5",
  };
  return names;
}

/// Leading entries of a history that agree with the recorded one within a
/// relative tolerance.
inline std::size_t agreeing_entries(const std::vector<double>& history,
                                    const nlohmann::json& recorded,
                                    double tolerance) {
  std::size_t i = 0;
  for (; i < history.size() && i < recorded.size(); ++i) {
    const double expected = golden_number(recorded[i]);
    if (std::isnan(expected) && std::isnan(history[i])) continue;
    const double difference = std::abs(expected - history[i]);
    if (!(difference <= tolerance * std::abs(expected))) break;
  }
  return i;
}

}  // namespace mlp::testing
