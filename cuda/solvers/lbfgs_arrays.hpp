// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../core/index.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/stream.hpp"
#include "../steps/lbfgs_memory.hpp"

namespace mlp::cuda {

/// The memory of L-BFGS on the device. Corrections get memory when they come.
class LbfgsArrays {
 public:
  /// \param num_tail  numbers directly before the gradient of the trial point
  /// \param stream    of the work that uses the memory
  /// \throws ResourceError if the device has too little memory
  LbfgsArrays(Index num_weights, Index history_size, Index num_tail,
              const Stream& stream);

  [[nodiscard]] Index history_size() const { return history_size_; }

  /// The addresses of the arrays. They change when grow() does something.
  [[nodiscard]] const LbfgsMemory& memory() const { return memory_; }

  /// Allocates memory for so many corrections, and keeps those that exist.
  ///
  /// \pre    the corrections use the slots from 0 on, in the order of their age
  /// \return false if the memory was sufficient
  /// \throws ResourceError if the device has too little memory
  bool grow(Index num_corrections, const Stream& stream);

 private:
  void grow_table(Index capacity, DeviceArray<double>& table,
                  const Stream& stream) const;

  Index history_size_;
  LbfgsMemory memory_;
  DeviceArray<LbfgsCommand> command_;
  DeviceArray<LbfgsResults> results_;
  DeviceArray<double> x_, gradient_, direction_, trial_x_, trial_gradient_;
  DeviceArray<double> s_, y_, coefficients_;
  DeviceArray<double> sy_, yy_, products_;
  DeviceArray<double> partials_;
};

}  // namespace mlp::cuda
