// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The members of a model file and their types.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/names.hpp"
#include "../../datasets/input_column.hpp"
#include "../params/param_table.hpp"

namespace mlp {

/// Version 1 stores models that Spark supports, version 3 models that encode numbers
/// in quantile bins or whose columns have extra features, and version 2 all others.
inline constexpr std::int64_t kSparkFormatVersion = 1;
inline constexpr std::int64_t kModelFormatVersion = 2;
inline constexpr std::int64_t kEncodingFormatVersion = 3;
inline constexpr std::string_view kModelFormat = "mlp-model";
inline constexpr std::string_view kSparkLayout = "spark-flat";
inline constexpr std::string_view kWeightsLayout = "mlp-flat";
inline constexpr std::string_view kModelSparkClass =
    "org.apache.spark.ml.classification."
    "MultilayerPerceptronClassificationModel";

namespace detail {

inline constexpr auto kColumnKindNames =
    std::to_array<Named<datasets::ColumnKind>>({
        {datasets::ColumnKind::kNumber, "number"},
        {datasets::ColumnKind::kCategory, "category"},
    });

/// The type of a value, or of the items of an array.
enum class JsonType {
  kObject,
  kString,
  kInteger,
  kNumber,
  kEntry,    ///< of a history: a number that may be not finite
  kWeights,  ///< numbers in an array, or base64 in a string
  kParam     ///< a hyper-parameter that is not a list
};

struct Member;

/// The members that an object may have, in the order in which they are written.
struct Members {
  const Member* first = nullptr;
  std::size_t size = 0;

  [[nodiscard]] constexpr const Member* begin() const { return first; }
  [[nodiscard]] constexpr const Member* end() const;
};

/// One member of an object.
struct Member {
  std::string_view name;
  bool is_required;
  JsonType type;
  bool is_array = false;
  Members members = {};              ///< of each object
  const ParamInfo* param = nullptr;  ///< of a hyper-parameter

