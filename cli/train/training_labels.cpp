// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "training_labels.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../../mlp/instances/training_instances.hpp"
#include "../../mlp/network/topology.hpp"
#include "../console/training_notes.hpp"

namespace mlp::cli {

namespace {

using datasets::LabelNumbers;
using datasets::number_name;

/// More different numbers than this are rather quantities than classes.
constexpr std::size_t kManyClasses = 100;

/// So many different numbers are few, however few instances there are.
constexpr std::size_t kFewClasses = 10;

/// Makes an error about the labels of a file.
DataError label_error(const datasets::Dataset& data,
                      const std::string& sentence) {
  return DataError(data.label_source.empty() ? data.source : data.label_source,
                   sentence);
}

/// Returns the model of --warm-start if its last layer is kept, else null.
const Model* kept_classes(const TrainOptions& options) {
  const bool is_kept =
      options.warm_start && !options.params.layers.empty() &&
      options.warm_start->num_classes() == options.params.layers.back();
  return is_kept ? &*options.warm_start : nullptr;
}

/// Returns true if the model of --warm-start has a class for each label.
bool knows_all(const Model* model,
               const std::vector<datasets::LabelCount>& labels) {
  if (model == nullptr || model->label_names().empty()) return false;
  const std::vector<std::string>& names = model->label_names();
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    return known.count(label.text) != 0;
  });
}

/// Returns the names of the numbers and how often they occur.
std::vector<datasets::LabelCount> name_numbers(const LabelNumbers& numbers) {
  std::vector<datasets::LabelCount> labels;
  labels.reserve(numbers.counts.size());
  for (const auto& [number, count] : numbers.counts) {
    labels.push_back({number_name(number), count});
  }
  return labels;
}

/// Returns true if the integers are few enough to be the names of classes.
bool are_few(const LabelNumbers& numbers, const std::vector<Index>& layers) {
  const std::size_t num_classes = numbers.counts.size();
  if (!layers.empty()) {
    return static_cast<Index>(num_classes) <= layers.back();
  }
  return num_classes <= kFewClasses ||
         (num_classes <= kManyClasses &&
          static_cast<Index>(2 * num_classes) <= numbers.num_instances());
}

/// Refuses class indices for a model whose classes have names: nothing tells which
/// index is which name.
void require_known(const Model* model, const LabelNumbers& numbers) {
  if (model == nullptr || model->label_names().empty()) return;
  throw DataError(
      "--warm-start: expected the labels of the model, " +
      datasets::quoted_list(model->label_names()) + ", got " + numbers.list() +
      "; write the labels of the model, or add --label-kind index or name to "
      "train its last layer for other classes");
}

/// Decides whether labels that are numbers are names of classes.
bool are_names(const LabelNumbers& numbers, const TrainOptions& options,
               const Console& console) {
  if (options.label_kind != LabelKind::kAuto) {
    return options.label_kind == LabelKind::kName && numbers.are_integers;
  }
  if (!numbers.are_integers) return false;
  const std::vector<Index>& layers = options.params.layers;
  const Model* const model = kept_classes(options);
  if (knows_all(model, name_numbers(numbers))) return true;
  const bool are_indices = layers.empty() ? numbers.are_all_indices()
                                          : numbers.are_indices(layers.back());
  // The classes of a model without names are indices.
  const bool has_indices = model != nullptr && model->label_names().empty();
  if (are_indices) require_known(model, numbers);
  if (are_indices || has_indices || !are_few(numbers, layers)) return false;
  const Index num_classes = layers.empty()
                                ? static_cast<Index>(numbers.counts.size())
                                : layers.back();
  console.note(
      "the labels " + numbers.list() + " are not the integers 0.." +
      std::to_string(num_classes - 1) +
      ", so each is taken as the name of a class; --label-kind chooses, "
      "and --task regression predicts numbers");
  return true;
}

/// Returns what helps with labels that are not class indices, as the end of a
/// sentence.
std::string describe_help(const LabelNumbers& numbers,
                          const TrainOptions& options) {
  const std::string regression = "add --task regression to predict numbers";
  if (!numbers.are_integers) return "; " + regression;
  const Index num_classes = static_cast<Index>(numbers.counts.size());
  const std::vector<Index>& layers = options.params.layers;
  const bool is_wide = layers.empty() || num_classes <= layers.back();
  return "; " + regression + ", or --label-kind name to make each of the " +
         std::to_string(num_classes) + " different integers a class" +
         (is_wide ? ""
                  : " and end --layers with " + std::to_string(num_classes));
}

