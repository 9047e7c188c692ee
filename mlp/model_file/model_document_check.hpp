// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../core/utf8.hpp"
#include "../../datasets/input_column.hpp"
#include "../params/param_table.hpp"
#include "model_document.hpp"
#include "value_check.hpp"

namespace mlp {

namespace detail {

/// Checks the values of a document. The writer and the reader use the same
/// checks, so every written file can be read.
class DocumentCheck : private ValueCheck {
 public:
  DocumentCheck(const ModelDocument& document, const std::string& file)
      : ValueCheck(file), document_(document), model_(document.model) {}

  void run() const {
    check_params();
    check_utf8("$.input.featureNames", model_.feature_names());
    check_label_column();
    for (std::size_t i = 0; i < model_.input_columns().size(); ++i) {
      check_column(model_.input_columns()[i], i);
    }
    check_feature_names();
    check_missing_texts();
    check_scaler();
    check_classes();
    check_thresholds();
    check_regions();
    require_finite("$.weights.data", model_.weights());
    check_statistics();
    check_count("$.training.evaluations", document_.summary.evaluations);
    check_count("$.training.rows", document_.num_instances);
    check_selection();
    for (std::size_t i = 0; i < document_.self_test.size(); ++i) {
      check_instance(item_path("$.selfTest", i) + '.', document_.self_test[i]);
    }
  }

 private:
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
      require(info.is_valid(document_.params) && info.parse(read_back, text),
              "$.params." + std::string(info.name), std::string(info.interval),
              json);
    }
  }

  void check_selection() const {
    if (!document_.selection) return;
    const std::string path = "$.training.selection.";
    const SelectionReport& selection = *document_.selection;
    const UnseenScores& unseen = selection.unseen;
    check_count(path + "folds", selection.num_folds);
    check_count(path + "networks", selection.num_networks);
    check_count(path + "unseenRows", unseen.num_instances);
    require(selection.temperature > 0.0 && std::isfinite(selection.temperature),
            path + "temperature", "a number > 0",
            format_double(selection.temperature));
    const auto require_number = [&](const char* name, double number) {
      require(std::isfinite(number), path + name, "a finite number",
              format_double(number));
    };
    require_number("unseenLoss", unseen.loss);
    require_number("unseenAccuracy", unseen.accuracy);
    require_number("calibrationError", unseen.calibration_error);
    if (!unseen.coverage) return;
    const double share = unseen.coverage->share;
    require(share >= 0.0 && share <= 1.0, path + "unseenCoverage",
            "a number from 0 to 1", format_double(share));
    const double size = unseen.coverage->mean_size;
    require(size >= 0.0 && std::isfinite(size), path + "unseenMeanSize",
            "a number >= 0", format_double(size));
  }

  void check_coverage(const std::string& path, double coverage) const {
    require(coverage > 0.0 && coverage < 1.0, path + "coverage",
            "a number > 0 and < 1", format_double(coverage));
  }

  void check_regions() const {
    if (const auto& set = model_.prediction_set()) {
      const std::string path = "$.predictionSet.";
      check_coverage(path, set->coverage);
      const double least = set->least_probability;
      require(least >= 0.0 && least <= 1.0, path + "leastProbability",
              "a number >= 0 and <= 1", format_double(least));
    }
    const auto& interval = model_.prediction_interval();
    if (!interval) return;
    const std::string path = "$.predictionInterval.";
    check_coverage(path, interval->coverage);
    require_finite(path + "lower", interval->lower);
    require_finite(path + "upper", interval->upper);
    for (Index i = 0; i < interval->lower.size(); ++i) {
      require(interval->lower[i] <= interval->upper[i],
              item_path(path + "upper", static_cast<std::size_t>(i)),
              "at least " + format_double(interval->lower[i]) +
                  ", the number of lower",
              format_double(interval->upper[i]));
    }
  }

