// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "../core/error.hpp"
#include "../core/names.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "label_index.hpp"
#include "label_numbers.hpp"
#include "reading/quoted.hpp"

/// The rules that decide which labels become classes, and how.
namespace mlp::datasets {

/// What labels that are numbers stand for.
enum class LabelKind {
  kAuto,   ///< indices if they can be, otherwise names if there are few
  kIndex,  ///< class indices
  kName    ///< names of classes
};

inline constexpr auto kLabelKindNames = std::to_array<Named<LabelKind>>({
    {LabelKind::kAuto, "auto"},
    {LabelKind::kIndex, "index"},
    {LabelKind::kName, "name"},
});

/// More classes of numbers than this are said: the numbers may be quantities.
inline constexpr std::size_t kManyNumbers = 10;

/// More different numbers than this are classes only if the caller says so.
inline constexpr std::size_t kMostNumbers = 30;

/// More different texts than this are classes only if the caller says so.
inline constexpr std::size_t kMostTexts = 1000;

/// More different texts than this must repeat.
inline constexpr std::size_t kManyTexts = 100;

/// What a caller says about the classes.
struct ClassRequest {
  LabelKind kind = LabelKind::kAuto;

  /// The caller asks for classes, and does not only leave a default.
  bool is_classification = false;

  /// The units of the output layer; 0 if the caller does not choose the layers.
  Index num_outputs = 0;

  /// The names of the classes of a model that is trained further; without names
  /// its classes are indices.
  std::optional<std::vector<std::string>> known_names;

  [[nodiscard]] bool has_layers() const { return num_outputs > 0; }

  /// Returns true if the caller says that the labels are classes.
  [[nodiscard]] bool is_explicit() const {
    return is_classification || kind != LabelKind::kAuto || has_layers();
  }
};

/// Why labels do not become classes.
enum class ClassRefusal {
  kUnclearNumbers,  ///< integers that are not indices and not few
  kTooManyNumbers,  ///< more than kMostNumbers
  kAbsentIndices,   ///< most of the indices up to the largest never occur
  kTextsOfRows,     ///< texts that differ in most rows
  kTooManyTexts     ///< more than kMostTexts
};

/// Labels that are not taken as classes unless the caller says so. The sentence
/// does not say how: each front end has its own words for it.
class ClassError : public DataError {
 public:
  ClassError(ClassRefusal reason, const std::string& source,
             const std::string& sentence)
      : DataError(source, sentence), reason_(reason) {}

  [[nodiscard]] ClassRefusal reason() const { return reason_; }

 private:
  ClassRefusal reason_;
};

/// What numbers become.
struct NumberClasses {
  bool are_names = false;  ///< otherwise class indices

  /// The caller did not choose names.
  bool is_guess = false;

  /// What the caller may have wanted otherwise; empty if nothing.
  std::string note;
};

namespace detail {

inline NumberClasses note_many(bool are_names, const LabelNumbers& numbers) {
  const std::size_t num_classes = numbers.counts.size();
  if (num_classes <= kManyNumbers) return {are_names, false, ""};
  return {are_names, false,
          "the labels are " + std::to_string(num_classes) +
              " different integers, which become classes"};
}

inline NumberClasses note_names(const LabelNumbers& numbers,
                                const ClassRequest& request) {
  const std::size_t num_classes = numbers.counts.size();
  const Index num_indices = request.has_layers()
                                ? request.num_outputs
                                : static_cast<Index>(num_classes);
  const std::string start = "the labels " + numbers.list() +
                            " are not the integers 0.." +
                            std::to_string(num_indices - 1) + ", so ";
  if (num_classes <= kManyNumbers) {
    return {true, true, start + "each is taken as the name of a class"};
  }
  return {true, true,
          start + "they are taken as the names of " +
              std::to_string(num_classes) + " classes"};
}

/// Returns true if the integers are few enough to be the names of classes.
inline bool are_few(const LabelNumbers& numbers, const ClassRequest& request) {
  const auto num_classes = static_cast<Index>(numbers.counts.size());
  if (request.has_layers()) return num_classes <= request.num_outputs;
  return request.is_classification ||
         num_classes <= static_cast<Index>(kManyNumbers) ||
         2 * num_classes <= numbers.num_instances();
}

/// Refuses more numbers than a caller without layers probably wants as classes.
inline void check_not_many(const LabelNumbers& numbers,
                           const ClassRequest& request,
                           const std::string& source) {
  const std::size_t num_classes = numbers.counts.size();
  if (request.is_explicit() || num_classes <= kMostNumbers) return;
  throw ClassError(ClassRefusal::kTooManyNumbers, source,
                   "the labels are " + std::to_string(num_classes) +
                       " different integers, from " +
                       number_name(numbers.smallest()) + " to " +
                       number_name(numbers.largest()) + "; expected at most " +
                       std::to_string(kMostNumbers) + " to be classes");
}

[[noreturn]] inline void refuse_unclear(const LabelNumbers& numbers,
                                        const std::string& source) {
  throw ClassError(
      ClassRefusal::kUnclearNumbers, source,
      "labels must be 0, 1, 2, ... or few different integers to be classes; "
      "got " +
          std::to_string(numbers.counts.size()) + " different integers from " +
          number_name(numbers.smallest()) + " to " +
          number_name(numbers.largest()) + " in " +
          std::to_string(numbers.num_instances()) + " instances");
}

}  // namespace detail

/// Returns true if a model has a class for each label.
///
/// \param names  of its classes; empty if they are indices
[[nodiscard]] inline bool knows_all(const std::vector<std::string>& names,
                                    std::span<const LabelCount> labels) {
  const NameTable table(names);
  return !names.empty() &&
         std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
           return table.find(label.text) >= 0;
         });
}

