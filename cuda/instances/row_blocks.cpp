// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "row_blocks.hpp"

#include <algorithm>

#include "../kernels/convert.hpp"
#include "feature_codec.hpp"

namespace mlp::cuda {

template <typename Input>
RowBlocks<Input>::RowBlocks(const DeviceInstances<Input>& instances,
                            Index block_size, const Stream& stream)
    : instances_(instances),
      block_size_(std::min(block_size, std::max<Index>(instances.size(), 1))),
      stream_(stream) {
  const bool has_bytes = instances_.byte_scale() != 0.0;
  if (!instances_.is_resident()) {
    if (has_bytes) {
      allocate(byte_transfers_);
    } else {
      allocate(operand_transfers_);
    }
  }
  if (instances_.bytes() || (has_bytes && !instances_.is_resident())) {
    operands_ = DeviceArray<Input>(block_size_ * instances_.num_features());
  }
}

template <typename Input>
RowBlocks<Input>::~RowBlocks() {
  static_cast<void>(cudaStreamSynchronize(stream_.get()));
}

template <typename Input>
Index RowBlocks<Input>::size_of(Index block) const {
  return std::min(block_size_, instances_.size() - first_of(block));
}

template <typename Input>
const Input* RowBlocks<Input>::load(Index block) {
  const Index first = first_of(block) * instances_.num_features();
  if (instances_.operands()) return instances_.operands() + first;
  const Index size = size_of(block) * instances_.num_features();
  if (instances_.is_resident()) {
    convert(size, instances_.bytes() + first, instances_.byte_scale(),
            operands_.data(), stream_.get());
    return operands_.data();
  }
  if (instances_.byte_scale() == 0.0) return copy(block, operand_transfers_);
  convert(size, copy(block, byte_transfers_), instances_.byte_scale(),
          operands_.data(), stream_.get());
  return operands_.data();
}

template <typename Input>
template <typename Stored>
void RowBlocks<Input>::allocate(Transfers<Stored>& transfers) {
  const Index size = block_size_ * instances_.num_features();
  for (Transfer<Stored>& transfer : transfers) {
    transfer.on_host = PinnedArray<Stored>(size);
    transfer.on_device = DeviceArray<Stored>(size);
  }
}

/// Copies a block into the transfer that is not in use.
template <typename Input>
template <typename Stored>
const Stored* RowBlocks<Input>::copy(Index block,
                                     Transfers<Stored>& transfers) {
  if (is_current_in_use_) transfers[current_].is_read.record(stream_);
  is_current_in_use_ = true;
  current_ = 1 - current_;
  Transfer<Stored>& transfer = transfers[current_];
  const Index num_features = instances_.num_features();
  const Index size = size_of(block) * num_features;
  transfer.is_copied.synchronize();
  encode(instances_.on_host().features + first_of(block) * num_features, size,
         instances_.byte_scale(), transfer.on_host.data());
  transfer.is_read.block(copies_);
  copy_to_device(transfer.on_host.data(), size, transfer.on_device.data(),
                 copies_);
  transfer.is_copied.record(copies_);
  transfer.is_copied.block(stream_);
  return transfer.on_device.data();
}

template class RowBlocks<double>;
template class RowBlocks<float>;
template class RowBlocks<BFloat16>;

}  // namespace mlp::cuda