  /// Describes its value, or an item of its array, completing "must be ...".
  [[nodiscard]] constexpr std::string_view expected(bool is_item) const;
};

constexpr const Member* Members::end() const { return first + size; }

constexpr std::string_view Member::expected(bool is_item) const {
  const bool is_list = is_array && !is_item;
  switch (type) {
    case JsonType::kObject:
      return is_list ? "an array of objects" : "an object";
    case JsonType::kString:
      return is_list ? "an array of strings" : "a string";
    case JsonType::kInteger:
      return is_list ? "an array of integers" : "an integer";
    case JsonType::kNumber:
      return is_list ? "an array of numbers" : "a finite number";
    case JsonType::kEntry:
      return is_list ? "an array of numbers"
                     : "a number, \"NaN\", \"Infinity\" or \"-Infinity\"";
    case JsonType::kWeights:
      return is_list ? "an array of numbers, or base64 in a string"
                     : "a finite number";
    case JsonType::kParam:
      return param->interval;
  }
  return "";
}

template <std::size_t size>
constexpr Members list_of(const std::array<Member, size>& members) {
  static_assert(size <= 64, "SAX handlers count read members in 64 bits");
  return {members.data(), size};
}

/// Makes the member of a hyper-parameter.
constexpr Member param_member(const ParamInfo& info) {
  Member member{info.name, info.stored == Stored::kAlways, JsonType::kParam};
  member.param = &info;
  if (info.name == "classWeights") member.type = JsonType::kNumber;
  if (info.name == "freeze") member.type = JsonType::kInteger;
  member.is_array = member.type != JsonType::kParam;
  return member;
}

inline constexpr std::size_t kNumStoredParams =
    static_cast<std::size_t>(std::count_if(
        kParamTable.begin(), kParamTable.end(),
        [](const ParamInfo& info) { return info.stored != Stored::kNever; }));

inline constexpr auto kParamMembers = [] {
  std::array<Member, kNumStoredParams> members{};
  std::size_t i = 0;
  for (const ParamInfo& info : kParamTable) {
    if (info.stored != Stored::kNever) members[i++] = param_member(info);
  }
  return members;
}();

inline constexpr auto kNetworkMembers = std::to_array<Member>({
    {"loss", true, JsonType::kString},
    {"residual", false, JsonType::kInteger, true},
    {"batchNorm", false, JsonType::kInteger, true},
    {"dropout", false, JsonType::kNumber, true},
    {"statistics", false, JsonType::kNumber, true},
});

inline constexpr auto kColumnMembers = std::to_array<Member>({
    {"name", false, JsonType::kString},
    {"kind", true, JsonType::kString},
    {"categories", false, JsonType::kString, true},
    {"missing", false, JsonType::kNumber},
    {"extra", false, JsonType::kString},
});

inline constexpr auto kBinMembers = std::to_array<Member>({
    {"feature", true, JsonType::kInteger},
    {"edges", true, JsonType::kNumber, true},
});

inline constexpr auto kInputMembers = std::to_array<Member>({
    {"featureNames", false, JsonType::kString, true},
    {"mean", false, JsonType::kNumber, true},
    {"std", false, JsonType::kNumber, true},
    {"label", false, JsonType::kString},
    {"columns", false, JsonType::kObject, true, list_of(kColumnMembers)},
    {"unknown", false, JsonType::kString},
    {"missingTexts", false, JsonType::kString, true},
    {"numericEncoding", false, JsonType::kString},
    {"bins", false, JsonType::kObject, true, list_of(kBinMembers)},
});

inline constexpr auto kIntervalMembers = std::to_array<Member>({
    {"coverage", true, JsonType::kNumber},
    {"lower", true, JsonType::kNumber, true},
    {"upper", true, JsonType::kNumber, true},
});

inline constexpr auto kSetMembers = std::to_array<Member>({
    {"coverage", true, JsonType::kNumber},
    {"leastProbability", true, JsonType::kNumber},
});

inline constexpr auto kWeightsMembers = std::to_array<Member>({
    {"layout", true, JsonType::kString},
    {"count", true, JsonType::kInteger},
    {"encoding", true, JsonType::kString},
    {"data", true, JsonType::kWeights, true},
});

inline constexpr auto kSelectionMembers = std::to_array<Member>({
    {"folds", true, JsonType::kInteger},
    {"networks", true, JsonType::kInteger},
    {"temperature", false, JsonType::kNumber},
    {"unseenRows", true, JsonType::kInteger},
    {"unseenLoss", false, JsonType::kNumber},
    {"unseenAccuracy", false, JsonType::kNumber},
    {"calibrationError", false, JsonType::kNumber},
    {"unseenCoverage", false, JsonType::kNumber},
    {"unseenMeanSize", false, JsonType::kNumber},
});

inline constexpr auto kTrainingMembers = std::to_array<Member>({
    {"objectiveHistory", true, JsonType::kEntry, true},
    {"validationHistory", false, JsonType::kEntry, true},
    {"totalIterations", true, JsonType::kInteger},
    {"evaluations", true, JsonType::kInteger},
    {"convergenceReason", true, JsonType::kString},
    {"rows", true, JsonType::kInteger},
    {"precision", false, JsonType::kString},
    {"selection", false, JsonType::kObject, false, list_of(kSelectionMembers)},
});

inline constexpr auto kInstanceMembers = std::to_array<Member>({
    {"features", true, JsonType::kNumber, true},
    {"rawPrediction", true, JsonType::kNumber, true},
    {"probability", true, JsonType::kNumber, true},
    {"prediction", true, JsonType::kInteger},
});

inline constexpr auto kModelMembers = std::to_array<Member>({
    {"format", true, JsonType::kString},
    {"formatVersion", true, JsonType::kInteger},
    {"producer", true, JsonType::kString},
    {"uid", true, JsonType::kString},
    {"sparkClass", false, JsonType::kString},
    {"params", true, JsonType::kObject, false, list_of(kParamMembers)},
    {"layers", true, JsonType::kInteger, true},
    {"activation", true, JsonType::kString},
    {"network", false, JsonType::kObject, false, list_of(kNetworkMembers)},
    {"input", true, JsonType::kObject, false, list_of(kInputMembers)},
    {"labels", false, JsonType::kString, true},
    {"thresholds", false, JsonType::kNumber, true},
    {"predictionInterval", false, JsonType::kObject, false,
     list_of(kIntervalMembers)},
    {"predictionSet", false, JsonType::kObject, false, list_of(kSetMembers)},
    {"weights", true, JsonType::kObject, false, list_of(kWeightsMembers)},
    {"training", true, JsonType::kObject, false, list_of(kTrainingMembers)},
    {"selfTest", true, JsonType::kObject, true, list_of(kInstanceMembers)},
    {"sha256", true, JsonType::kString},
});

/// The document itself.
inline constexpr Member kDocument{"", true, JsonType::kObject, false,
                                  list_of(kModelMembers)};

}  // namespace detail

}  // namespace mlp
