// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file and their types.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../../core/types.hpp"
#include "../params/param_table.hpp"
#include "../params/params.hpp"

namespace mlp {

/// Version 1 stores models that Spark supports. All others are stored in
/// version 2.
inline constexpr std::int64_t kSparkFormatVersion = 1;
inline constexpr std::int64_t kModelFormatVersion = 2;
inline constexpr std::string_view kModelFormat = "mlp-model";
inline constexpr std::string_view kSparkLayout = "spark-flat";
inline constexpr std::string_view kWeightsLayout = "mlp-flat";
inline constexpr std::string_view kModelSparkClass =
    "org.apache.spark.ml.classification."
    "MultilayerPerceptronClassificationModel";

namespace detail {

/// Numbers that may be not finite.
struct ParsedHistory {
  std::vector<double> numbers;
};

/// The weights as in the file: an array if numbers are set, even if it is
/// empty, otherwise a string.
struct ParsedWeights {
  std::optional<std::vector<double>> numbers;
  std::string base64;

  /// The content of the array or the string if read_weights() could read it;
  /// both are then empty.
  std::optional<Vector> taken;
};

struct ParsedInstance {
  std::vector<double> features;
  std::vector<double> raw_prediction;
  std::vector<double> probability;
  std::int64_t prediction = 0;
};

/// A column of the features.
struct ParsedColumn {
  std::optional<std::string> name;
  std::string kind;
  std::optional<std::vector<std::string>> categories;
  std::optional<double> missing;
};

/// The network in version 2. Layers are counted from 1.
struct ParsedNetwork {
  std::string loss;
  std::vector<std::int64_t> residual;
  std::vector<std::int64_t> batch_norm;
  std::vector<double> dropout;
  std::vector<double> statistics;
};

/// A model file's values, of the right types but otherwise unchecked.
struct ParsedModel {
  std::string format;
  std::int64_t format_version = 0;
  std::string producer;
  std::string uid;
  std::optional<std::string> spark_class;
  Params params;
  std::vector<std::int64_t> layers;
  std::string activation;
  std::optional<ParsedNetwork> network;
  std::optional<std::vector<std::string>> feature_names;
  std::optional<std::vector<ParsedColumn>> columns;
  std::optional<std::string> unknown;
  std::optional<std::vector<std::string>> missing_texts;
  std::optional<std::vector<double>> mean;
  std::optional<std::vector<double>> standard_deviation;
  std::optional<std::string> label;
  std::optional<std::vector<std::string>> labels;
  std::optional<std::vector<double>> thresholds;
  std::string weights_layout;
  std::int64_t num_weights = 0;
  std::string weights_encoding;
  ParsedWeights weights;
  ParsedHistory objective_history;
  std::optional<ParsedHistory> validation_history;
  std::int64_t total_iterations = 0;
  std::int64_t evaluations = 0;
  std::string convergence_reason;
  std::int64_t num_instances = 0;
  std::optional<std::string> precision;
  std::vector<ParsedInstance> self_test;
  std::string sha256;
};

struct Member;

/// The members that an object may have, in the order in which they are written.
using Members = std::span<const Member>;

/// The destination of an object.
struct ObjectSlot {
  const Member* first;
  std::size_t num_members;
};

/// The destination of one value of its type.
using Slot =
    std::variant<ObjectSlot, std::string*, std::int64_t*, double*,
                 const ParamInfo*, std::vector<std::int64_t>*,
                 std::vector<double>*, std::vector<std::string>*,
                 ParsedHistory*, ParsedWeights*, std::vector<ParsedInstance>*,
                 std::vector<ParsedColumn>*>;

/// One member of an object.
struct Member {
  std::string_view name;
  bool is_required;