/// Refuses labels that are not class indices.
void check_indices(const datasets::Dataset& train, const LabelNumbers& numbers,
                   const TrainOptions& options) {
  const std::vector<Index>& layers = options.params.layers;
  try {
    if (!layers.empty()) {
      static_cast<void>(mlp::detail::check_labels(train, Topology(layers)));
      return;
    }
    for (Index i = 0; i < train.labels.size(); ++i) {
      const double label = train.labels[i];
      const bool is_index = label >= 0.0 && label == std::floor(label) &&
                            label < static_cast<double>(Topology::kMaxWidth);
      if (is_index) continue;
      mlp::detail::refuse_label(
          train, i,
          options.label_kind == LabelKind::kIndex
              ? "integers from 0 to " + std::to_string(Topology::kMaxWidth - 1)
              : "integers below 2^53 or texts for a classifier",
          label);
    }
  } catch (const DataError& error) {
    throw DataError(error.what() + describe_help(numbers, options));
  }
}

/// Refuses integers that could be classes or quantities.
void check_clear(const datasets::Dataset& train, const LabelNumbers& numbers,
                 const TrainOptions& options) {
  const bool is_clear = options.label_kind != LabelKind::kAuto ||
                        !options.params.layers.empty() ||
                        !numbers.are_integers || numbers.are_all_indices();
  if (is_clear) return;
  throw label_error(
      train,
      "labels must be 0, 1, 2, ... or few different integers to be "
      "classes; got " +
          std::to_string(numbers.counts.size()) + " different integers from " +
          number_name(numbers.counts.front().number) + " to " +
          number_name(numbers.counts.back().number) + " in " +
          std::to_string(numbers.num_instances()) + " instances" +
          describe_help(numbers, options));
}

void refuse_too_many(const TrainingData& data,
                     const std::vector<Index>& layers) {
  const std::string count = std::to_string(data.num_classes);
  throw DataError(data.train.source,
                  "expected at most " + std::to_string(layers.back()) +
                      " classes for layers " + format_list(layers) + ", got " +
                      count + ": " + datasets::quoted_list(data.label_names) +
                      "; end --layers with " + count);
}

/// Names the classes. The names are those of the model of --warm-start if it knows
/// every label and its last layer is kept.
void set_names(TrainingData& data,
               const std::vector<datasets::LabelCount>& labels,
               const TrainOptions& options, const Console& console) {
  datasets::Dataset& train = data.train;
  const Model* const model = kept_classes(options);
  datasets::LabelIndex index;
  if (knows_all(model, labels)) {
    index.names = model->label_names();
  } else {
    index = datasets::LabelIndex::fit(labels);
    if (model != nullptr && !model->label_names().empty()) {
      console.note("--warm-start: the model has the classes " +
                   datasets::quoted_list(model->label_names()) +
                   ", which are not those of the data; its last layer is "
                   "trained for " +
                   datasets::quoted_list(index.names) + " in this order");
    }
  }
  train.labels = index.apply(train);
  train.label_texts.clear();
  data.num_classes = static_cast<Index>(index.names.size());
  data.label_names = std::move(index.names);
  const std::vector<Index>& layers = options.params.layers;
  if (!layers.empty() && data.num_classes > layers.back()) {
    refuse_too_many(data, layers);
  }
}

/// Refuses texts that rather describe rows than classes, such as names of people.
void check_few_texts(const TrainingData& data, const DataTotals& totals,
                     const TrainOptions& options) {
  const auto& labels = totals.labels;
  const bool is_chosen =
      options.label_kind == LabelKind::kName || !options.params.layers.empty();
  if (is_chosen || labels.size() <= kManyClasses) return;
  Index num_rows = 0;
  for (const auto& label : labels) num_rows += label.count;
  if (2 * static_cast<Index>(labels.size()) <= num_rows) return;
  const std::string& name = data.train.label_name;
  throw label_error(
      data.train,
      "the label column" +
          (name.empty() ? "" : " " + datasets::in_quotes(name)) + " has " +
          std::to_string(labels.size()) + " different texts in " +
          std::to_string(num_rows) +
          " rows; expected at most 100, or half as many as rows, to be "
          "classes; choose another column with --label COL, or add "
          "--label-kind name to make each text a class");
}

