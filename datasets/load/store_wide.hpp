// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../stored/feature_file.hpp"
#include "../stored/store_rule.hpp"
#include "../stored/stored_features.hpp"

/// Moves features to a file that fit into memory, if what becomes of them does not.
namespace mlp::datasets {

/// Moves the features of a dataset to a file, if its encoding needs more memory than a rule
/// allows: the encoded features are then computed as they are read.
///
/// \param num_encoded  features of the encoding
/// \return why the features moved; nothing if they stay in memory. They stay, too, if no
///         disk has room for them and the rule gives no size
/// \throws ResourceError if the rule has a size, and the file cannot be made
inline std::optional<StoreNote> store_wide(Dataset& data, Index num_encoded,
                                           const StoreRule& rule) try {
  if (data.stored || rule.folder.empty() || data.num_instances() == 0) {
    return {};
  }
  const StoreNote note{8.0 * static_cast<double>(num_encoded) *
                           static_cast<double>(data.num_instances()),
                       allowed_memory(rule), rule.folder};
  const bool is_small =
      rule.memory_bytes == 0.0 && note.needed_bytes < kLeastCheckedBytes;
  if (is_small || note.needed_bytes <= note.allowed_bytes) return {};
  const auto file = FeatureFile::make(
      rule.folder, data.num_features(), StoredNumber::kFloat64,
      static_cast<double>(data.num_instances()));
  const auto features = data.feature_matrix();
  file->append(features.data(), features.cols());
  data.features.resize(0, 0);
  data.borrowed = {};
  data.stored = std::make_shared<const StoredFeatures>(file);
  return note;
} catch (const ResourceError&) {
  if (rule.memory_bytes > 0.0) throw;
  return {};
}

}  // namespace mlp::datasets
