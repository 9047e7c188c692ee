// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/types.hpp"
#include "../../../datasets/identifiers.hpp"
#include "../../../datasets/label_index.hpp"
#include "../../../datasets/label_kind.hpp"
#include "../../../datasets/label_numbers.hpp"
#include "../../../datasets/load/groups.hpp"
#include "../../../datasets/missing_texts.hpp"
#include "../../../datasets/reading/quoted.hpp"
#include "../../../datasets/reading/trim_blanks.hpp"
#include "../../../mlp/params/class_values.hpp"
#include "../bindings.hpp"
#include "arrays.hpp"

namespace mlp::python {

namespace {

/// A caller that chose a classifier.
datasets::ClassRequest ask_for_classes() {
  datasets::ClassRequest request;
  request.is_classification = true;
  return request;
}

std::optional<std::size_t> find_no_class(const Numbers& labels) {
  const double* const end = labels.data() + labels.size();
  const double* const found =
      std::find_if_not(labels.data(), end, datasets::is_class_number);
  if (found == end) return std::nullopt;
  return static_cast<std::size_t>(found - labels.data());
}

/// Returns what the library says about very many classes of numbers.
std::string note_many_numbers(const Numbers& labels) {
  const auto numbers = datasets::LabelNumbers::of(to_vector(labels));
  if (numbers.counts.size() <= datasets::kManyNumbers) return "";
  return datasets::decide_classes(numbers, ask_for_classes(), "").note;
}

void check_texts(const std::vector<std::pair<std::string, Index>>& counts) {
  std::vector<datasets::LabelCount> labels;
  for (const auto& [text, count] : counts) labels.push_back({text, count});
  datasets::check_texts(labels, ask_for_classes(), "", "");
}

/// Returns what the library says about a feature that is probably an identifier.
///
/// \param values  of the feature
std::string note_identifier(const std::string& name, const Numbers& values) {
  return datasets::is_identifier(to_vector(values))
             ? datasets::describe_identifier(name)
             : "";
}

/// Numbers groups as those of a column of a data file.
std::vector<Index> number_groups(std::vector<std::string> texts) {
  const datasets::MissingTexts missing;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = std::string(datasets::detail::trim_blanks(texts[i]));
    if (!missing.has(texts[i])) continue;
    throw DataError("groups must be known; instance " + std::to_string(i) +
                    " has " + datasets::in_quotes(texts[i]));
  }
  return datasets::detail::number_groups(texts, {});
}

}  // namespace

void bind_labels(nb::module_& module) {
  module.def("find_no_class", &find_no_class, nb::arg("labels"),
             "Returns the first instance whose label is no integer that can be "
             "a class; None if all can.");
  module.def("note_many_numbers", &note_many_numbers, nb::arg("labels"),
             "Returns a sentence if integers become very many classes.");
  module.def("note_identifier", &note_identifier, nb::arg("name"),
             nb::arg("values"),
             "Returns a sentence if a feature is probably an identifier.");
  module.def("number_groups", &number_groups, nb::arg("texts"),
             "Numbers groups; texts that are the same number are one group.");
  module.def("check_texts", &check_texts, nb::arg("counts"),
             "Refuses texts that differ in most rows.");
  module.def(
      "balanced_class_weights",
      [](const Numbers& counts) {
        return balanced_class_weights(to_vector(counts));
      },
      nb::arg("counts"),
      "Returns the weights with which all classes that occur weigh the same.");
}

}  // namespace mlp::python
