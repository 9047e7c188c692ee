// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "../../core/interval.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"

namespace mlp {

/// How numbers enter the network: as they are, or in quantile bins as well.
///
/// datasets::QuantileEncoder computes the encoding.
struct NumericEncoding {
  /// Quantiles of one bin say nothing that the number itself does not.
  static constexpr Interval kNumBins = at_least(2).and_at_most(256);

  /// On twelve tables unseen rows did as well with 8 bins as with 12, and on one with
  /// thresholds better than with 5; the paper tunes 2 to 256.
  static constexpr Index kDefaultNumBins = 8;

  /// The most bins of a feature; 0 leaves numbers as they are.
  Index num_bins = 0;

  bool operator==(const NumericEncoding&) const = default;

  [[nodiscard]] bool is_quantile() const { return num_bins != 0; }
};

namespace detail {

inline constexpr std::string_view kLinearEncoding = "linear";
inline constexpr std::string_view kQuantileEncoding = "quantile";

inline constexpr ConstantText kNumBinsText =
    describe_interval("an integer", NumericEncoding::kNumBins);

constexpr ConstantText describe_encodings() {
  ConstantText text;
  text.append(kLinearEncoding).append(", ").append(kQuantileEncoding);
  text.append(" or ").append(kQuantileEncoding).append(":BINS with BINS ");
  return text.append(kNumBinsText.view());
}

inline constexpr ConstantText kEncodingRule = describe_encodings();

}  // namespace detail

/// Completes "an encoding of numbers must be ...".
inline constexpr std::string_view kNumericEncodingInterval =
    detail::kEncodingRule.view();

/// Parses an encoding: `linear`, `quantile` or `quantile:20`.
///
/// \return nothing if the text does not match kNumericEncodingInterval
[[nodiscard]] inline std::optional<NumericEncoding> parse_numeric_encoding(
    std::string_view text) {
  if (text == detail::kLinearEncoding) return NumericEncoding{};
  if (!text.starts_with(detail::kQuantileEncoding)) return std::nullopt;
  text.remove_prefix(detail::kQuantileEncoding.size());
  if (text.empty()) return NumericEncoding{NumericEncoding::kDefaultNumBins};
  if (text.front() != ':') return std::nullopt;
  const auto num_bins = parse_int(text.substr(1));
  if (!num_bins || !NumericEncoding::kNumBins.contains(*num_bins)) {
    return std::nullopt;
  }
  return NumericEncoding{static_cast<Index>(*num_bins)};
}

/// Formats an encoding so that parse_numeric_encoding() reads it back.
[[nodiscard]] inline std::string format_numeric_encoding(
    const NumericEncoding& encoding) {
  if (!encoding.is_quantile()) return std::string(detail::kLinearEncoding);
  return std::string(detail::kQuantileEncoding) + ':' +
         std::to_string(encoding.num_bins);
}

}  // namespace mlp
