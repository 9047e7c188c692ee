// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>

#include "../../core/number_text.hpp"
#include "preset.hpp"

/// Weights of rows whose scale is probably a mistake.
namespace mlp {

/// Says that the preset modern takes the rows for far more or fewer than they are,
/// because their weights have another mean than about 1, as weights with the sum 1. The
/// penalty and the size of the hidden layer depend on the number of rows.
///
/// \param set_by_caller  Spark's names of hyper-parameters
/// \return a sentence, or "" if all is well or the caller has set what depends on it
[[nodiscard]] inline std::string describe_weight_scale(
    const TableFacts& facts, ParamNames set_by_caller = {}) {
  constexpr double kLargestFactor = 20.0;
  const auto num_rows = static_cast<double>(facts.num_instances);
  const bool is_usual = facts.weight_sum <= kLargestFactor * num_rows &&
                        num_rows <= kLargestFactor * facts.weight_sum;
  // Weights that are all 0 are refused.
  if (facts.num_instances == 0 || facts.weight_sum == 0.0 || is_usual ||
      is_listed(set_by_caller, "regParam")) {
    return "";
  }
  constexpr double kLargestInteger = 1e15;
  const bool is_integer =
      facts.weight_sum >= 0.5 && facts.weight_sum < kLargestInteger;
  return "the weights of the " + std::to_string(facts.num_instances) +
         " rows have the sum " +
         (is_integer ? std::to_string(std::llround(facts.weight_sum))
                     : format_double(facts.weight_sum)) +
         ", for which the penalty regParam is chosen, because a row of weight "
         "2 counts as two rows; divide the weights by their mean, or set "
         "regParam";
}

}  // namespace mlp
