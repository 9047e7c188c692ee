// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the bytes of a checkpoint file in memory.

#include <string>

#include "../../../core/byte_stream.hpp"
#include "../../../core/sha256.hpp"
#include "../../../mlp/checkpoint/checkpoint_file.hpp"

namespace mlp::fuzz {

/// The number of bytes of the hash at the end of a checkpoint.
inline constexpr std::size_t kHashBytes = 64;

/// Returns the bytes that write_checkpoint() writes.
inline std::string checkpoint_bytes(const Checkpoint& checkpoint) {
  ByteWriter writer;
  writer.write_text(checkpoint.fingerprint);
  writer.write_text(checkpoint.state);
  std::string bytes(detail::kCheckpointMagic);
  bytes += writer.bytes();
  bytes += sha256_hex(bytes);
  return bytes;
}

}  // namespace mlp::fuzz
