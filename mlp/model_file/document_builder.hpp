// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/json_text.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../datasets/input_column.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../network/topology.hpp"
#include "../params/param_rules.hpp"
#include "base64.hpp"
#include "json_encoding.hpp"
#include "json_members.hpp"
#include "json_network.hpp"
#include "json_region.hpp"
#include "json_sax.hpp"
#include "model_document.hpp"
#include "model_document_check.hpp"
#include "value_check.hpp"

namespace mlp::detail {

/// Turns the values of a file into a document, or throws an error that names
/// the wrong value. Counts are compared with the content of the file before
/// they are used.
class DocumentBuilder : private ValueCheck {
 public:
  DocumentBuilder(ParsedModel parsed, const std::string& file)
      : ValueCheck(file), parsed_(std::move(parsed)), root_(parsed_.root) {}

  [[nodiscard]] ModelDocument build() {
    check_header();
    set_param_list("classWeights", parsed_.params.class_weights);
    set_param_list("freeze", parsed_.params.freeze);
    const Topology topology = NetworkBuilder(parsed_, file()).build();
    check_version(topology);
    Vector weights = take_weights(topology.num_weights());
    Model model(topology, std::move(weights),
                find_thresholds(topology.num_classes()));
    set_statistics(model);
    set_encoder(model);
    set_names(model);
    set_columns(model);
    set_scaler(model);
    RegionBuilder(root_, file()).set(model);
    take_model(model, parsed_.params);
    const auto selection = find_selection(parsed_.params);
    ModelDocument document{
        std::move(model),
        std::move(parsed_.params),
        make_summary(),
        root_.at("training").at("rows").get<Index>(),
        make_self_test(),
        {text_of("producer"), text_of("uid"), text_of("sha256")},
        find_precision(),
        selection};
    check_model_document(document, file());
    return document;
  }

 private:
  using Json = nlohmann::json;
  using Numbers = std::vector<double>;
  using Texts = std::vector<std::string>;

  static constexpr const char* kWhatBase64 = "numbers in base64";

  [[nodiscard]] std::string text_of(const char* name) const {
    return root_.at(name).get<std::string>();
  }

  [[nodiscard]] std::string format_layers() const {
    return format_list(root_.at("layers").get<std::vector<Index>>());
  }

  void require_text(const std::string& path, std::string_view expected,
                    const std::string& received,
                    const std::string& advice = "") const {
    require(received == expected, path, shown_json_string(expected),
            shown_json_string(received) + advice);
  }

  /// \param what  completes "must be 5 ..."
  void require_count(const std::string& path, const std::string& what,
                     Index expected, std::size_t received) const {
    if (static_cast<std::size_t>(expected) == received) return;
    refuse(path, "must be " + std::to_string(expected) + ' ' + what +
                     ", for layers " + format_layers() + "; got " +
                     std::to_string(received));
  }

  void check_header() const {
    const auto is_hexadecimal = [](std::string_view text, std::size_t size) {
      return text.size() == size &&
             text.find_first_not_of("0123456789abcdef") == text.npos;
    };
    require_text("$.format", kModelFormat, text_of("format"),
                 ": the file is not a model of mlp");
    const std::string uid = text_of("uid");
    require(uid.starts_with("mlpc_") && is_hexadecimal(uid.substr(5), 12),
            "$.uid", "\"mlpc_\" and 12 lower-case hexadecimal digits",
            shown_json_string(uid));
    require(is_hexadecimal(text_of("sha256"), 64), "$.sha256",
            "64 lower-case hexadecimal digits",
            shown_json_string(text_of("sha256")));
    if (text_of("producer").empty()) {
      refuse("$.producer", "must name a program and its version; got \"\"");
    }
    if (!root_.contains("sparkClass")) return;
    require(text_of("sparkClass") == kModelSparkClass, "$.sparkClass",
            '"' + std::string(kModelSparkClass) + '"',
            shown_json_string(text_of("sparkClass")));
  }

  template <typename Items>
  void set_param_list(const char* name, Items& items) const {
    const Json& params = root_.at("params");
    if (params.contains(name)) items = params.at(name).get<Items>();
  }