void index_texts(TrainingData& data, const DataTotals& totals,
                 const TrainOptions& options, const Console& console) {
  if (options.params.task == Task::kRegression) refuse_texts(data.train);
  if (options.label_kind == LabelKind::kIndex) {
    throw DataError(data.train.source,
                    "labels must be integers for --label-kind index; some are "
                    "texts, such as " +
                        datasets::in_quotes(data.train.label_texts.front()) +
                        "; leave the flag out");
  }
  check_few_texts(data, totals, options);
  set_names(data, totals.labels, options, console);
}

/// Refuses class indices if most of them never occur and no flag gives the size of
/// the output layer.
void check_dense(const TrainingData& data, const LabelNumbers& numbers,
                 const TrainOptions& options) {
  constexpr Index kMaxClassesPerLabel = 10;
  const auto num_labels = static_cast<Index>(numbers.counts.size());
  const Index most = std::max(static_cast<Index>(kManyClasses),
                              kMaxClassesPerLabel * num_labels);
  if (!options.params.layers.empty() || data.num_classes <= most) return;
  throw label_error(
      data.train, "the largest label " + std::to_string(data.num_classes - 1) +
                      " asks for " + std::to_string(data.num_classes) +
                      " classes, but only " + std::to_string(num_labels) +
                      " occur" + describe_help(numbers, options));
}

/// Takes labels that are numbers as class indices.
void keep_indices(TrainingData& data, const DataTotals& totals,
                  const TrainOptions& options, const Console& console) {
  const LabelNumbers& numbers = totals.numbers;
  check_clear(data.train, numbers, options);
  check_indices(data.train, numbers, options);
  data.num_classes = totals.num_classes;
  check_dense(data, numbers, options);
  const bool is_quantity =
      options.params.layers.empty() && numbers.counts.size() > kManyClasses;
  if (!is_quantity) return;
  console.note("the labels are " + std::to_string(numbers.counts.size()) +
               " different integers, which become classes; --task regression "
               "predicts numbers");
}

/// The classes that occur in the labels, by name.
std::unordered_set<std::string> occurring_classes(const TrainingData& data,
                                                  const DataTotals& totals) {
  std::unordered_set<std::string> classes;
  for (const auto& label : totals.labels) classes.insert(label.text);
  for (const auto& label : totals.numbers.counts) {
    classes.insert(number_name(label.number));
  }
  // The names of a model may be other texts for the same numbers.
  const bool is_same = classes.size() == data.label_names.size();
  if (!is_same) return classes;
  return {data.label_names.begin(), data.label_names.end()};
}

/// Notes what a user may have wanted otherwise: a single class, classes without
/// instances, and units of the output layer without a class.
void note_classes(const TrainingData& data, const DataTotals& totals,
                  const TrainOptions& options, const Console& console) {
  const auto occurring = occurring_classes(data, totals);
  if (occurring.size() == 1) {
    console.warn("all labels are " + datasets::in_quotes(*occurring.begin()) +
                 ", so the model can predict nothing else; expected 2 classes "
                 "or more");
  }
  note_absent_classes(console, data.label_names, data.num_classes, occurring);
  const std::vector<Index>& layers = options.params.layers;
  if (layers.empty() || layers.back() <= data.num_classes) return;
  const std::string count = std::to_string(data.num_classes);
  console.note("the output layer has " + std::to_string(layers.back()) +
               " units, but there " + (data.num_classes == 1 ? "is " : "are ") +
               count + (data.num_classes == 1 ? " class" : " classes") +
               "; end --layers with " + count);
}

}  // namespace

void refuse_texts(const datasets::Dataset& data) {
  if (data.label_texts.empty()) return;
  throw DataError(data.source,
                  "labels must be numbers for --task regression; some are "
                  "texts, such as " +
                      datasets::in_quotes(data.label_texts.front()));
}

void index_labels(TrainingData& data, const DataTotals& totals,
                  const TrainOptions& options, const Console& console) {
  data.num_classes =
      data.train.target_matrix().rows() > 1 ? data.train.targets.rows() : 1;
  if (!data.train.label_texts.empty()) {
    index_texts(data, totals, options, console);
  } else if (options.params.task == Task::kRegression) {
    return;
  } else if (are_names(totals.numbers, options, console)) {
    set_names(data, name_numbers(totals.numbers), options, console);
  } else {
    keep_indices(data, totals, options, console);
  }
  note_classes(data, totals, options, console);
}

}  // namespace mlp::cli
