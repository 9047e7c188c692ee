// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../../optim/convergence_reason.hpp"
#include "../network/topology.hpp"
#include "../params/param_rules.hpp"
#include "json_base64.hpp"
#include "json_columns.hpp"
#include "json_members.hpp"
#include "json_network.hpp"
#include "model_document.hpp"
#include "model_document_check.hpp"

namespace mlp::detail {

/// Turns the values of a file into a document, or throws an error that names
/// the wrong value. Counts are compared with the content of the file before
/// they are used.
class DocumentBuilder {
 public:
  DocumentBuilder(ParsedModel parsed, const std::string& file)
      : parsed_(std::move(parsed)), file_(file) {}

  [[nodiscard]] ModelDocument build() {
    check_header();
    const Topology topology = NetworkBuilder(parsed_, file_).build();
    check_version(topology);
    Vector weights = take_weights(topology);
    if (parsed_.thresholds) {
      check_count("$.thresholds", "numbers, one per class",
                  topology.num_classes(), parsed_.thresholds->size());
    }
    Model model(topology, std::move(weights),
                std::move(parsed_.thresholds).value_or(std::vector<double>{}));
    set_statistics(model);
    set_input(model);
    set_labels(model);
    take_network(topology, parsed_.params);
    parsed_.params.thresholds = model.thresholds();
    optim::Summary summary = take_summary();
    ModelDocument document{std::move(model),   std::move(parsed_.params),
                           std::move(summary), parsed_.num_instances,
                           take_self_test(),   take_identity(),
                           find_precision()};
    check_model_document(document, file_);
    return document;
  }

 private:
  [[noreturn]] void refuse(const std::string& path,
                           const std::string& sentence) const {
    throw ModelError(file_, path, sentence);
  }

  void require_text(const std::string& path, std::string_view expected,
                    const std::string& received,
                    const std::string& advice = "") const {
    if (received == expected) return;
    refuse(path, "must be " + shown_json_string(expected) + "; got " +
                     shown_json_string(received) + advice);
  }

  /// \param what  completes "must be 5 ..."
  void check_count(const std::string& path, const std::string& what,
                   Index expected, std::size_t received) const {
    if (static_cast<std::size_t>(expected) == received) return;
    refuse(path, "must be " + std::to_string(expected) + ' ' + what +
                     ", for layers " + format_list(parsed_.layers) + "; got " +
                     std::to_string(received));
  }

  static bool is_hexadecimal(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string::npos;
  }

  void check_header() const {
    require_text("$.format", kModelFormat, parsed_.format,
                 ": the file is not a model of mlp");
    const std::string_view uid = parsed_.uid;
    if (uid.size() != 17 || uid.substr(0, 5) != "mlpc_" ||
        !is_hexadecimal(uid.substr(5))) {
      refuse("$.uid",
             "must be \"mlpc_\" and 12 lower-case hexadecimal digits; got " +
                 shown_json_string(uid));
    }
    if (parsed_.sha256.size() != 64 || !is_hexadecimal(parsed_.sha256)) {
      refuse("$.sha256", "must be 64 lower-case hexadecimal digits; got " +
                             shown_json_string(parsed_.sha256));
    }
    if (parsed_.producer.empty()) {
      refuse("$.producer", "must name a program and its version; got \"\"");
    }
    if (parsed_.spark_class && *parsed_.spark_class != kModelSparkClass) {
      refuse("$.sparkClass", "must be \"" + std::string(kModelSparkClass) +
                                 "\"; got " +
                                 shown_json_string(*parsed_.spark_class));
    }
  }

  /// Version 1 stores only Spark's networks.
  void check_version(const Topology& topology) const {
    if (topology.is_spark() && !parsed_.spark_class) {
      refuse("$",
             "the member \"sparkClass\" is missing; every model that Spark "
             "supports has it");
    }
    require_text("$.weights.layout", layout_name(topology),
                 parsed_.weights_layout);
    if (parsed_.format_version != kSparkFormatVersion) {
      if (topology.is_spark() || !parsed_.spark_class) return;
      refuse("$.sparkClass",
             "must be left out for a network that Spark does not support");
    }
    require_text("$.activation", Activation().name(), parsed_.activation,
                 ": version 1 supports no other activation");
    if (parsed_.network || !has_spark_params(parsed_.params)) {
      refuse("$.formatVersion",
             "must be 2 for a model that Spark does not support; got 1");
    }
    const bool has_missing_texts = parsed_.missing_texts.has_value();
    const char* const member = parsed_.columns     ? "columns"
                               : parsed_.unknown   ? "unknown"
                               : has_missing_texts ? "missingTexts"
                                                   : nullptr;
    if (member == nullptr) return;
    refuse("$.formatVersion", "must be 2 for a model with input." +
                                  std::string(member) + "; got 1");
  }

  void set_statistics(Model& model) {
    if (!parsed_.network) return;
    check_count("$.network.statistics", "numbers",
                model.topology().num_statistics(),
                parsed_.network->statistics.size());
    model.set_statistics(to_vector(parsed_.network->statistics));
  }

  [[nodiscard]] Vector take_weights(const Topology& topology) {
    const Index num_weights = topology.num_weights();
    if (parsed_.num_weights != num_weights) {
      refuse("$.weights.count", "must be " + std::to_string(num_weights) +
                                    " for layers " +
                                    format_list(parsed_.layers) + "; got " +
                                    std::to_string(parsed_.num_weights));
    }
    return parsed_.weights_encoding == "base64" ? decode_weights(num_weights)
                                                : take_decimals(num_weights);
  }

