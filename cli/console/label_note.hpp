// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../datasets/load.hpp"
#include "console.hpp"

namespace mlp::cli {

/// Says which column became the label where no flag named it, and that a flag
/// had no effect where the format has no columns.
///
/// \param label  the flag's value; empty where it was not given
inline void note_label(const Console& console,
                       const datasets::LoadedData& loaded,
                       const std::string& label) {
  const auto& chosen = loaded.chosen_label;
  if (chosen && chosen->is_default) {
    console.note(
        "the label is column " + std::to_string(chosen->column) +
        (chosen->name.empty() ? std::string() : " ('" + chosen->name + "')") +
        "; --label COL chooses another");
  }
  if (!chosen && !label.empty()) {
    console.note("--label has no effect: " + loaded.dataset.source +
                 " has no columns with names or numbers to choose from");
  }
}

}  // namespace mlp::cli
