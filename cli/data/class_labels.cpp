// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "class_labels.hpp"

#include <algorithm>
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
#include "../../mlp/instances/prepared_instances.hpp"
#include "../../mlp/network/topology.hpp"
#include "../console/training_notes.hpp"

namespace mlp::cli {

namespace {

/// Returns the largest label plus one. Labels that are not classes are not
/// checked here; the training refuses them.
Index largest_class_count(const Vector& labels) {
  const double largest = labels.size() == 0 ? 0.0 : labels.maxCoeff();
  const auto limit = static_cast<double>(Topology::kMaxWidth);
  return static_cast<Index>(std::floor(std::clamp(largest, 0.0, limit - 1.0))) +
         1;
}

using datasets::ClassRefusal;
using datasets::ClassRequest;
using datasets::LabelKind;
using datasets::LabelNumbers;

/// The name of the file that has the labels.
const std::string& label_source(const datasets::Dataset& data) {
  return data.label_source.empty() ? data.source : data.label_source;
}

/// Returns the model of --warm-start if its last layer is kept, else null.
const Model* kept_classes(const DataOptions& options) {
  const bool is_kept =
      options.warm_start && !options.params.layers.empty() &&
      options.warm_start->num_classes() == options.params.layers.back();
  return is_kept ? &*options.warm_start : nullptr;
}

/// Returns what the user asked for: the kind of the labels, and the number and the
/// names of the classes.
ClassRequest request_of(const DataOptions& options) {
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
void require_known(const LabelNumbers& numbers, const DataOptions& options) {
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
                          const DataOptions& options) {
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
                          const DataOptions& options) {
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
auto advise(const LabelNumbers& numbers, const DataOptions& options,
            const Rule& rule) {
  try {
    return rule();
  } catch (const datasets::ClassError& error) {
    throw DataError(error.what() +
                    describe_help(error.reason(), numbers, options));
  }
}

/// Decides whether labels that are numbers are names of classes.
bool are_names(const datasets::Dataset& data, const LabelNumbers& numbers,
               const DataOptions& options, const Console& console) {
  const auto classes = advise(numbers, options, [&] {
    return datasets::decide_classes(numbers, request_of(options),
                                    label_source(data));
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
void check_indices(const datasets::Dataset& data, const LabelNumbers& numbers,
                   const DataOptions& options) {
  const std::vector<Index>& layers = options.params.layers;
  try {
    if (!layers.empty()) {
      static_cast<void>(mlp::check_labels(data, Topology(layers)));
      return;
    }
    for (Index i = 0; i < data.labels.size(); ++i) {
      const double label = data.labels[i];
      const bool is_index = label >= 0.0 && label == std::floor(label) &&
                            label < static_cast<double>(Topology::kMaxWidth);
      if (is_index) continue;
      mlp::refuse_label(
          data, i,
          options.label_kind == LabelKind::kIndex
              ? "integers from 0 to " + std::to_string(Topology::kMaxWidth - 1)
              : "integers below 2^53 or texts for a classifier",
          label);
    }
  } catch (const DataError& error) {
    throw DataError(error.what() + describe_help(numbers, options));
  }
}

bool are_truth_values(const std::vector<datasets::LabelCount>& labels) {
  return std::all_of(labels.begin(), labels.end(), [](const auto& label) {
    return datasets::truth_value(label.text).has_value();
  });
}

/// Names the classes. If the model of --warm-start knows every label and its last
/// layer is kept, it gives the names.
Classes set_names(datasets::Dataset& data,
                  const std::vector<datasets::LabelCount>& labels,
                  const DataOptions& options, const Console& console) {
  const Model* const model = kept_classes(options);
  datasets::LabelIndex index;
  if (model != nullptr && datasets::knows_all(model->label_names(), labels)) {
    index.names = model->label_names();
  } else if (model != nullptr && model->label_names().empty() &&
             model->num_classes() == 2 && are_truth_values(labels)) {
    index.names = {"False", "True"};  // the classes 0 and 1 of the model
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
  data.labels = index.apply(data);
  data.label_texts.clear();
  const auto count = static_cast<Index>(index.names.size());
  const std::vector<Index>& layers = options.params.layers;
  if (!layers.empty() && count > layers.back()) {
    const std::string number = std::to_string(count);
    throw DataError(data.source, "expected at most " +
                                     std::to_string(layers.back()) +
                                     " classes for layers " +
                                     format_list(layers) + ", got " + number +
                                     ": " + datasets::quoted_list(index.names) +
                                     "; end --layers with " + number);
  }
  return {std::move(index.names), count};
}

Classes index_texts(datasets::Dataset& data, const DataTotals& totals,
                    const DataOptions& options, const Console& console) {
  if (options.params.task == Task::kRegression) refuse_texts(data);
  if (options.label_kind == LabelKind::kIndex) {
    throw DataError(data.source,
                    "labels must be integers for --label-kind index; some are "
                    "texts, such as " +
                        datasets::in_quotes(data.label_texts.front()) +
                        "; leave the flag out");
  }
  advise(totals.numbers, options, [&] {
    datasets::check_texts(totals.labels, request_of(options), data.label_name,
                          label_source(data));
  });
  return set_names(data, totals.labels, options, console);
}

/// Takes labels that are numbers as class indices.
Classes keep_indices(const datasets::Dataset& data, const DataTotals& totals,
                     const DataOptions& options) {
  check_indices(data, totals.numbers, options);
  advise(totals.numbers, options, [&] {
    datasets::check_dense_indices(totals.numbers, request_of(options),
                                  label_source(data));
  });
  return {{}, totals.num_classes};
}

/// The classes that occur in the labels, by name.
std::unordered_set<std::string> occurring_classes(const Classes& classes,
                                                  const DataTotals& totals) {
  std::unordered_set<std::string> occurring;
  const datasets::NameTable table(classes.names);
  const auto add = [&](Index index, const std::string& text) {
    occurring.insert(index >= 0 ? classes.names[static_cast<std::size_t>(index)]
                                : text);
  };
  for (const auto& label : totals.labels) {
    add(table.find(label.text), label.text);
  }
  for (const auto& label : totals.numbers.counts) {
    add(table.find(label.number), datasets::number_name(label.number));
  }
  return occurring;
}

/// Notes what a user may have wanted otherwise: a single class, classes without
/// instances, and units of the output layer without a class.
void note_classes(const Classes& classes, const DataTotals& totals,
                  const DataOptions& options, const Console& console) {
  const std::string similar = datasets::describe_similar(classes.names);
  if (!similar.empty()) console.warn(similar);
  const auto occurring = occurring_classes(classes, totals);
  if (occurring.size() == 1) {
    console.warn("all labels are " + datasets::in_quotes(*occurring.begin()) +
                 ", so the model can predict nothing else; expected 2 classes "
                 "or more");
  }
  note_absent_classes(console, classes.names, classes.count, occurring);
  const std::vector<Index>& layers = options.params.layers;
  if (layers.empty() || layers.back() <= classes.count) return;
  const std::string count = std::to_string(classes.count);
  console.note("the output layer has " + std::to_string(layers.back()) +
               " units, but there " + (classes.count == 1 ? "is " : "are ") +
               count + (classes.count == 1 ? " class" : " classes") +
               "; end --layers with " + count);
}

}  // namespace

double sum_weights(const datasets::Dataset& data) {
  return data.weights.size() == 0 ? static_cast<double>(data.num_instances())
                                  : data.weights.sum();
}

DataTotals totals_of(const datasets::Dataset& data, Task task) {
  DataTotals totals;
  totals.num_features = data.num_features();
  totals.num_classes = largest_class_count(data.labels);
  totals.labels = datasets::count_labels(data.label_texts);
  if (task != Task::kRegression) {
    totals.numbers = datasets::LabelNumbers::of(data.labels);
    totals.numbers.set_spellings(data.label_spellings);
  }
  totals.sizes = {data.num_instances()};
  totals.weight_sum = sum_weights(data);
  return totals;
}

void refuse_texts(const datasets::Dataset& data) {
  if (data.label_texts.empty()) return;
  throw DataError(data.source,
                  "labels must be numbers for --task regression; some are "
                  "texts, such as " +
                      datasets::in_quotes(data.label_texts.front()));
}

Classes index_labels(datasets::Dataset& data, const DataTotals& totals,
                     const DataOptions& options, const Console& console) {
  const bool is_regression = options.params.task == Task::kRegression;
  if (is_regression && data.label_texts.empty()) {
    return {{}, std::max(data.target_matrix().rows(), Index{1})};
  }
  const auto index = [&] {
    if (!data.label_texts.empty()) {
      return index_texts(data, totals, options, console);
    }
    if (are_names(data, totals.numbers, options, console)) {
      return set_names(data, datasets::name_numbers(totals.numbers), options,
                       console);
    }
    return keep_indices(data, totals, options);
  };
  Classes classes = index();
  note_classes(classes, totals, options, console);
  return classes;
}

}  // namespace mlp::cli
