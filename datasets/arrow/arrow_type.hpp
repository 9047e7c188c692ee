// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "arrow_interface.hpp"

/// The types of the columns of Arrow tables.
namespace mlp::datasets::detail {

/// The layout of the values of a column in memory.
enum class ArrowKind {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBool,
  kDecimal,
  kText,       ///< with offsets of 32 bits
  kLargeText,  ///< with offsets of 64 bits
  kTextView,
  kNull,
  kVector,  ///< of Spark ML
  kDate32,  ///< in days since 1970
  kDate64,  ///< in milliseconds since 1970
  kTimestamp,
  kOther  ///< neither numbers nor texts
};

/// The type of a column.
struct ArrowType {
  ArrowKind kind = ArrowKind::kOther;

  /// Of a decimal: the bits of its integer, and how many of its digits are decimals.
  /// Timestamps count parts of a second with so many decimals.
  int decimal_bits = 128;
  int scale = 0;

  /// What a column of another kind has, such as "dates".
  std::string_view what;

  /// True for timestamps of a time zone, which count in UTC.
  bool is_utc = false;

  /// Returns true for numbers that a double holds, or rounds as a cast does.
  [[nodiscard]] bool is_number() const { return kind <= ArrowKind::kBool; }

  /// Returns true for values that a field of a CSV file can have.
  [[nodiscard]] bool is_value() const { return kind < ArrowKind::kVector; }

  /// Returns what the values are, in the plural.
  [[nodiscard]] std::string_view describe() const {
    if (kind == ArrowKind::kBool) return "truth values";
    if (is_number() || kind == ArrowKind::kDecimal) return "numbers";
    if (kind == ArrowKind::kNull) return "no values";
    return is_value() ? "texts" : what;
  }

