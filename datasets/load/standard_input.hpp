// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/files/unlinked_file.hpp"
#include "../stored/store_rule.hpp"

/// Standard input, which can be read once.
namespace mlp::datasets::detail {

inline constexpr char kStandardInput[] = "(standard input)";

/// What standard input had: in memory, or in a file if it is large.
struct StandardInput {
  std::string bytes;
  std::unique_ptr<UnlinkedFile> file;  ///< null if bytes has all
};

/// Returns what standard input had, which must fit into memory.
///
/// \param[in,out] input  its bytes are moved
[[nodiscard]] inline std::string take_bytes(StandardInput& input) {
  return input.file ? read_file<DataError>(input.file->path())
                    : std::move(input.bytes);
}

/// Reads up to a number of bytes, or to the end.
///
/// \return false at the end
inline bool read_more(int descriptor, std::size_t size, std::string& bytes) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  while (bytes.size() < size) {
    const std::size_t filled = bytes.size();
    bytes.resize(std::min(size, filled + kStep));
    const ssize_t received =
        read_some(descriptor, &bytes[filled], bytes.size() - filled);
    if (received < 0)
      throw_file_error<DataError>(kStandardInput, "read", errno);
    bytes.resize(filled + static_cast<std::size_t>(received));
    if (received == 0) return false;
  }
  return true;
}

/// Reads standard input to its end. What exceeds a tenth of the memory that a rule allows
/// is put into a file, because its features may need nine times as much.
///
/// \throws DataError if it cannot be read; ResourceError if the file cannot be written
[[nodiscard]] inline std::shared_ptr<StandardInput> take_standard_input(
    const StoreRule& rule, int descriptor = STDIN_FILENO) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 22;
  const auto input = std::make_shared<StandardInput>();
  const auto most = static_cast<std::size_t>(allowed_memory(rule) / 10.0);
  if (!read_more(descriptor, std::max<std::size_t>(most, 1), input->bytes)) {
    return input;
  }
  input->file = std::make_unique<UnlinkedFile>(rule.folder);
  input->file->require_disk();
  bool has_more = true;
  do {
    input->file->append(input->bytes.data(), input->bytes.size());
    input->bytes.clear();
    has_more = read_more(descriptor, kBlockBytes, input->bytes);
  } while (has_more);
  input->file->append(input->bytes.data(), input->bytes.size());
  input->bytes = {};
  return input;
}

}  // namespace mlp::datasets::detail
