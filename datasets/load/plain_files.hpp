// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/memory/available_memory.hpp"
#include "../binary/gzip.hpp"
#include "../csv/csv_parts.hpp"
#include "../reading/limits.hpp"
#include "../reading/text_encoding.hpp"
#include "../stored/store_rule.hpp"
#include "data_files.hpp"
#include "data_format.hpp"
#include "standard_input.hpp"
#include "unpacked_file.hpp"

/// The files of a table that is larger than the memory, as they can be read part by part.
namespace mlp::datasets::detail {

/// Returns the size of a regular file; nothing for others.
inline std::optional<double> size_of_file(const std::string& path) {
  struct stat status {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 ||
      !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<double>(status.st_size);
}

/// Reads the first bytes of a file.
inline std::string read_start(const std::string& path,
                              std::size_t num_bytes = std::size_t{1} << 16) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_file_error<DataError>(path, "opened", errno);
  const DescriptorGuard guard(descriptor);
  std::string bytes(num_bytes, '\0');
  bytes.resize(read_full<DataError>(descriptor, path, bytes.data(), num_bytes));
  return bytes;
}

/// Returns the most bytes of memory that a byte of a file needs as features.
[[nodiscard]] inline double most_per_byte(DataFormat format) {
  // A byte of text is at most one number, and each is in memory beside the other.
  constexpr double kOfText = 9.0;
  constexpr double kOfSparseText = 1025.0;
  return format == DataFormat::kLibsvm ? kOfSparseText : kOfText;
}

/// Regular files without compression and in UTF-8. Others are unpacked into files without
/// a name, if their contents may not fit into memory.
struct PlainFiles {
  std::string name;  ///< of all, for messages
  std::vector<PartFile> files;
  double num_bytes = 0.0;

  /// What paths of the files open.
  std::vector<std::unique_ptr<UnpackedFile>> unpacked;

  /// What the names of their folders give.
  FolderColumns columns;

  /// Opens files, and unpacks them.
  ///
  /// \return nothing if one is no regular file, or if some are packed and all of them fit
  ///         into memory
  /// \throws as UnpackedFile; ResourceError if more files are packed than a process may
  ///         open
  [[nodiscard]] static std::optional<PlainFiles> open(const DataFiles& given,
                                                      const StoreRule& rule) {
    PlainFiles all{given.name, {}, 0.0, {}, given.columns};
    std::vector<std::size_t> packed;
    double most_bytes = 0.0;
    for (const std::string& path : given.paths) {
      PartFile file(path);
      if (path == "-") {
        if (!given.input || !given.input->file) return {};
        file = {kStandardInput, given.input->file->path()};
      }
      const auto size = size_of_file(file.path);
      if (!size) return {};
      double num_bytes = *size;
      if (is_packed(file.path)) {
        packed.push_back(all.files.size());
        num_bytes = unpacked_bytes(file.path);
      } else {
        all.num_bytes += num_bytes;
      }
      most_bytes += most_per_byte(DataFormat::kCsv) * num_bytes;
      all.files.push_back(file);
    }
    if (!packed.empty() && may_fit(rule, most_bytes)) return {};
    require_descriptors(given.name, packed.size());
    for (const std::size_t i : packed) {
      PartFile& file = all.files[i];
      while (is_packed(file.path)) file.path = all.unpack(file, rule.folder);
      all.num_bytes += size_of_file(file.path).value_or(0.0);
    }
    return all;
  }

 private:
  /// Each unpacked file stays open.
  static void require_descriptors(const std::string& name,
                                  std::size_t num_packed) {
    constexpr rlim_t kOthers = 50;  // of the process
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t needed = num_packed + kOthers;
    if (num_packed == 0 || needed <= limit.rlim_cur) return;
    throw ResourceError(
        name, "has " + std::to_string(num_packed) +
                  " files that are compressed or UTF-16, which must be open "
                  "together; expected at most " +
                  std::to_string(limit.rlim_cur) +
                  " open files; raise the limit (ulimit -n " +
                  std::to_string(needed) + "), or join the files");
  }

  [[nodiscard]] static bool is_packed(const std::string& path) {
    if (!size_of_file(path)) return false;
    const std::string start = read_start(path, 64);
    return is_gzip(start) || (!starts_as_idx(start) &&
                              find_encoding(start) != TextEncoding::kUtf8);
  }

  /// Estimates the size of the contents: gzip stores the size of the last member, and
  /// tables are rarely compressed to less than a quarter.
  [[nodiscard]] static double unpacked_bytes(const std::string& path) {
    const double size = size_of_file(path).value_or(0.0);
    if (!is_gzip(read_start(path, 2))) return size / 2.0;
    constexpr double kRatio = 4.0;
    unsigned char last[4] = {};
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw_file_error<DataError>(path, "opened", errno);
    const DescriptorGuard guard(descriptor);
    const auto offset = static_cast<off_t>(std::max(0.0, size - 4.0));
    if (::pread(descriptor, last, sizeof last, offset) != sizeof last) {
      return kRatio * size;
    }
    const double stored =
        last[0] + 256.0 * last[1] + 65536.0 * last[2] + 16777216.0 * last[3];
    return std::max(stored, kRatio * size);
  }

  /// \return the path of the contents
  [[nodiscard]] std::string unpack(const PartFile& file,
                                   const std::string& folder) {
    const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
      throw_file_error<DataError>(file.name, "opened", errno);
    }
    InflatedStream stream(descriptor, file.name);
    const double size = size_of_file(file.path).value_or(0.0);
    return unpacked
        .emplace_back(std::make_unique<UnpackedFile>(
            stream,
            PackedSource{file.name,
                         max_inflated_bytes(static_cast<std::size_t>(size))},
            folder))
        ->path();
  }
};

}  // namespace mlp::datasets::detail
