// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../../mlp/result/fit_warning.hpp"
#include "console.hpp"
#include "json_output.hpp"

/// Notes and warnings of a training about its result and its labels.
namespace mlp::cli {

/// Writes the warnings of a fit and the flags that help. A serious one is a warning,
/// which a quiet program writes too; the others are notes.
///
/// \param names_preset  the note about the scale names --preset modern too
inline void note_warnings(const Console& console,
                          const std::vector<FitWarning>& warnings,
                          bool names_preset) {
  for (const FitWarning& warning : warnings) {
    std::string note = warning.sentence;
    if (warning.code == FitWarningCode::kUnevenScale) {
      note += "; --standardize scales them";
      if (names_preset) {
        note +=
            "; --preset modern does so, and chooses the other values for most "
            "tables";
      }
    }
    if (is_serious(warning.code)) {
      console.warn(note);
    } else {
      console.note(note);
    }
  }
}

/// \throws DataError naming the warnings, if there are any
inline void refuse_warnings(const std::vector<FitWarning>& warnings) {
  if (warnings.empty()) return;
  std::string names;
  for (const FitWarning& warning : warnings) {
    names +=
        (names.empty() ? "" : ", ") + std::string(warning_name(warning.code));
  }
  throw DataError("--strict: the training has warnings: " + names);
}

/// Returns warnings as a JSON array of objects.
[[nodiscard]] inline std::string warnings_json(
    const std::vector<FitWarning>& warnings) {
  std::string json = "[";
  for (const FitWarning& warning : warnings) {
    json += json.size() > 1 ? ", " : "";
    json += "{\"code\": " + json_text(warning_name(warning.code)) +
            ", \"sentence\": " + json_text(warning.sentence) +
            ", \"numbers\": {";
    std::string numbers;
    for (const auto& [name, number] : warning.numbers) {
      numbers += (numbers.empty() ? "" : ", ") + json_text(name) + ": " +
                 json_text(number);
    }
    json += numbers + "}}";
  }
  return json + ']';
}

/// Notes the classes that never occur in the labels, at most five of them.
///
/// \param names      of the first classes; the others have none
/// \param occurring  the names, or the indices of classes without a name
inline void note_absent_classes(
    const Console& console, const std::vector<std::string>& names,
    Index num_classes, const std::unordered_set<std::string>& occurring) {
  constexpr Index kMaxShown = 5;
  std::string list;
  Index num_absent = 0;
  for (Index i = 0; i < num_classes; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool is_named = at < names.size();
    const std::string name = is_named ? names[at] : std::to_string(i);
    if (occurring.count(name) != 0 || ++num_absent > kMaxShown) continue;
    list += (list.empty() ? "" : ", ");
    list += is_named ? datasets::in_quotes(name) : name;
  }
  if (num_absent == 0) return;
  if (num_absent > kMaxShown) {
    list += " and " + std::to_string(num_absent - kMaxShown) + " more";
  }
  console.note("these classes never occur in the labels: " + list);
}

}  // namespace mlp::cli