  [[nodiscard]] Vector take_decimals(Index num_weights) {
    if (parsed_.weights_encoding != "decimal") {
      refuse("$.weights.encoding",
             "must be \"decimal\" or \"base64\"; got " +
                 shown_json_string(parsed_.weights_encoding));
    }
    if (!parsed_.weights.numbers) {
      refuse("$.weights.data",
             "must be an array of numbers for encoding \"decimal\"; got a "
             "string");
    }
    Vector numbers = parsed_.weights.taken
                         ? std::move(*parsed_.weights.taken)
                         : to_vector(*parsed_.weights.numbers);
    check_count("$.weights.data", "numbers", num_weights,
                static_cast<std::size_t>(numbers.size()));
    return numbers;
  }

  [[nodiscard]] Vector decode_weights(Index num_weights) {
    if (parsed_.weights.numbers) {
      refuse("$.weights.data",
             "must be a string for encoding \"base64\"; got an array");
    }
    const std::string& text = parsed_.weights.base64;
    auto& taken = parsed_.weights.taken;
    check_count("$.weights.data", "numbers in base64", num_weights,
                taken ? static_cast<std::size_t>(taken->size())
                      : text.size() / 4 * 3 / sizeof(double));
    auto numbers = taken ? std::move(taken) : decode_base64(text);
    if (!numbers) {
      refuse("$.weights.data",
             "must be base64 of " + std::to_string(num_weights) +
                 " little-endian float64, padded, without white space; got " +
                 shown_json_string(text));
    }
    return std::move(*numbers);
  }

  [[nodiscard]] static Vector to_vector(const std::vector<double>& numbers) {
    return Eigen::Map<const Vector>(numbers.data(),
                                    static_cast<Index>(numbers.size()));
  }

  void set_input(Model& model) {
    const Index num_features = model.num_features();
    if (auto& names = parsed_.feature_names) {
      check_count("$.input.featureNames", "names, one per feature",
                  num_features, names->size());
      model.set_feature_names(std::move(*names));
    }
    if (auto& label = parsed_.label) {
      if (label->empty()) {
        refuse("$.input.label",
               "must name the label column, or be left out; got \"\"");
      }
      model.set_label_column(std::move(*label));
    }
    set_columns(model);
    model.set_input_rules(
        build_rules(parsed_.unknown, std::move(parsed_.missing_texts), file_));
    if (!parsed_.mean && !parsed_.standard_deviation) return;
    if (!parsed_.mean || !parsed_.standard_deviation) {
      refuse("$.input",
             "must have both mean and std, or none; got one of them");
    }
    check_count("$.input.mean", "numbers, one per feature", num_features,
                parsed_.mean->size());
    check_count("$.input.std", "numbers, one per feature", num_features,
                parsed_.standard_deviation->size());
    model.set_scaler(
        {to_vector(*parsed_.mean), to_vector(*parsed_.standard_deviation)});
  }

  void set_columns(Model& model) {
    if (!parsed_.columns) return;
    std::vector<datasets::InputColumn> columns = build_columns(
        std::move(*parsed_.columns), !model.feature_names().empty(), file_);
    check_count("$.input.columns", "features when encoded",
                model.num_features(),
                static_cast<std::size_t>(datasets::count_features(columns)));
    model.set_input_columns(std::move(columns));
  }

  void set_labels(Model& model) {
    if (!parsed_.labels) return;
    const std::size_t num_names = parsed_.labels->size();
    if (num_names == 0 ||
        num_names > static_cast<std::size_t>(model.num_classes())) {
      refuse("$.labels", "must be 1 to " + std::to_string(model.num_classes()) +
                             " names for layers " +
                             format_list(parsed_.layers) + "; got " +
                             std::to_string(num_names));
    }
    model.set_label_names(std::move(*parsed_.labels));
  }

  [[nodiscard]] optim::ConvergenceReason find_reason() const {
    std::string names;
    for (const optim::ConvergenceText& text : optim::kConvergenceTexts) {
      if (text.name == parsed_.convergence_reason) return text.reason;
      names += (names.empty() ? "" : ", ") + std::string(text.name);
    }
    refuse("$.training.convergenceReason",
           "must be one of " + names + "; got " +
               shown_json_string(parsed_.convergence_reason));
  }

  [[nodiscard]] optim::Summary take_summary() {
    optim::Summary summary;
    summary.objective_history = std::move(parsed_.objective_history.numbers);
    summary.evaluations = parsed_.evaluations;
    summary.convergence_reason = find_reason();
    if (parsed_.total_iterations != summary.total_iterations()) {
      refuse("$.training.totalIterations",
             "must be " + std::to_string(summary.total_iterations()) +
                 ", one less than objectiveHistory has entries; got " +
                 std::to_string(parsed_.total_iterations));
    }
    if (!parsed_.validation_history) return summary;
    summary.validation_history = std::move(parsed_.validation_history->numbers);
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
    const std::string name = parsed_.precision.value_or("float64");
    const auto precision = find_named(kPrecisionNames, name);
    if (precision) return *precision;
    refuse("$.training.precision", "must be " +
                                       join_choices(kNamesOf<kPrecisionNames>) +
                                       "; got " + shown_json_string(name));
  }

  [[nodiscard]] std::vector<SelfTestInstance> take_self_test() const {
    std::vector<SelfTestInstance> instances;
    for (const ParsedInstance& parsed : parsed_.self_test) {
      instances.push_back({to_vector(parsed.features),
                           to_vector(parsed.raw_prediction),
                           to_vector(parsed.probability), parsed.prediction});
    }
    return instances;
  }

  [[nodiscard]] ModelFileIdentity take_identity() {
    return {std::move(parsed_.producer), std::move(parsed_.uid),
            std::move(parsed_.sha256)};
  }

  ParsedModel parsed_;
  std::string file_;
};

}  // namespace mlp::detail
