// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/files/output_files.hpp"
#include "../../datasets/data_files.hpp"

/// Data files that no output may replace.
namespace mlp::cli {

/// Adds the files that a path stands for. A folder or a pattern that cannot be read
/// has none: reading it reports the error.
///
/// \param name  of the argument or flag
/// \param path  a file, a folder or a pattern; "" adds nothing
inline void add_data_inputs(OutputFiles& files, const std::string& name,
                            const std::string& path) {
  if (path.empty()) return;
  try {
    for (const std::string& file : datasets::find_data_files({path}).paths) {
      files.add_input(name, file);
    }
  } catch (const DataError&) {
    files.add_input(name, path);
  }
}

}  // namespace mlp::cli