  /// Returns true for values that have a text: dates and timestamps, too.
  [[nodiscard]] bool has_text() const {
    return kind != ArrowKind::kVector && kind != ArrowKind::kOther;
  }
};

/// The start of a format string, and the type that it stands for.
struct ArrowFormat {
  std::string_view start;
  ArrowType type;
};

/// The formats of one letter must be the whole text.
inline constexpr auto kArrowFormats = std::to_array<ArrowFormat>({
    {"n", {ArrowKind::kNull, 0, 0, ""}},
    {"b", {ArrowKind::kBool, 0, 0, ""}},
    {"c", {ArrowKind::kInt8, 0, 0, ""}},
    {"C", {ArrowKind::kUint8, 0, 0, ""}},
    {"s", {ArrowKind::kInt16, 0, 0, ""}},
    {"S", {ArrowKind::kUint16, 0, 0, ""}},
    {"i", {ArrowKind::kInt32, 0, 0, ""}},
    {"I", {ArrowKind::kUint32, 0, 0, ""}},
    {"l", {ArrowKind::kInt64, 0, 0, ""}},
    {"L", {ArrowKind::kUint64, 0, 0, ""}},
    {"e", {ArrowKind::kFloat16, 0, 0, ""}},
    {"f", {ArrowKind::kFloat32, 0, 0, ""}},
    {"g", {ArrowKind::kFloat64, 0, 0, ""}},
    {"u", {ArrowKind::kText, 0, 0, ""}},
    {"U", {ArrowKind::kLargeText, 0, 0, ""}},
    {"vu", {ArrowKind::kTextView, 0, 0, ""}},
    {"tdD", {ArrowKind::kDate32, 0, 0, "dates"}},
    {"tdm", {ArrowKind::kDate64, 0, 0, "dates"}},
    {"tss:", {ArrowKind::kTimestamp, 0, 0, "timestamps"}},
    {"tsm:", {ArrowKind::kTimestamp, 0, 3, "timestamps"}},
    {"tsu:", {ArrowKind::kTimestamp, 0, 6, "timestamps"}},
    {"tsn:", {ArrowKind::kTimestamp, 0, 9, "timestamps"}},
    {"tt", {ArrowKind::kOther, 0, 0, "times of days"}},
    {"tD", {ArrowKind::kOther, 0, 0, "durations"}},
    {"ti", {ArrowKind::kOther, 0, 0, "intervals"}},
    {"z", {ArrowKind::kOther, 0, 0, "bytes"}},
    {"Z", {ArrowKind::kOther, 0, 0, "bytes"}},
    {"vz", {ArrowKind::kOther, 0, 0, "bytes"}},
    {"w:", {ArrowKind::kOther, 0, 0, "bytes"}},
    {"+l", {ArrowKind::kOther, 0, 0, "lists"}},
    {"+L", {ArrowKind::kOther, 0, 0, "lists"}},
    {"+v", {ArrowKind::kOther, 0, 0, "lists"}},
    {"+w", {ArrowKind::kOther, 0, 0, "lists"}},
    {"+s", {ArrowKind::kOther, 0, 0, "structures"}},
    {"+m", {ArrowKind::kOther, 0, 0, "maps"}},
});

/// Reads "d:PRECISION,SCALE" or "d:PRECISION,SCALE,BITS".
inline std::optional<ArrowType> decimal_type(std::string_view format) {
  constexpr std::string_view kStart = "d:";
  if (format.substr(0, kStart.size()) != kStart) return std::nullopt;
  const std::size_t comma = format.find(',');
  if (comma == format.npos) return std::nullopt;
  format.remove_prefix(comma + 1);
  const std::size_t second = format.find(',');
  const auto scale = parse_int(format.substr(0, second));
  const auto bits = second == format.npos
                        ? std::optional<std::int64_t>(128)
                        : parse_int(format.substr(second + 1));
  constexpr std::int64_t kMostDigits = 1000;
  if (!scale || !bits || *scale < -kMostDigits || *scale > kMostDigits ||
      (*bits != 32 && *bits != 64 && *bits != 128 && *bits != 256)) {
    return std::nullopt;
  }
  return ArrowType{ArrowKind::kDecimal, static_cast<int>(*bits),
                   static_cast<int>(*scale), ""};
}

/// Returns true for the structure that Spark stores a vector of its ML library as.
///
/// \source Spark 4.0.1, org.apache.spark.ml.linalg.VectorUDT.sqlType
inline bool is_spark_vector(const ArrowSchema& schema) {
  const std::array<std::pair<std::string_view, std::string_view>, 4> fields = {
      {{"type", "c"}, {"size", "i"}, {"indices", "+l"}, {"values", "+l"}}};
  if (std::string_view(schema.format) != "+s" ||
      schema.n_children != static_cast<std::int64_t>(fields.size())) {
    return false;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ArrowSchema& field = *schema.children[i];
    const bool is_same = field.name != nullptr &&
                         field.name == fields[i].first &&
                         field.format == fields[i].second;
    if (!is_same || field.dictionary != nullptr) return false;
  }
  const auto item = [&](int i) {
    const ArrowSchema& list = *schema.children[i];
    return list.n_children == 1 ? std::string_view(list.children[0]->format)
                                : std::string_view();
  };
  return item(2) == "i" && item(3) == "g";
}

/// Returns the type of the values of a column. A dictionary has that of its values.
inline ArrowType arrow_type(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return arrow_type(*schema.dictionary);
  if (is_spark_vector(schema)) return {ArrowKind::kVector, 0, 0, "vectors"};
  const std::string_view format = schema.format;
  if (const auto decimal = decimal_type(format)) return *decimal;
  const auto found = std::find_if(
      kArrowFormats.begin(), kArrowFormats.end(), [&](const ArrowFormat& one) {
        const bool is_timestamp = one.type.kind == ArrowKind::kTimestamp;
        const bool is_whole =
            (one.type.kind != ArrowKind::kOther && !is_timestamp) ||
            one.start == "z" || one.start == "Z";
        return is_whole ? format == one.start
                        : format.substr(0, one.start.size()) == one.start;
      });
  if (found != kArrowFormats.end()) {
    ArrowType type = found->type;
    // The name of the time zone is behind the start.
    type.is_utc = type.kind == ArrowKind::kTimestamp &&
                  format.size() > found->start.size();
    return type;
  }
  return {ArrowKind::kOther, 0, 0, "values of another kind"};
}

}  // namespace mlp::datasets::detail