  /// Returns the first thing that only version 3 stores, or an empty text.
  [[nodiscard]] std::string member_of_third_version() const {
    const Json& input = root_.at("input");
    if (input.contains("numericEncoding") || input.contains("bins")) {
      return "input.numericEncoding";
    }
    if (input.value("unknown", "") == "other") return "input.unknown \"other\"";
    const Json columns = input.value("columns", Json::array());
    const bool has_extra = std::any_of(
        columns.begin(), columns.end(),
        [](const Json& column) { return column.contains("extra"); });
    return has_extra ? "the member \"extra\" of a column" : "";
  }

  /// Version 1 stores only Spark's networks.
  void check_version(const Topology& topology) const {
    const bool has_class = root_.contains("sparkClass");
    const std::string third = member_of_third_version();
    const bool is_spark = topology.is_spark() && third.empty();
    if (is_spark && !has_class) {
      refuse("$",
             "the member \"sparkClass\" is missing; every model that Spark "
             "supports has it");
    }
    require_text("$.weights.layout", layout_name(topology),
                 root_.at("weights").at("layout").get<std::string>());
    if (third.empty() ==
        (root_.at("formatVersion") == kEncodingFormatVersion)) {
      refuse("$.formatVersion",
             third.empty()
                 ? "must be 1 or 2 for a model without input.numericEncoding "
                   "and without extra features of columns; got 3"
                 : "must be 3 for a model with " + third + "; got " +
                       root_.at("formatVersion").dump());
    }
    if (root_.at("formatVersion") != kSparkFormatVersion) {
      if (is_spark || !has_class) return;
      refuse("$.sparkClass",
             "must be left out for a network that Spark does not support");
    }
    require_text("$.activation", Activation().name(), text_of("activation"),
                 ": version 1 supports no other activation");
    require(!root_.contains("network") && has_spark_params(parsed_.params),
            "$.formatVersion", "2 for a model that Spark does not support",
            "1");
    for (const char* name : {"columns", "unknown", "missingTexts"}) {
      if (!root_.at("input").contains(name)) continue;
      refuse("$.formatVersion", "must be 2 for a model with input." +
                                    std::string(name) + "; got 1");
    }
  }

  [[nodiscard]] static Vector to_vector(const Json& array) {
    Vector numbers(static_cast<Index>(array.size()));
    std::transform(array.begin(), array.end(), numbers.begin(),
                   [](const Json& number) { return number.get<double>(); });
    return numbers;
  }

  [[nodiscard]] Vector take_weights(Index num_weights) {
    const Json& weights = root_.at("weights");
    require(weights.at("count") == num_weights, "$.weights.count",
            std::to_string(num_weights) + " for layers " + format_layers(),
            weights.at("count").dump());
    const auto encoding = weights.at("encoding").get<std::string>();
    const bool is_base64 = encoding == "base64";
    require(is_base64 || encoding == "decimal", "$.weights.encoding",
            "\"decimal\" or \"base64\"", shown_json_string(encoding));
    const Json& data = weights.at("data");
    require(is_base64 != data.is_array(), "$.weights.data",
            is_base64 ? "a string for encoding \"base64\""
                      : "an array of numbers for encoding \"decimal\"",
            is_base64 ? "an array" : "a string");
    Vector numbers = parsed_.weights ? std::move(*parsed_.weights)
                     : is_base64     ? decode_weights(data, num_weights)
                                     : to_vector(data);
    require_count("$.weights.data", is_base64 ? kWhatBase64 : "numbers",
                  num_weights, static_cast<std::size_t>(numbers.size()));
    return numbers;
  }

  [[nodiscard]] Vector decode_weights(const Json& data,
                                      Index num_weights) const {
    const auto& text = data.get_ref<const std::string&>();
    require_count("$.weights.data", kWhatBase64, num_weights,
                  text.size() / 4 * 3 / sizeof(double));
    auto numbers = decode_base64(text);
    require(numbers.has_value(), "$.weights.data",
            "base64 of " + std::to_string(num_weights) +
                " little-endian float64, padded, without white space",
            shown_json_string(text));
    return std::move(*numbers);
  }

