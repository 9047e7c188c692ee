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

#include "../../core/byte_stream.hpp"
#include "../../core/error.hpp"
#include "../../core/files/file_replacement.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/first_difference.hpp"
#include "../../core/sha256.hpp"

namespace mlp {

/// The content of a checkpoint file: the state of a training, and which training.
///
///     "mlp-checkpoint 2\n", fingerprint, state, SHA-256 of all before
///
/// The previous file is kept as FILE.previous until the next is written: whenever
/// the program dies, one of the two is complete. If FILE is a symbolic link, both
/// are beside its target.
struct Checkpoint {
  std::string fingerprint;  ///< training_fingerprint()
  std::string state;        ///< as CheckpointOptions::write gets it
  std::string file = {};    ///< that it was read from
};

namespace detail {

inline constexpr std::string_view kCheckpointMagic = "mlp-checkpoint 2\n";
inline constexpr std::string_view kPreviousSuffix = ".previous";

/// \throws ModelError unless the bytes begin as a checkpoint of this version
inline void check_checkpoint_start(std::string_view bytes,
                                   const std::string& path) {
  if (bytes.substr(0, kCheckpointMagic.size()) == kCheckpointMagic) return;
  constexpr std::string_view kAnyVersion = "mlp-checkpoint ";
  if (bytes.substr(0, kAnyVersion.size()) == kAnyVersion) {
    throw ModelError(path,
                     "is a checkpoint of another version of mlp; expected one "
                     "that begins with 'mlp-checkpoint 2'; end that training "
                     "with the version that began it, or remove the file to "
                     "start from the beginning");
  }
  throw ModelError(path,
                   "is not a checkpoint; expected a file that begins with "
                   "'mlp-checkpoint 2'");
}

/// \throws ModelError if the bytes are not a checkpoint, or are damaged
inline Checkpoint parse_checkpoint(std::string_view bytes,
                                   const std::string& path) {
  constexpr std::size_t kHashSize = 64;
  check_checkpoint_start(bytes, path);
  const bool has_hash = bytes.size() >= kCheckpointMagic.size() + kHashSize;
  const std::size_t end = has_hash ? bytes.size() - kHashSize : 0;
  if (!has_hash || sha256_hex(bytes.substr(0, end)) != bytes.substr(end)) {
    throw ModelError(path,
                     "is damaged: its checksum does not match; remove it to "
                     "start from the beginning");
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

/// The file that keeps the previous checkpoint.
[[nodiscard]] inline std::string previous_checkpoint(const std::string& path) {
  return follow_links<ResourceError>(path) +
         std::string(detail::kPreviousSuffix);
}

/// The file that keeps a checkpoint that was found damaged.
[[nodiscard]] inline std::string damaged_checkpoint(const std::string& path) {
  return follow_links<ResourceError>(path) + ".damaged";
}

/// Writes a checkpoint, completely or not at all, and keeps the previous one.
///
/// The old file gets its new name only when the new one is on the disk.
/// \throws ResourceError if the file cannot be written, or is not a regular file
inline void write_checkpoint(const std::string& path,
                             const Checkpoint& checkpoint) {
  ByteWriter writer;
  writer.write_text(checkpoint.fingerprint);
  writer.write_text(checkpoint.state);
  std::string bytes(detail::kCheckpointMagic);
  bytes += writer.bytes();
  bytes += sha256_hex(bytes);
  FileReplacement<ResourceError> replacement(path);
  replacement.write(bytes);
  replacement.take_place(detail::kPreviousSuffix);
}

/// Reads the newest checkpoint that is complete. A damaged newer one is renamed to
/// FILE.damaged.
///
/// \return nothing if neither the file nor the previous one exists
/// \throws ModelError if all that exist are damaged
[[nodiscard]] inline std::optional<Checkpoint> read_checkpoint(
    const std::string& path) {
  std::optional<ModelError> first_error;
  for (const std::string& file : {path, previous_checkpoint(path)}) {
    if (!std::filesystem::exists(file)) continue;
    std::string bytes;
    try {
      bytes = read_file<ModelError>(file);
    } catch (const ModelError&) {
      // Another process may have renamed it meanwhile.
      if (!std::filesystem::exists(file)) continue;
      throw;  // a file that cannot be read may be whole
    }
    try {
      Checkpoint checkpoint = detail::parse_checkpoint(bytes, file);
      checkpoint.file = file;
      // The next write would replace this one by the damaged file.
      if (first_error) {
        const std::string newest = follow_links<ResourceError>(path);
        static_cast<void>(
            std::rename(newest.c_str(), damaged_checkpoint(path).c_str()));
      }
      return checkpoint;
    } catch (const ModelError& error) {
      if (!first_error) first_error = error;
    }
  }
  if (first_error) throw ModelError(*first_error);
  return std::nullopt;
}

namespace detail {

/// Says in what a checkpoint and a training differ.
///
/// \param difference  the fact of the checkpoint and of the training
inline std::string describe_change(
    const std::pair<std::string, std::string>& difference) {
  for (const std::string& fact : {difference.first, difference.second}) {
    const std::string name = unreadable_fact(fact);
    if (name.empty()) continue;
    return (name == "data" ? "the training data have" : '\'' + name + "' has") +
           " changed since it was written";
  }
  return "it was written with '" + difference.first +
         "', and this training has '" + difference.second + '\'';
}

}  // namespace detail

/// Takes the state out of a checkpoint.
///
/// \param fingerprint  of the training that is to be resumed
/// \throws ModelError naming the first difference if the checkpoint is of another
///         training
[[nodiscard]] inline std::string take_state(Checkpoint checkpoint,
                                            std::string_view fingerprint,
                                            const std::string& path) {
  const auto difference = first_difference(checkpoint.fingerprint, fingerprint);
  if (!difference) return std::move(checkpoint.state);
  throw ModelError(path, "belongs to another training: " +
                             detail::describe_change(*difference) +
                             "; remove it to start from the beginning");
}

}  // namespace mlp
