// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "../../core/atomic_file.hpp"
#include "../../core/byte_stream.hpp"
#include "../../core/error.hpp"
#include "../../core/first_difference.hpp"
#include "../../core/read_file.hpp"
#include "../../core/sha256.hpp"

namespace mlp {

/// The state of a training in a file.
///
///     "mlp-checkpoint 1\n", fingerprint, state, SHA-256 of all before
///
/// The file before stays as FILE.previous until the next one: whenever the program
/// dies, one of the two is whole.
struct Checkpoint {
  std::string fingerprint;  ///< training_fingerprint()
  std::string state;        ///< what CheckpointOptions::write takes
};

namespace detail {

inline constexpr std::string_view kCheckpointMagic = "mlp-checkpoint 1\n";

/// \throws ModelError where the bytes are no checkpoint, or damaged
inline Checkpoint parse_checkpoint(std::string_view bytes,
                                   const std::string& path) {
  constexpr std::size_t kHashSize = 64;
  if (bytes.substr(0, kCheckpointMagic.size()) != kCheckpointMagic) {
    throw ModelError(path,
                     "is no checkpoint of this version; expected a file that "
                     "begins with 'mlp-checkpoint 1'");
  }
  const bool has_hash = bytes.size() >= kCheckpointMagic.size() + kHashSize;
  const std::size_t end = has_hash ? bytes.size() - kHashSize : 0;
  if (!has_hash || sha256_hex(bytes.substr(0, end)) != bytes.substr(end)) {
    throw ModelError(path,
                     "is damaged: its checksum does not fit; remove it to "
                     "begin anew");
  }
  const std::size_t begin = kCheckpointMagic.size();
  ByteReader reader(bytes.substr(begin, end - begin), path);
  Checkpoint checkpoint;
  checkpoint.fingerprint = reader.read_text();
  checkpoint.state = reader.read_text();
  reader.require_end();
  return checkpoint;
}

}  // namespace detail

/// Where the checkpoint before is kept.
[[nodiscard]] inline std::string previous_checkpoint(const std::string& path) {
  return path + ".previous";
}

/// Writes a checkpoint, all or nothing, and keeps the one before.
///
/// \throws ResourceError where the file cannot be written
inline void write_checkpoint(const std::string& path,
                             const Checkpoint& checkpoint) {
  ByteWriter writer;
  writer.write_text(checkpoint.fingerprint);
  writer.write_text(checkpoint.state);
  std::string bytes(detail::kCheckpointMagic);
  bytes += writer.bytes();
  bytes += sha256_hex(bytes);
  // Fails where there is none yet.
  static_cast<void>(
      std::rename(path.c_str(), previous_checkpoint(path).c_str()));
  write_atomically<ResourceError>(path, bytes);
}

/// Reads the newest checkpoint that is whole. A damaged file before it is set
/// aside as FILE.damaged.
///
/// \return nothing where neither the file nor the one before is there
/// \throws ModelError where none that is there is whole
[[nodiscard]] inline std::optional<Checkpoint> read_checkpoint(
    const std::string& path) {
  std::optional<ModelError> first_error;
  for (const std::string& file : {path, previous_checkpoint(path)}) {
    if (!std::filesystem::exists(file)) continue;
    try {
      Checkpoint whole =
          detail::parse_checkpoint(read_file<ModelError>(file), file);
      // The next write would put the damaged file in the place of this one.
      if (first_error) {
        static_cast<void>(
            std::rename(path.c_str(), (path + ".damaged").c_str()));
      }
      return whole;
    } catch (const ModelError& error) {
      if (!first_error) first_error = error;
    }
  }
  if (first_error) throw ModelError(*first_error);
  return std::nullopt;
}

/// Takes the state out of a checkpoint.
///
/// \param fingerprint  of the training that is to go on
/// \throws ModelError naming the first difference where it is of another training
[[nodiscard]] inline std::string take_state(Checkpoint checkpoint,
                                            std::string_view fingerprint,
                                            const std::string& path) {
  const auto difference = first_difference(checkpoint.fingerprint, fingerprint);
  if (!difference) return std::move(checkpoint.state);
  throw ModelError(path, "is of another training: it was made with '" +
                             difference->first + "', and this training has '" +
                             difference->second + "'; remove it to begin anew");
}

}  // namespace mlp
