// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "class_numbers.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../fit/ranks/rank_data.hpp"

namespace mlp::cli {

namespace {

/// Returns the names of the classes; those of class indices are the indices.
std::vector<std::string> class_names(const TrainingData& data,
                                     Index num_outputs) {
  if (!data.classes.names.empty()) return data.classes.names;
  std::vector<std::string> names;
  for (Index i = 0; i < num_outputs; ++i) names.push_back(std::to_string(i));
  return names;
}

/// Sums the weights of the instances of each class, over all ranks.
Vector class_sizes(const TrainingData& data, std::size_t num_classes,
                   distributed::Allreduce* group) {
  Vector sizes = Vector::Zero(static_cast<Index>(num_classes));
  const datasets::Dataset& train = data.train;
  for (Index i = 0; i < train.labels.size(); ++i) {
    sizes[static_cast<Index>(train.labels[i])] +=
        train.weights.size() == 0 ? 1.0 : train.weights[i];
  }
  const bool is_part = group != nullptr && !data.rank_sizes.empty();
  return is_part ? sum_over_ranks(sizes, *group) : sizes;
}

/// Returns the numbers of a flag in the order of the class indices.
///
/// \param listed     one for each unit of the output layer, in the order of the names
/// \param otherwise  of a class that is not named
std::vector<double> resolve(const std::string& parameter,
                            const ClassNumbers& given,
                            const std::vector<double>& listed,
                            const std::vector<std::string>& names,
                            std::optional<double> otherwise) {
  if (given.named.empty()) {
    return listed.size() < names.size() ? listed
                                        : in_index_order(listed, names);
  }
  return numbers_of_classes(parameter, given.named, names, otherwise);
}

}  // namespace

bool take_class_numbers(TrainOptions& options, std::string_view name,
                        const std::string& value) {
  const bool are_weights = name == "classWeights";
  if (!are_weights && name != "thresholds") return false;
  ClassNumbers numbers;
  numbers.is_balanced = are_weights && value == "balanced";
  if (!numbers.is_balanced) {
    if (value.find('=') == value.npos) return false;
    auto named = parse_named_numbers(value);
    if (!named) {
      refuse_value(are_weights ? "class-weights" : "thresholds",
                   "NAME=NUMBER for classes, separated by commas; a name with "
                   "a comma or = is in double quotes",
                   value);
    }
    numbers.named = *std::move(named);
  }
  (are_weights ? options.class_weights : options.thresholds) =
      std::move(numbers);
  return true;
}

void set_class_numbers(Params& params, const TrainingRun& run,
                       const TrainingData& data) {
  const Index num_outputs = params.layers.back();
  const std::vector<std::string> names = class_names(data, num_outputs);
  const auto set = [&](std::vector<double>& numbers, const ClassNumbers& given,
                       const std::string& parameter, const std::string& flag,
                       const std::string& noun,
                       std::optional<double> otherwise) {
    const bool has_names = !given.named.empty() || given.is_balanced;
    if (!has_names && (numbers.empty() || data.classes.names.empty())) return;
    try {
      numbers = given.is_balanced
                    ? balanced_class_weights(
                          class_sizes(data, names.size(), run.group))
                    : resolve(parameter, given, numbers, names, otherwise);
    } catch (const ParamError& error) {
      throw error.with_prefix(flag + ": ");
    }
    if (numbers.size() < names.size()) return;
    run.global.console.note(noun + ": " +
                            describe_class_numbers(numbers, names));
    // Units of the output layer without a class.
    if (has_names) numbers.resize(static_cast<std::size_t>(num_outputs), 1.0);
  };
  set(params.class_weights, run.options.class_weights, "classWeights",
      "--class-weights", "class weights", 1.0);
  set(params.thresholds, run.options.thresholds, "thresholds", "--thresholds",
      "thresholds", std::nullopt);
}

}  // namespace mlp::cli