  [[nodiscard]] Numbers find_thresholds(Index num_classes) const {
    if (!root_.contains("thresholds")) return {};
    const auto thresholds = root_.at("thresholds").get<Numbers>();
    require_count("$.thresholds", "numbers, one per class", num_classes,
                  thresholds.size());
    return thresholds;
  }

  void set_statistics(Model& model) const {
    if (!root_.contains("network")) return;
    const Json statistics =
        root_.at("network").value("statistics", Json::array());
    require_count("$.network.statistics", "numbers",
                  model.topology().num_statistics(), statistics.size());
    model.set_statistics(to_vector(statistics));
  }

  void set_encoder(Model& model) const {
    const EncoderBuilder builder(root_, file());
    auto encoder = builder.build(model.topology().num_features());
    if (encoder) model.set_encoder(*std::move(encoder));
  }

  void set_names(Model& model) const {
    const Json& input = root_.at("input");
    if (input.contains("featureNames")) {
      const Json& names = input.at("featureNames");
      require_count("$.input.featureNames", "names, one per feature",
                    model.num_features(), names.size());
      model.set_feature_names(names.get<Texts>());
    }
    if (input.contains("label")) {
      const auto label = input.at("label").get<std::string>();
      if (label.empty()) {
        refuse("$.input.label",
               "must name the label column, or be left out; got \"\"");
      }
      model.set_label_column(label);
    }
    if (root_.contains("labels")) {
      const auto labels = root_.at("labels").get<Texts>();
      const auto most = static_cast<std::size_t>(model.num_classes());
      require(
          !labels.empty() && labels.size() <= most, "$.labels",
          (most == 1 ? "1 name" : "1 to " + std::to_string(most) + " names") +
              " for layers " + format_layers(),
          std::to_string(labels.size()));
      model.set_label_names(labels);
    }
  }

  void set_columns(Model& model) const {
    const Json& input = root_.at("input");
    if (input.contains("columns")) {
      std::vector<datasets::InputColumn> columns;
      for (const Json& column : input.at("columns")) {
        columns.push_back(
            make_column(column, item_path("$.input.columns", columns.size()),
                        !model.feature_names().empty()));
      }
      require_count(
          "$.input.columns", "features when encoded", model.num_features(),
          static_cast<std::size_t>(datasets::count_features(columns)));
      model.set_input_columns(std::move(columns));
    }
    datasets::InputRules rules;
    if (input.contains("unknown")) {
      const auto name = input.at("unknown").get<std::string>();
      const auto rule = find_named(datasets::kUnknownRuleNames, name);
      require(rule.has_value(), "$.input.unknown",
              "\"refuse\", \"ignore\" or \"other\"", shown_json_string(name));
      rules.unknown = *rule;
    }
    if (input.contains("missingTexts")) {
      rules.missing_texts = input.at("missingTexts").get<Texts>();
      require(!rules.missing_texts.empty(), "$.input.missingTexts",
              "at least 1 text, or be left out", "none");
    }
    model.set_input_rules(std::move(rules));
  }

  [[nodiscard]] datasets::InputColumn make_column(const Json& json,
                                                  const std::string& path,
                                                  bool has_names) const {
    const auto kind_name = json.at("kind").get<std::string>();
    const auto kind = find_named(kColumnKindNames, kind_name);
    require(kind.has_value(), path + ".kind", "\"number\" or \"category\"",
            shown_json_string(kind_name));
    if (json.contains("name") != has_names) {
      refuse(path, has_names ? "the member \"name\" is missing; every column "
                               "has it if input has featureNames"
                             : "the member \"name\" must be left out if input "
                               "has no featureNames");
    }
    if (json.contains("categories") !=
        (*kind == datasets::ColumnKind::kCategory)) {
      refuse(path,
             "must have the member \"categories\" if its kind is "
             "\"category\", and only then");
    }
    datasets::InputColumn column{json.value("name", ""),
                                 *kind,
                                 json.value("categories", Texts{}),
                                 {},
                                 {}};
    if (json.contains("missing")) {
      column.missing_value = json.at("missing").get<double>();
    }
    if (json.contains("extra")) {
      const auto name = json.at("extra").get<std::string>();
      const auto extra = find_named(datasets::kExtraFeatureNames, name);
      require(extra.has_value(), path + ".extra", "\"missing\" or \"other\"",
              shown_json_string(name));
      column.extra = *extra;
    }
    return column;
  }

