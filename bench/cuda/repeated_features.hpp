// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/index.hpp"

namespace mlp::bench {

/// Features of many instances that need the memory of few: the same pages appear
/// again and again at increasing addresses.
class RepeatedFeatures {
 public:
  /// \param features      bytes times 1 / 255, repeated [num_features x num_repeated]
  /// \param num_repeats   copies of them
  /// \pre    8 num_features num_repeated is a multiple of the size of a page
  /// \throws ResourceError if the system refuses the memory
  RepeatedFeatures(Index num_features, Index num_repeated, Index num_repeats);
  ~RepeatedFeatures();
  RepeatedFeatures(const RepeatedFeatures&) = delete;
  RepeatedFeatures& operator=(const RepeatedFeatures&) = delete;

  /// [num_features x (num_repeated num_repeats)]
  [[nodiscard]] const double* data() const {
    return static_cast<const double*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  std::size_t num_bytes_ = 0;
};

}  // namespace mlp::bench
