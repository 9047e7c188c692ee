// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../datasets/load.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../console/console.hpp"

namespace mlp::cli {

/// Notes which column became the label if no flag chose one.
///
/// Also notes that the flag has no effect if the format has no columns.
///
/// \param label  the value of --label; empty if not given
inline void note_label(const Console& console,
                       const datasets::LoadedData& loaded,
                       const std::string& label) {
  const auto& chosen = loaded.chosen_label;
  if (chosen && chosen->is_default) {
    console.note(
        "the label is column " + std::to_string(chosen->column) +
        (chosen->name.empty() ? std::string() : " ('" + chosen->name + "')") +
        "; --label COL chooses another" +
        (loaded.guesses.other_labels.empty()
             ? ""
             : ", such as " +
                   datasets::quoted_list(loaded.guesses.other_labels)));
  }
  if (!chosen && !label.empty()) {
    console.note("--label has no effect: " + loaded.dataset.source +
                 " has no columns with names or numbers to choose from");
  }
}

}  // namespace mlp::cli
