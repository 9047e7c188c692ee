// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "class_labels.hpp"

#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/label_index.hpp"
#include "../../datasets/label_kind.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../../mlp/instances/training_instances.hpp"
#include "../../mlp/network/topology.hpp"
#include "../console/training_notes.hpp"

namespace mlp::cli {

namespace {

using datasets::ClassRefusal;
using datasets::ClassRequest;
using datasets::LabelKind;
using datasets::LabelNumbers;

/// The name of the file that has the labels.
const std::string& label_source(const datasets::Dataset& data) {
  return data.label_source.empty() ? data.source : data.label_source;
}

/// Returns the model of --warm-start if its last layer is kept, else null.
const Model* kept_classes(const TrainOptions& options) {
  const bool is_kept =
      options.warm_start && !options.params.layers.empty() &&
      options.warm_start->num_classes() == options.params.layers.back();
  return is_kept ? &*options.warm_start : nullptr;
}

/// What the flags say about the classes.
ClassRequest request_of(const TrainOptions& options) {
  ClassRequest request;
  request.kind = options.label_kind;
  request.is_classification = options.has_task;
  const std::vector<Index>& layers = options.params.layers;
  if (!layers.empty()) request.num_outputs = layers.back();
  if (const Model* const model = kept_classes(options)) {
    request.known_names = model->label_names();
  }
  return request;
}

/// Refuses class indices for a model whose classes have names: nothing tells which
/// index is which name.
void require_known(const LabelNumbers& numbers, const TrainOptions& options) {
  const Model* const model = kept_classes(options);
  const bool is_index = options.label_kind == LabelKind::kAuto &&
                        numbers.are_indices(options.params.layers.empty()
                                                ? 0
                                                : options.params.layers.back());
  if (model == nullptr || model->label_names().empty() || !is_index) return;
  throw DataError(
      "--warm-start: expected the labels of the model, " +
      datasets::quoted_list(model->label_names()) + ", got " + numbers.list() +
      "; write the labels of the model, or add --label-kind index or name to "
      "train its last layer for other classes");
}

/// Returns what helps with labels that are not class indices, as the end of a
/// sentence.
std::string describe_help(const LabelNumbers& numbers,
                          const TrainOptions& options) {
  const std::string regression = "; add --task regression to predict numbers";
  if (!numbers.are_integers) return regression;
  const Index num_classes = static_cast<Index>(numbers.counts.size());
  const std::vector<Index>& layers = options.params.layers;
  const bool is_wide = layers.empty() || num_classes <= layers.back();
  const bool is_open = layers.empty() && options.label_kind == LabelKind::kAuto;
  return regression +
         (is_open ? ", or --task classification" : ", or --label-kind name") +
         " to make each of the " + std::to_string(num_classes) +
         " different integers a class" +
         (is_wide ? ""
                  : " and end --layers with " + std::to_string(num_classes));
}

/// Returns the flags that help with labels that the library refuses.
std::string describe_help(ClassRefusal reason, const LabelNumbers& numbers,
                          const TrainOptions& options) {
  const std::string other = "; choose another column with --label COL, or add ";
  const std::string text = " to make each text a class";
  switch (reason) {
    case ClassRefusal::kTextsOfRows:
      return other + "--label-kind name" + text;
    case ClassRefusal::kTooManyTexts:
      return other + "--task classification" + text;
    default:
      return describe_help(numbers, options);
  }
}

/// Runs a rule of the library, and adds the flags that help to its errors.
template <typename Rule>
auto advise(const LabelNumbers& numbers, const TrainOptions& options,
            const Rule& rule) {
  try {
    return rule();
  } catch (const datasets::ClassError& error) {
    throw DataError(error.what() +
                    describe_help(error.reason(), numbers, options));
  }
}

/// Decides whether labels that are numbers are names of classes.
bool are_names(const datasets::Dataset& train, const LabelNumbers& numbers,
               const TrainOptions& options, const Console& console) {
  const auto classes = advise(numbers, options, [&] {
    return datasets::decide_classes(numbers, request_of(options),
                                    label_source(train));
  });
  if (!classes.are_names) require_known(numbers, options);
  if (!classes.note.empty()) {
    console.note(classes.note + "; " +
                 (classes.is_guess ? "--label-kind chooses, and " : "") +
                 "--task regression predicts numbers");
  }
  return classes.are_names;
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
  if (model != nullptr && datasets::knows_all(model->label_names(), labels)) {
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
  advise(totals.numbers, options, [&] {
    datasets::check_texts(totals.labels, request_of(options),
                          data.train.label_name, label_source(data.train));
  });
  set_names(data, totals.labels, options, console);
}

/// Takes labels that are numbers as class indices.
void keep_indices(TrainingData& data, const DataTotals& totals,
                  const TrainOptions& options) {
  const LabelNumbers& numbers = totals.numbers;
  check_indices(data.train, numbers, options);
  data.num_classes = totals.num_classes;
  advise(numbers, options, [&] {
    datasets::check_dense_indices(numbers, request_of(options),
                                  label_source(data.train));
  });
}

/// The classes that occur in the labels, by name.
std::unordered_set<std::string> occurring_classes(const TrainingData& data,
                                                  const DataTotals& totals) {
  std::unordered_set<std::string> classes;
  const datasets::detail::NameTable table(data.label_names);
  const auto add = [&](Index index, const std::string& text) {
    const bool is_name = index >= 0;
    classes.insert(is_name ? data.label_names[static_cast<std::size_t>(index)]
                           : text);
  };
  for (const auto& label : totals.labels) {
    add(table.find(label.text), label.text);
  }
  for (const auto& label : totals.numbers.counts) {
    add(table.find(label.number), datasets::number_name(label.number));
  }
  return classes;
}

/// Notes what a user may have wanted otherwise: a single class, classes without
/// instances, and units of the output layer without a class.
void note_classes(const TrainingData& data, const DataTotals& totals,
                  const TrainOptions& options, const Console& console) {
  const std::string similar = datasets::describe_similar(data.label_names);
  if (!similar.empty()) console.warn(similar);
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
  } else if (are_names(data.train, totals.numbers, options, console)) {
    set_names(data, datasets::name_numbers(totals.numbers), options, console);
  } else {
    keep_indices(data, totals, options);
  }
  note_classes(data, totals, options, console);
}

}  // namespace mlp::cli