  void set_scaler(Model& model) const {
    const Json& input = root_.at("input");
    if (!input.contains("mean") && !input.contains("std")) return;
    if (!input.contains("mean") || !input.contains("std")) {
      refuse("$.input",
             "must have both mean and std, or none; got one of them");
    }
    for (const char* name : {"mean", "std"}) {
      require_count("$.input." + std::string(name), "numbers, one per feature",
                    model.num_features(), input.at(name).size());
    }
    model.set_scaler({to_vector(input.at("mean")), to_vector(input.at("std"))});
  }

  [[nodiscard]] optim::ConvergenceReason find_reason() const {
    const auto name =
        root_.at("training").at("convergenceReason").get<std::string>();
    std::string names;
    for (const optim::ConvergenceText& text : optim::kConvergenceTexts) {
      if (text.name == name) return text.reason;
      names += (names.empty() ? "" : ", ") + std::string(text.name);
    }
    refuse("$.training.convergenceReason",
           "must be one of " + names + "; got " + shown_json_string(name));
  }

  [[nodiscard]] optim::Summary make_summary() const {
    const Json& training = root_.at("training");
    optim::Summary summary;
    summary.objective_history = training.at("objectiveHistory").get<Numbers>();
    summary.evaluations = training.at("evaluations").get<Index>();
    summary.convergence_reason = find_reason();
    require(training.at("totalIterations") == summary.total_iterations(),
            "$.training.totalIterations",
            std::to_string(summary.total_iterations()) +
                ", one less than objectiveHistory has entries",
            training.at("totalIterations").dump());
    if (!training.contains("validationHistory")) return summary;
    summary.validation_history =
        training.at("validationHistory").get<Numbers>();
    const std::size_t num_losses = summary.validation_history.size();
    const std::size_t num_entries = summary.objective_history.size();
    if (num_losses > num_entries || num_losses + 1 < num_entries ||
        num_losses == 0) {
      refuse("$.training.validationHistory",
             "must have " + std::to_string(num_entries) +
                 " entries, as objectiveHistory, or one less; got " +
                 std::to_string(num_losses));
    }
    return summary;
  }

  [[nodiscard]] Precision find_precision() const {
    const std::string name = root_.at("training").value("precision", "float64");
    const auto precision = find_named(kPrecisionNames, name);
    require(precision.has_value(), "$.training.precision",
            join_choices(kNamesOf<kPrecisionNames>), shown_json_string(name));
    return *precision;
  }

  [[nodiscard]] std::optional<SelectionReport> find_selection(
      const Params& params) const {
    const Json& training = root_.at("training");
    if (!training.contains("selection")) return std::nullopt;
    const Json& json = training.at("selection");
    SelectionReport selection;
    selection.num_folds = json.at("folds").get<Index>();
    selection.num_networks = json.at("networks").get<Index>();
    selection.encoding = params.numeric_encoding;
    selection.reg_param = params.reg_param;
    selection.temperature = json.value("temperature", 1.0);
    selection.unseen.num_instances = json.at("unseenRows").get<Index>();
    selection.unseen.loss = json.value("unseenLoss", 0.0);
    selection.unseen.accuracy = json.value("unseenAccuracy", 0.0);
    selection.unseen.calibration_error = json.value("calibrationError", 0.0);
    if (json.contains("unseenCoverage")) {
      selection.unseen.coverage = {json.at("unseenCoverage").get<double>(),
                                   json.value("unseenMeanSize", 0.0)};
    }
    return selection;
  }

  [[nodiscard]] std::vector<SelfTestInstance> make_self_test() const {
    std::vector<SelfTestInstance> instances;
    for (const Json& json : root_.at("selfTest")) {
      instances.push_back({to_vector(json.at("features")),
                           to_vector(json.at("rawPrediction")),
                           to_vector(json.at("probability")),
                           json.at("prediction").get<Index>()});
    }
    return instances;
  }

  ParsedModel parsed_;
  const nlohmann::json& root_;  ///< of parsed_
};

}  // namespace mlp::detail
