// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/types.hpp"

namespace mlp::datasets {

/// Features that are not one matrix in memory, and are read in parts: those of a file,
/// or those in the order of a backend's arithmetic.
///
/// Thread safety: several threads may read at the same time.
class FeatureRows {
 public:
  virtual ~FeatureRows() = default;

  /// Copies the features of some instances.
  ///
  /// \param[out] features  [num_features x count]
  /// \throws ResourceError if they cannot be read
  virtual void read(Index first, Index count, double* features) const = 0;
};

}  // namespace mlp::datasets
