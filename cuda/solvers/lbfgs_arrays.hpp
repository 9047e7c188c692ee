// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/index.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/stream.hpp"
#include "../steps/lbfgs_memory.hpp"

namespace mlp::cuda {

/// How the direction of L-BFGS is computed.
enum class LbfgsForm {
  kAuto,  ///< in one block for up to kMaxTwoLoopWeights weights, else kGram
  kGram   ///< from products of the corrections, by the whole device
};

/// The memory of L-BFGS on the device. Corrections get memory when they come.
class LbfgsArrays {
 public:
  /// \param num_tail  numbers directly before the gradient of the trial point
  /// \throws ResourceError if the device has too little memory
  LbfgsArrays(Index num_weights, Index history_size, Index num_tail,
              LbfgsForm form);

  /// Returns true if the direction is computed in Gram form.
  [[nodiscard]] bool is_gram() const { return is_gram_; }

  [[nodiscard]] Index history_size() const { return history_size_; }

  /// Where the numbers are. Changes when grow() does something.
  [[nodiscard]] const LbfgsMemory& memory() const { return memory_; }

  /// Makes room for so many corrections, with those that exist.
  ///
  /// \pre    the corrections use the slots from 0 on, in the order of their age
  /// \return false if there was room
  /// \throws ResourceError if the device has too little memory
  bool grow(Index num_corrections, const Stream& stream);

 private:
  void grow_table(Index capacity, DeviceArray<double>& table,
                  const Stream& stream) const;

  Index history_size_;
  bool is_gram_;
  LbfgsMemory memory_;
  DeviceArray<LbfgsCommand> command_;
  DeviceArray<LbfgsResults> results_;
  DeviceArray<double> x_, gradient_, direction_, trial_x_, trial_gradient_;
  DeviceArray<double> s_, y_, curvatures_, coefficients_;
  DeviceArray<double> sy_, yy_, products_;
  DeviceArray<double> partials_;
};

}  // namespace mlp::cuda
