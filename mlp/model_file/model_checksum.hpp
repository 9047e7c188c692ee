// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/sha256.hpp"

/// The checksum and the uid of a model file.
namespace mlp {

namespace detail {

/// A model file ends with this, 64 hexadecimal digits, and kChecksumEnd.
inline constexpr std::string_view kChecksumStart = "  \"sha256\": \"";
inline constexpr std::string_view kChecksumEnd = "\"\n}\n";
inline constexpr std::size_t kChecksumBytes =
    kChecksumStart.size() + 64 + kChecksumEnd.size();

}  // namespace detail

/// Finds the bytes that the checksum of a model file covers: from the start
/// through the newline before the line of sha256.
///
/// \return nothing if the text does not end with that line and the line "}"
[[nodiscard]] inline std::optional<std::string_view> checksummed_bytes(
    std::string_view text) {
  const std::size_t size =
      text.size() - std::min(text.size(), detail::kChecksumBytes);
  const std::string_view bytes = text.substr(0, size);
  const bool is_complete =
      bytes.ends_with('\n') &&
      text.substr(size).starts_with(detail::kChecksumStart) &&
      text.ends_with(detail::kChecksumEnd);
  return is_complete ? std::optional(bytes) : std::nullopt;
}

/// Refuses a file whose bytes are not those that were written.
///
/// \param text    all bytes of the file
/// \param file    its name in messages
/// \param stated  the value of its member sha256
/// \throws ModelError at $.sha256
inline void check_checksum(std::string_view text, const std::string& file,
                           const std::string& stated) {
  const auto covered = checksummed_bytes(text);
  if (!covered) {
    constexpr std::size_t kShownBytes = 16;
    const std::size_t at = text.size() - std::min(text.size(), kShownBytes);
    throw ModelError(file, "$.sha256",
                     "the file was changed after it was written; expected its "
                     "last lines to be \"sha256\", indented by two spaces, and "
                     "}, got " +
                         shown_json_string(text.substr(at)) +
                         ": use the original file, neither edited nor "
                         "re-indented");
  }
  const std::string hash = sha256_hex(*covered);
  if (hash == stated) return;
  throw ModelError(file, "$.sha256",
                   "the file was changed after it was written, or an older "
                   "build wrote it; it states " +
                       stated + ", its bytes have " + hash +
                       ": use the original file, neither edited nor "
                       "re-indented, or train or convert the model again");
}

/// Makes the uid of a model: the same content gives the same uid, whichever
/// version wrote it.
///
/// \param bytes  checksummed_bytes(); the lines of producer and uid do not count
[[nodiscard]] inline std::string model_uid(std::string_view bytes) {
  Sha256 hash;
  while (!bytes.empty()) {
    const std::string_view line =
        bytes.substr(0, std::min(bytes.find('\n'), bytes.size() - 1) + 1);
    const bool is_counted = !line.starts_with("  \"producer\": ") &&
                            !line.starts_with("  \"uid\": ");
    if (is_counted) hash.update(line);
    bytes.remove_prefix(line.size());
  }
  return "mlpc_" + hash.hex().substr(0, 12);
}

/// Appends the last two lines of a model file.
///
/// \pre text ends with the newline before them
inline void append_checksum(std::string& text) {
  const std::string hash = sha256_hex(text);
  text.append(detail::kChecksumStart).append(hash).append(detail::kChecksumEnd);
}

}  // namespace mlp
