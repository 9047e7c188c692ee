// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/files/unlinked_file.hpp"
#include "../../core/memory/available_memory.hpp"
#include "../stored/store_rule.hpp"
#include "data_files.hpp"

/// Standard input, which can be read once.
namespace mlp::datasets::detail {

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
    const std::size_t wanted = std::min(size - filled, kStep);
    bytes.resize(filled + wanted);
    const std::size_t received = read_full<DataError>(
        descriptor, kStandardInput, bytes.data() + filled, wanted);
    bytes.resize(filled + received);
    if (received < wanted) return false;
  }
  return true;
}

/// Puts what was read of standard input, and all that follows, into a file.
///
/// \param[in,out] bytes        what was read; then the last block, which may not be in the
///                             file
/// \param[out]    num_written  bytes of the file before that block
inline void copy_to_file(int descriptor, UnlinkedFile& file, std::string& bytes,
                         std::uint64_t& num_written) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 22;
  file.require_disk();
  for (bool has_more = true; has_more;) {
    file.append(bytes.data(), bytes.size());
    num_written += bytes.size();
    bytes.clear();
    has_more = read_more(descriptor, kBlockBytes, bytes);
  }
  file.append(bytes.data(), bytes.size());
}

/// Reads standard input to its end into memory, when no file can take it.
///
/// \param bytes        what was read behind the bytes of the file
/// \param file         null, or what has the first bytes
/// \param num_written  of these
/// \throws ResourceError if memory runs out
[[nodiscard]] inline std::string read_on(int descriptor, std::string bytes,
                                         const UnlinkedFile* file,
                                         std::uint64_t num_written) try {
  if (num_written > 0) {
    require_memory_for(kStandardInput,
                       static_cast<double>(num_written + bytes.size()));
    std::string all(static_cast<std::size_t>(num_written), '\0');
    file->read(0, all.data(), all.size());
    bytes = std::move(all.append(bytes));
  }
  constexpr std::size_t kStep = std::size_t{1} << 26;
  while (read_more(descriptor, bytes.size() + kStep, bytes)) {
    if (bytes.size() + kStep <= bytes.capacity()) continue;
    // A string grows to twice its size.
    require_memory_for(kStandardInput, 2.0 * static_cast<double>(bytes.size()));
  }
  return bytes;
} catch (const std::bad_alloc&) {
  throw ResourceError(kStandardInput, "does not fit into memory");
}

/// Reads standard input to its end. What exceeds a tenth of the memory that a rule allows
/// is put into a file, because its features may need nine times as much. If no file can be
/// written and the rule gives no size, the input stays in memory.
///
/// \param most_bytes  that stay in memory although a file can be written
/// \throws DataError if it cannot be read; ResourceError if the file cannot be written,
///         and there is no memory, too
[[nodiscard]] inline std::shared_ptr<StandardInput> take_standard_input(
    const StoreRule& rule, int descriptor, double most_bytes) {
  const auto input = std::make_shared<StandardInput>();
  const auto most = static_cast<std::size_t>(std::max(1.0, most_bytes));
  if (!read_more(descriptor, most, input->bytes)) return input;
  std::uint64_t num_written = 0;
  try {
    input->file = std::make_unique<UnlinkedFile>(rule.folder);
    copy_to_file(descriptor, *input->file, input->bytes, num_written);
    input->bytes = {};
  } catch (const ResourceError& error) {
    if (rule.memory_bytes > 0.0) throw;
    try {
      input->bytes = read_on(descriptor, std::move(input->bytes),
                             input->file.get(), num_written);
    } catch (const ResourceError& memory) {
      throw ResourceError(
          std::string(memory.what()) +
          "; nor can a file take it: " + error.what() +
          "; choose a folder with more room for the features, or write the "
          "data to a file, and name it instead of -");
    }
    input->file.reset();
  }
  return input;
}

/// As above, for the standard input of this process.
[[nodiscard]] inline std::shared_ptr<StandardInput> take_standard_input(
    const StoreRule& rule) {
  return take_standard_input(rule, STDIN_FILENO, allowed_memory(rule) / 10.0);
}

}  // namespace mlp::datasets::detail
