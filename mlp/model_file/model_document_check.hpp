// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../params/param_table.hpp"
#include "json_columns.hpp"
#include "model_document.hpp"

namespace mlp {

namespace detail {

/// Checks the values of a document. The writer and the reader use the same
/// checks, so every written file can be read.
class DocumentCheck {
 public:
  DocumentCheck(const ModelDocument& document, const std::string& file)
      : document_(document), file_(file) {}

  void run() const {
    check_params();
    check_input();
    check_classes("$.labels", document_.model.label_names());
    check_thresholds();
    check_finite("$.weights.data", document_.model.weights());
    check_statistics();
    check_count("$.training.evaluations", document_.summary.evaluations);
    check_count("$.training.rows", document_.num_instances);
    for (std::size_t i = 0; i < document_.self_test.size(); ++i) {
      check_instance("$.selfTest[" + std::to_string(i) + "].",
                     document_.self_test[i]);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& path,
                           const std::string& sentence) const {
    throw ModelError(file_, path, sentence);
  }

  /// Writes each value and reads it back, which fails if a value is not finite.
  void check_params() const {
    for (const ParamInfo& info : kParamTable) {
      if (!is_written(info, document_.params)) continue;
      const std::string json = info.format(document_.params);
      std::string_view text = json;
      if (text.size() >= 2 && text.front() == '"') {
        text = text.substr(1, text.size() - 2);
      }
      Params read_back;
      const bool is_valid =
          info.is_valid(document_.params) && info.parse(read_back, text);
      if (!is_valid) {
        refuse("$.params." + std::string(info.name),
               "must be " + std::string(info.interval) + "; got " + json);
      }
    }
  }

  void check_input() const {
    check_utf8("$.input.featureNames", document_.model.feature_names());
    check_label_column();
    check_columns(document_.model.input_columns(),
                  document_.model.feature_names(), file_);
    check_rules(document_.model.input_rules(), file_);
    if (!document_.model.scaler()) return;
    const Vector& deviation = document_.model.scaler()->standard_deviation;
    check_finite("$.input.mean", document_.model.scaler()->mean);
    check_finite("$.input.std", deviation);
    for (Index i = 0; i < deviation.size(); ++i) {
      if (deviation[i] >= 0.0) continue;
      refuse("$.input.std[" + std::to_string(i) + ']',
             "must be a number >= 0; got " + format_double(deviation[i]));
    }
  }

  void check_label_column() const {
    const std::string& label = document_.model.label_column();
    if (!is_utf8(label)) {
      refuse("$.input.label", "must be UTF-8; got " + shown_json_string(label) +
                                  ": convert the name to UTF-8");
    }
    const std::vector<std::string>& names = document_.model.feature_names();
    const auto same = std::find(names.begin(), names.end(), label);
    check_label_is_no_column();
    if (same == names.end() || label.empty()) return;
    refuse("$.input.label", "must not be the name of a feature; got " +
                                shown_json_string(label) +
                                ", which is $.input.featureNames[" +
                                std::to_string(same - names.begin()) + ']');
  }

  void check_label_is_no_column() const {
    const std::string& label = document_.model.label_column();
    const auto& columns = document_.model.input_columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_category =
          columns[i].kind == datasets::ColumnKind::kCategory;
      if (label.empty() || !is_category || columns[i].name != label) continue;
      refuse("$.input.label", "must not be the name of a column; got " +
                                  shown_json_string(label) + ", which is " +
                                  column_path(i) + ".name");
    }
  }

  void check_thresholds() const {
    const std::vector<double>& thresholds = document_.model.thresholds();
    bool has_zero = false;
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
      const bool is_second_zero = thresholds[i] == 0.0 && has_zero;
      const bool is_valid = std::isfinite(thresholds[i]) &&
                            thresholds[i] >= 0.0 && !is_second_zero;
      if (!is_valid) {
        refuse("$.thresholds[" + std::to_string(i) + ']',
               "must be a finite number >= 0, at most one of them 0; got " +
                   format_double(thresholds[i]));
      }
      has_zero = has_zero || thresholds[i] == 0.0;
    }
  }

  void check_statistics() const {
    const Topology& topology = document_.model.topology();
    const Vector& statistics = document_.model.statistics();
    check_finite("$.network.statistics", statistics);
    for (Index k = 0; k < topology.num_layers(); ++k) {
      if (!topology.has_batch_norm(k)) continue;
      const Index units = topology.output_size(k);
      const Index first = topology.statistic_offset(k) + units;
      for (Index i = first; i < first + units; ++i) {
        if (statistics[i] >= 0.0) continue;
        refuse("$.network.statistics[" + std::to_string(i) + ']',
               "must be a variance >= 0; got " + format_double(statistics[i]));
      }
    }
  }

  void check_utf8(const std::string& path,
                  const std::vector<std::string>& names) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_utf8(names[i])) continue;
      refuse(path + '[' + std::to_string(i) + ']',
             "must be UTF-8; got " + shown_json_string(names[i]) +
                 ": convert the name to UTF-8");
    }
  }

  void check_classes(const std::string& path,
                     const std::vector<std::string>& names) const {
    check_utf8(path, names);
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string place = path + '[' + std::to_string(i) + ']';
      const auto [same, is_new] = places.emplace(names[i], i);
      if (is_new) continue;
      refuse(place, "must differ from " + path + '[' +
                        std::to_string(same->second) + "]; got " +
                        shown_json_string(names[i]));
    }
  }

  void check_finite(const std::string& path, const Vector& numbers) const {
    if (numbers.allFinite()) return;
    for (Index i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i])) continue;
      refuse(path + '[' + std::to_string(i) + ']',
             "must be a finite number; got " + format_double(numbers[i]));
    }
  }

  void check_count(const std::string& path, Index count) const {
    if (count >= 0) return;
    refuse(path, "must be an integer >= 0; got " + std::to_string(count));
  }

  void check_numbers(const std::string& path, const Vector& numbers,
                     Index expected) const {
    if (numbers.size() != expected) {
      refuse(path, "must be " + std::to_string(expected) +
                       " numbers for layers " +
                       format_list(document_.model.layers()) + "; got " +
                       std::to_string(numbers.size()));
    }
    check_finite(path, numbers);
  }

  void check_instance(const std::string& path,
                      const SelfTestInstance& instance) const {
    const Index num_classes = document_.model.num_classes();
    check_numbers(path + "features", instance.features,
                  document_.model.num_features());
    check_numbers(path + "rawPrediction", instance.raw_prediction, num_classes);
    check_numbers(path + "probability", instance.probability,
                  document_.model.is_regressor() ? 0 : num_classes);
    if (instance.prediction < 0 || instance.prediction >= num_classes) {
      refuse(path + "prediction",
             "must be an integer from 0 to " + std::to_string(num_classes - 1) +
                 "; got " + std::to_string(instance.prediction));
    }
  }

  const ModelDocument& document_;
  std::string file_;
};

}  // namespace detail

/// Checks that a document can be written as a model file: numbers are finite,
/// hyper-parameters and thresholds valid, names in UTF-8, counts >= 0, and the
/// self-test has the model's shapes.
///
/// \param file  the document's name in messages
/// \throws ModelError naming the first wrong value by its JSON path
inline void check_model_document(const ModelDocument& document,
                                 const std::string& file) {
  detail::DocumentCheck(document, file).run();
}

}  // namespace mlp
