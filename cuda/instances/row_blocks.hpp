// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "../../core/index.hpp"
#include "../kernels/number_types.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/pinned_array.hpp"
#include "../runtime/stream.hpp"
#include "device_instances.hpp"

namespace mlp::cuda {

/// The features of instances as blocks of factors of products, wherever they are
/// stored.
///
/// Features on the host are copied by a stream of their own, two blocks in turn:
/// while the device computes with one, the host converts the next and the device
/// copies it.
///
/// \tparam Input  double, float or BFloat16
template <typename Input>
class RowBlocks {
 public:
  /// \param instances  must outlive this object, as the stream must
  /// \param stream     of the work that reads blocks
  /// \throws ResourceError if device or host have too little memory
  RowBlocks(const DeviceInstances<Input>& instances, Index block_size,
            const Stream& stream);

  /// Waits for the copies.
  ~RowBlocks();

  [[nodiscard]] Index size() const {
    return (instances_.size() + block_size_ - 1) / block_size_;
  }
  [[nodiscard]] Index first_of(Index block) const {
    return block * block_size_;
  }
  [[nodiscard]] Index size_of(Index block) const;

  /// Adds to the stream what makes a block available to the work that follows,
  /// until the next call. May wait until the block before last was computed.
  ///
  /// \return on the device   [num_features x size_of(block)]
  [[nodiscard]] const Input* load(Index block);

 private:
  /// The memory through which a block is copied from the host.
  template <typename Stored>
  struct Transfer {
    PinnedArray<Stored> on_host;
    DeviceArray<Stored> on_device;
    Event is_copied;
    Event is_read;
  };
  template <typename Stored>
  using Transfers = std::array<Transfer<Stored>, 2>;

  template <typename Stored>
  void allocate(Transfers<Stored>& transfers);
  template <typename Stored>
  const Stored* copy(Index block, Transfers<Stored>& transfers);

  const DeviceInstances<Input>& instances_;
  Index block_size_;
  const Stream& stream_;
  Stream copies_;
  Transfers<Input> operand_transfers_;
  Transfers<std::uint8_t> byte_transfers_;
  DeviceArray<Input> operands_;  // of the block, if it is converted
  std::size_t current_ = 0;      ///< the transfer that load() returned
  bool is_current_in_use_ = false;
};

}  // namespace mlp::cuda