  /// Returns the destination of its value; called once, before the value.
  Slot (*slot)(ParsedModel&);
};

inline constexpr std::size_t kNumStoredParams =
    static_cast<std::size_t>(std::count_if(
        kParamTable.begin(), kParamTable.end(),
        [](const ParamInfo& info) { return info.stored != Stored::kNever; }));

/// Returns the destination of the value of a hyper-parameter; lists are arrays.
template <std::size_t position>
Slot param_slot(ParsedModel& model) {
  constexpr const ParamInfo& kInfo = kParamTable[position];
  if constexpr (kInfo.name == "classWeights") {
    return &model.params.class_weights;
  } else if constexpr (kInfo.name == "freeze") {
    return &model.params.freeze;
  } else {
    return &kInfo;
  }
}

template <std::size_t... I>
constexpr std::array<Member, kNumStoredParams> make_param_members(
    std::index_sequence<I...>) {
  const Member all[] = {{kParamTable[I].name,
                         kParamTable[I].stored == Stored::kAlways,
                         param_slot<I>}...};
  std::array<Member, kNumStoredParams> stored{};
  std::size_t num_stored = 0;
  for (std::size_t i = 0; i < sizeof...(I); ++i) {
    if (kParamTable[i].stored != Stored::kNever) {
      stored[num_stored++] = all[i];
    }
  }
  return stored;
}

inline constexpr auto kParamMembers =
    make_param_members(std::make_index_sequence<kParamTable.size()>{});

inline constexpr std::array<Member, 7> kInputMembers{{
    {"featureNames", false,
     [](ParsedModel& m) -> Slot { return &m.feature_names.emplace(); }},
    {"mean", false, [](ParsedModel& m) -> Slot { return &m.mean.emplace(); }},
    {"std", false,
     [](ParsedModel& m) -> Slot { return &m.standard_deviation.emplace(); }},
    {"label", false, [](ParsedModel& m) -> Slot { return &m.label.emplace(); }},
    {"columns", false,
     [](ParsedModel& m) -> Slot { return &m.columns.emplace(); }},
    {"unknown", false,
     [](ParsedModel& m) -> Slot { return &m.unknown.emplace(); }},
    {"missingTexts", false,
     [](ParsedModel& m) -> Slot { return &m.missing_texts.emplace(); }},
}};

/// The members of the column that was added last.
inline constexpr std::array<Member, 4> kColumnMembers{{
    {"name", false,
     [](ParsedModel& m) -> Slot { return &m.columns->back().name.emplace(); }},
    {"kind", true,
     [](ParsedModel& m) -> Slot { return &m.columns->back().kind; }},
    {"categories", false,
     [](ParsedModel& m) -> Slot {
       return &m.columns->back().categories.emplace();
     }},
    {"missing", false,
     [](ParsedModel& m) -> Slot {
       return &m.columns->back().missing.emplace();
     }},
}};

inline constexpr std::array<Member, 5> kNetworkMembers{{
    {"loss", true, [](ParsedModel& m) -> Slot { return &m.network->loss; }},
    {"residual", false,
     [](ParsedModel& m) -> Slot { return &m.network->residual; }},
    {"batchNorm", false,
     [](ParsedModel& m) -> Slot { return &m.network->batch_norm; }},
    {"dropout", false,
     [](ParsedModel& m) -> Slot { return &m.network->dropout; }},
    {"statistics", false,
     [](ParsedModel& m) -> Slot { return &m.network->statistics; }},
}};

inline constexpr std::array<Member, 4> kWeightsMembers{{
    {"layout", true, [](ParsedModel& m) -> Slot { return &m.weights_layout; }},
    {"count", true, [](ParsedModel& m) -> Slot { return &m.num_weights; }},
    {"encoding", true,
     [](ParsedModel& m) -> Slot { return &m.weights_encoding; }},
    {"data", true, [](ParsedModel& m) -> Slot { return &m.weights; }},
}};

inline constexpr std::array<Member, 7> kTrainingMembers{{
    {"objectiveHistory", true,
     [](ParsedModel& m) -> Slot { return &m.objective_history; }},
    {"validationHistory", false,
     [](ParsedModel& m) -> Slot { return &m.validation_history.emplace(); }},
    {"totalIterations", true,
     [](ParsedModel& m) -> Slot { return &m.total_iterations; }},
    {"evaluations", true,
     [](ParsedModel& m) -> Slot { return &m.evaluations; }},
    {"convergenceReason", true,
     [](ParsedModel& m) -> Slot { return &m.convergence_reason; }},
    {"rows", true, [](ParsedModel& m) -> Slot { return &m.num_instances; }},
    {"precision", false,
     [](ParsedModel& m) -> Slot { return &m.precision.emplace(); }},
}};

/// The members of the instance that was added last.
inline constexpr std::array<Member, 4> kInstanceMembers{{
    {"features", true,
     [](ParsedModel& m) -> Slot { return &m.self_test.back().features; }},
    {"rawPrediction", true,
     [](ParsedModel& m) -> Slot { return &m.self_test.back().raw_prediction; }},
    {"probability", true,
     [](ParsedModel& m) -> Slot { return &m.self_test.back().probability; }},
    {"prediction", true,
     [](ParsedModel& m) -> Slot { return &m.self_test.back().prediction; }},
}};

template <std::size_t size>
constexpr ObjectSlot object_of(const std::array<Member, size>& members) {
  static_assert(size <= 32,
                "the members that were read are counted in 32 bits");
  return {members.data(), size};
}

/// The document itself.
inline constexpr std::array<Member, 16> kModelMembers{{
    {"format", true, [](ParsedModel& m) -> Slot { return &m.format; }},
    {"formatVersion", true,
     [](ParsedModel& m) -> Slot { return &m.format_version; }},
    {"producer", true, [](ParsedModel& m) -> Slot { return &m.producer; }},
    {"uid", true, [](ParsedModel& m) -> Slot { return &m.uid; }},
    {"sparkClass", false,
     [](ParsedModel& m) -> Slot { return &m.spark_class.emplace(); }},
    {"params", true,
     [](ParsedModel&) -> Slot { return object_of(kParamMembers); }},
    {"layers", true, [](ParsedModel& m) -> Slot { return &m.layers; }},
    {"activation", true, [](ParsedModel& m) -> Slot { return &m.activation; }},
    {"network", false,
     [](ParsedModel& m) -> Slot {
       m.network.emplace();
       return object_of(kNetworkMembers);
     }},
    {"input", true,
     [](ParsedModel&) -> Slot { return object_of(kInputMembers); }},
    {"labels", false,
     [](ParsedModel& m) -> Slot { return &m.labels.emplace(); }},
    {"thresholds", false,
     [](ParsedModel& m) -> Slot { return &m.thresholds.emplace(); }},
    {"weights", true,
     [](ParsedModel&) -> Slot { return object_of(kWeightsMembers); }},
    {"training", true,
     [](ParsedModel&) -> Slot { return object_of(kTrainingMembers); }},
    {"selfTest", true, [](ParsedModel& m) -> Slot { return &m.self_test; }},
    {"sha256", true, [](ParsedModel& m) -> Slot { return &m.sha256; }},
}};

inline Members members_of(const ObjectSlot& object) {
  return {object.first, object.num_members};
}

/// Lists the names of members, separated by commas.
inline std::string member_names(Members members) {
  std::string names;
  for (const Member& member : members) {
    names += (names.empty() ? "" : ", ") + std::string(member.name);
  }
  return names;
}

/// Returns true if a destination takes an array.
inline bool takes_array(const Slot& slot) { return slot.index() >= 5; }

/// Describes the value of a destination, completing "must be ...".
inline std::string expected_value(const Slot& slot) {
  static constexpr std::array<std::string_view, std::variant_size_v<Slot>>
      kExpected{"an object",
                "a string",
                "an integer",
                "a finite number",
                "",
                "an array of integers",
                "an array of numbers",
                "an array of strings",
                "an array of numbers",
                "an array of numbers, or base64 in a string",
                "an array of objects",
                "an array of objects"};
  if (const auto* param = std::get_if<const ParamInfo*>(&slot)) {
    return std::string((*param)->interval);
  }
  return std::string(kExpected[slot.index()]);
}

/// Describes an item of the array of a destination, completing "must be ...".
inline std::string expected_item(const Slot& slot) {
  static constexpr std::array<std::string_view, std::variant_size_v<Slot>>
      kExpected{"",
                "",
                "",
                "",
                "",
                "an integer",
                "a finite number",
                "a string",
                "a number, \"NaN\", \"Infinity\" or \"-Infinity\"",
                "a finite number",
                "an object",
                "an object"};
  return std::string(kExpected[slot.index()]);
}

}  // namespace detail

}  // namespace mlp