/// Decides whether labels that are numbers are class indices or names of classes.
/// The rules are applied in this order:
///
/// 1. The caller's choice. Fractions, and integers that float64 rounds, are never
///    names.
/// 2. Labels that a model to start from has as names are names.
/// 3. Integers from 0 to k - 1, where k is the size of the output layer, are
///    indices; without layers, if each of 0 to the largest occurs.
/// 4. Other integers are names if at most k of them differ; without layers, at
///    most 10, or half as many as instances, or if the caller asks for classes.
/// 5. Without layers, more than 30 are refused unless the caller asks for classes.
///
/// \param source  the name of the file, for messages
/// \return indices for labels that are no classes, which the check of the labels
///         then refuses
/// \throws ClassError for integers that may be quantities
[[nodiscard]] inline NumberClasses decide_classes(const LabelNumbers& numbers,
                                                  const ClassRequest& request,
                                                  const std::string& source) {
  if (!numbers.are_integers) return {};
  if (request.kind != LabelKind::kAuto) {
    return detail::note_many(request.kind == LabelKind::kName, numbers);
  }
  const auto& known = request.known_names;
  if (known && knows_all(*known, name_numbers(numbers))) {
    return detail::note_many(true, numbers);
  }
  const bool are_indices = request.has_layers()
                               ? numbers.are_indices(request.num_outputs)
                               : numbers.are_all_indices();
  const bool has_indices = known && known->empty();
  if (!are_indices && has_indices) return {};
  detail::check_not_many(numbers, request, source);
  if (are_indices) return detail::note_many(false, numbers);
  if (detail::are_few(numbers, request)) {
    return detail::note_names(numbers, request);
  }
  if (request.has_layers()) return {};
  detail::refuse_unclear(numbers, source);
}

/// Refuses class indices if most of them never occur and no layers give their
/// number.
///
/// \throws ClassError
inline void check_dense_indices(const LabelNumbers& numbers,
                                const ClassRequest& request,
                                const std::string& source) {
  constexpr Index kLeast = 100;
  constexpr Index kClassesPerLabel = 10;
  if (request.has_layers() || numbers.counts.empty()) return;
  const auto num_labels = static_cast<Index>(numbers.counts.size());
  const Index num_classes = static_cast<Index>(numbers.largest()) + 1;
  if (num_classes <= std::max(kLeast, kClassesPerLabel * num_labels)) return;
  throw ClassError(ClassRefusal::kAbsentIndices, source,
                   "the largest label " + std::to_string(num_classes - 1) +
                       " asks for " + std::to_string(num_classes) +
                       " classes, but only " + std::to_string(num_labels) +
                       " occur");
}

/// Refuses texts that differ in most rows, such as names of people, and more texts
/// than a caller without layers probably wants as classes.
///
/// \param labels  each text once
/// \param column  the name of the label column; may be empty
/// \param source  the name of the file, for messages
/// \throws ClassError
inline void check_texts(std::span<const LabelCount> labels,
                        const ClassRequest& request, const std::string& column,
                        const std::string& source) {
  const std::size_t num_texts = labels.size();
  if (request.kind == LabelKind::kName || request.has_layers()) return;
  Index num_rows = 0;
  for (const LabelCount& label : labels) num_rows += label.count;
  const std::string found =
      "the label column" + (column.empty() ? "" : ' ' + in_quotes(column)) +
      " has " + std::to_string(num_texts) + " different texts in " +
      std::to_string(num_rows) + " rows; expected at most ";
  if (num_texts > kManyTexts && 2 * static_cast<Index>(num_texts) > num_rows) {
    throw ClassError(ClassRefusal::kTextsOfRows, source,
                     found + std::to_string(kManyTexts) +
                         ", or half as many as rows, to be classes");
  }
  if (num_texts <= kMostTexts || request.is_classification) return;
  throw ClassError(ClassRefusal::kTooManyTexts, source,
                   found + std::to_string(kMostTexts) + " to be classes");
}

namespace detail {

/// Returns a name without spaces and with small letters, those of ASCII; 1 for 1.0.
inline std::string fold_name(const std::string& name) {
  if (const auto number = parse_double(name)) return number_name(*number);
  std::string folded;
  for (const char letter : name) {
    if (letter == ' ' || letter == '\t') continue;
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    folded += is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return folded;
}

}  // namespace detail

/// Says that two classes differ only in case or spaces, or are the same number, and so
/// may be one; empty if none do. Names of one letter are codes and may differ in case.
[[nodiscard]] inline std::string describe_similar(
    const std::vector<std::string>& names) {
  std::unordered_map<std::string, std::string> first;
  for (const std::string& name : names) {
    const bool is_number = parse_double(name).has_value();
    if (name.size() < 2 && !is_number) continue;
    const auto [known, is_new] =
        first.try_emplace(detail::fold_name(name), name);
    if (is_new) continue;
    return "the classes " + in_quotes(known->second) + " and " +
           in_quotes(name) +
           (is_number ? " are the same number"
                      : " differ only in case or spaces") +
           "; if they are one class, write them in one way";
  }
  return "";
}

}  // namespace mlp::datasets