  void check_utf8(const std::string& path,
                  const std::vector<std::string>& names) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!is_utf8(names[i])) refuse_utf8(item_path(path, i), names[i]);
    }
  }

  [[noreturn]] void refuse_utf8(const std::string& path,
                                const std::string& name) const {
    refuse(path, "must be UTF-8; got " + shown_json_string(name) +
                     ": convert the name to UTF-8");
  }

  void check_label_column() const {
    const std::string& label = model_.label_column();
    if (label.empty()) return;
    if (!is_utf8(label)) refuse_utf8("$.input.label", label);
    const auto refuse_name = [&](const std::string& of,
                                 const std::string& place) {
      refuse("$.input.label", "must not be the name of a " + of + "; got " +
                                  shown_json_string(label) + ", which is " +
                                  place);
    };
    const auto& columns = model_.input_columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool is_category =
          columns[i].kind == datasets::ColumnKind::kCategory;
      if (!is_category || columns[i].name != label) continue;
      refuse_name("column", item_path("$.input.columns", i) + ".name");
    }
    const std::vector<std::string>& names = model_.feature_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != label) continue;
      refuse_name("feature", item_path("$.input.featureNames", i));
    }
  }

  /// Categories are sorted UTF-8, and values for missing ones can be used.
  void check_column(const datasets::InputColumn& column, std::size_t i) const {
    const std::string path = item_path("$.input.columns", i);
    const std::vector<std::string>& categories = column.categories;
    const bool is_category = column.kind == datasets::ColumnKind::kCategory;
    const bool may_be_empty =
        !is_category || column.extra == datasets::ExtraFeature::kOther;
    if (categories.empty() ? !may_be_empty : !is_category) {
      refuse(path + ".categories",
             is_category ? "must be at least 1 text; got none"
                         : "must be empty for a column of numbers");
    }
    for (std::size_t k = 0; k < categories.size(); ++k) {
      const bool is_sorted = k == 0 || categories[k - 1] < categories[k];
      if (is_sorted && is_utf8(categories[k])) continue;
      refuse(item_path(path + ".categories", k),
             "must be UTF-8 in the order of the bytes, each text once; got " +
                 shown_json_string(categories[k]));
    }
    check_extra(column, path);
    if (!column.missing_value) return;
    const double missing = *column.missing_value;
    const bool is_index = missing >= 0.0 && missing == std::floor(missing) &&
                          missing < static_cast<double>(column.num_features());
    require(is_category ? is_index : std::isfinite(missing), path + ".missing",
            is_category ? "the index of a category, from 0 to " +
                              std::to_string(column.num_features() - 1)
                        : "a finite number",
            format_double(missing));
  }

  /// Numbers mark missing values that they replace, and categories others.
  void check_extra(const datasets::InputColumn& column,
                   const std::string& path) const {
    if (column.extra == datasets::ExtraFeature::kNone) return;
    const bool is_category = column.kind == datasets::ColumnKind::kCategory;
    const bool is_other = column.extra == datasets::ExtraFeature::kOther;
    if (is_other != is_category) {
      refuse(path + ".extra", is_category ? "must be \"other\" for a category"
                                          : "must be \"missing\" for numbers");
    }
    if (is_other || column.missing_value) return;
    refuse(path, "must have the member \"missing\" if extra is \"missing\"");
  }

  /// The features of columns have their names.
  void check_feature_names() const {
    const std::vector<std::string>& given = model_.feature_names();
    if (model_.input_columns().empty() || given.empty()) return;
    const std::vector<std::string> names =
        datasets::expanded_names(model_.input_columns());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == given[i]) continue;
      refuse(item_path("$.input.featureNames", i),
             "must be " + shown_json_string(names[i]) +
                 ", as input.columns says; got " + shown_json_string(given[i]));
    }
  }

  void check_missing_texts() const {
    const std::vector<std::string>& texts = model_.input_rules().missing_texts;
    for (auto text = texts.begin(); text != texts.end(); ++text) {
      const bool is_first = std::find(texts.begin(), text, *text) == text;
      require(is_first && !text->empty() && is_utf8(*text),
              item_path("$.input.missingTexts",
                        static_cast<std::size_t>(text - texts.begin())),
              "UTF-8 and not empty, each text once", shown_json_string(*text));
    }
  }

  void check_scaler() const {
    if (!model_.scaler()) return;
    const Vector& deviation = model_.scaler()->standard_deviation;
    require_finite("$.input.mean", model_.scaler()->mean);
    require_finite("$.input.std", deviation);
    require_not_negative("$.input.std", deviation, 0, deviation.size(),
                         "number");
  }

  void check_classes() const {
    const std::string path = "$.labels";
    const std::vector<std::string>& names = model_.label_names();
    check_utf8(path, names);
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [same, is_new] = places.emplace(names[i], i);
      if (is_new) continue;
      refuse(item_path(path, i), "must differ from " +
                                     item_path(path, same->second) + "; got " +
                                     shown_json_string(names[i]));
    }
  }

  void check_thresholds() const {
    const std::vector<double>& thresholds = model_.thresholds();
    bool has_zero = false;
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
      const bool is_second_zero = thresholds[i] == 0.0 && has_zero;
      require(std::isfinite(thresholds[i]) && thresholds[i] >= 0.0 &&
                  !is_second_zero,
              item_path("$.thresholds", i),
              "a finite number >= 0, at most one of them 0",
              format_double(thresholds[i]));
      has_zero = has_zero || thresholds[i] == 0.0;
    }
  }

  void check_statistics() const {
    const Topology& topology = model_.topology();
    require_finite("$.network.statistics", model_.statistics());
    for (Index k = 0; k < topology.num_layers(); ++k) {
      if (!topology.has_batch_norm(k)) continue;
      const Index units = topology.output_size(k);
      const Index first = topology.statistic_offset(k) + units;
      require_not_negative("$.network.statistics", model_.statistics(), first,
                           first + units, "variance");
    }
  }

  /// \param what  a number of these
  void require_not_negative(const std::string& path, const Vector& numbers,
                            Index first, Index last,
                            const std::string& what) const {
    for (Index i = first; i < last; ++i) {
      if (numbers[i] >= 0.0) continue;
      refuse(item_path(path, static_cast<std::size_t>(i)),
             "must be a " + what + " >= 0; got " + format_double(numbers[i]));
    }
  }

  void check_count(const std::string& path, Index count) const {
    require(count >= 0, path, "an integer >= 0", std::to_string(count));
  }

  void check_numbers(const std::string& path, const Vector& numbers,
                     Index expected) const {
    require(numbers.size() == expected, path,
            std::to_string(expected) + " numbers for layers " +
                format_list(model_.layers()),
            std::to_string(numbers.size()));
    require_finite(path, numbers);
  }

  void check_instance(const std::string& path,
                      const SelfTestInstance& instance) const {
    const Index num_classes = model_.num_classes();
    check_numbers(path + "features", instance.features, model_.num_features());
    check_numbers(path + "rawPrediction", instance.raw_prediction, num_classes);
    check_numbers(path + "probability", instance.probability,
                  model_.is_regressor() ? 0 : num_classes);
    require(instance.prediction >= 0 && instance.prediction < num_classes,
            path + "prediction",
            "an integer from 0 to " + std::to_string(num_classes - 1),
            std::to_string(instance.prediction));
  }

  const ModelDocument& document_;
  const Model& model_;
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
