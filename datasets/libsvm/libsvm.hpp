// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/types.hpp"
#include "../dataset.hpp"
#include "../reading/limits.hpp"
#include "../reading/reader_threads.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"
#include "libsvm_piece.hpp"

/// Reader for LIBSVM files.
namespace mlp::datasets {

namespace detail {

/// Returns the most bytes of a dense matrix of a text: more would be nearly all zeros.
[[nodiscard]] inline std::uint64_t most_dense_bytes(std::size_t text_bytes) {
  constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;
  constexpr std::uint64_t kMaxExpansion = 1024;
  return kFreeBytes + kMaxExpansion * text_bytes;
}

/// Refuses features that take far more memory than their text.
///
/// \throws DataError with both sizes
inline void check_libsvm_size(const std::string& source, const LibsvmSize& size,
                              std::size_t num_bytes) {
  const auto width = static_cast<std::uint64_t>(size.largest_index);
  const auto height = static_cast<std::uint64_t>(size.num_instances);
  check_matrix_size(source, width, height);
  const std::uint64_t bytes = width * height * sizeof(double);
  const std::uint64_t most = most_dense_bytes(num_bytes);
  if (bytes <= most) return;
  throw DataError(
      source, "is too sparse to be held as a dense matrix; expected at most " +
                  std::to_string(most) +
                  " bytes for a file of this size, got " +
                  std::to_string(height) + " instances of " +
                  std::to_string(width) + " features; check the largest index");
}

/// Reads one or several LIBSVM texts in two passes: first the sizes, then the
/// values.
class LibsvmReader {
 public:
  /// \param source  the name of all files for messages
  LibsvmReader(std::span<const TextFile> files, const std::string& source,
               Index num_features, int num_threads,
               const PieceSizes& sizes = {})
      : num_bytes_(count_bytes(files)),
        num_features_(num_features),
        threads_(num_threads, num_bytes_, sizes),
        files_(make_pieces(files, threads_.pool(), sizes)) {
    for (const FileInPieces& file : files_) {
      for (const TextPiece& piece : file.pieces) {
        pieces_.push_back({&piece, &file.source});
      }
    }
    data_.source = source;
    data_.files = source_files(files_);
    data_.vector_kind = VectorKind::kSparse;
  }

  [[nodiscard]] Dataset read() {
    measure();
    check_size();
    allocate();
    std::vector<std::vector<StoredZero>> zeros(pieces_.size());
    for_each_piece([&](std::size_t i) {
      zeros[i] = reader_of(pieces_[i]).read(data_, first_instances_[i]);
    });
    join(zeros);
    return std::move(data_);
  }

 private:
  /// A piece and its file.
  struct FilePiece {
    const TextPiece* piece;
    const SourceFile* file;
  };

  static LibsvmPieceReader reader_of(const FilePiece& piece) {
    return {*piece.piece, piece.file->name, piece.file->lines_before};
  }

  template <typename Task>
  void for_each_piece(const Task& task) {
    threads_.for_each(static_cast<Index>(pieces_.size()),
                      [&](Index i) { task(static_cast<std::size_t>(i)); });
  }

  void measure() {
    std::vector<LibsvmSize> sizes(pieces_.size());
    for_each_piece(
        [&](std::size_t i) { sizes[i] = reader_of(pieces_[i]).measure(); });
    Index largest = 0;
    for (const LibsvmSize& size : sizes) {
      first_instances_.push_back(num_instances_);
      num_instances_ += size.num_instances;
      largest = std::max(largest, size.largest_index);
    }
    if (num_features_ == 0) num_features_ = largest;
  }

  void check_size() {
    if (num_instances_ == 0) {
      throw DataError(data_.source,
                      "holds no data; expected lines of label index:value ...");
    }
    if (num_features_ == 0) {
      for (const FilePiece& piece : pieces_) reader_of(piece).check_labels();
      throw DataError(data_.source,
                      "holds labels only; expected lines of label index:value "
                      "...");
    }
    check_libsvm_size(data_.source, {num_instances_, num_features_},
                      num_bytes_);
  }

  void allocate() {
    const auto size = static_cast<std::size_t>(num_instances_);
    check_matrix_memory(data_.source, num_features_, num_instances_);
    data_.features.resize(num_features_, num_instances_);
    advise_huge_pages(
        data_.features.data(),
        static_cast<std::size_t>(num_features_) * size * sizeof(double));
    data_.labels.resize(num_instances_);
    data_.lines.resize(size);
  }

  void join(std::vector<std::vector<StoredZero>>& zeros) {
    std::size_t size = 0;
    for (const auto& part : zeros) size += part.size();
    data_.stored_zeros.reserve(size);
    for (auto& part : zeros) {
      data_.stored_zeros.insert(data_.stored_zeros.end(), part.begin(),
                                part.end());
      part = {};
    }
  }

  std::size_t num_bytes_;
  Dataset data_;
  Index num_features_;
  Index num_instances_ = 0;
  ReaderThreads threads_;
  std::vector<FileInPieces> files_;

  /// Of all files, in their order.
  std::vector<FilePiece> pieces_;

  /// Index of the first instance of each piece   [num_pieces].
  std::vector<Index> first_instances_;
};

/// Reads LIBSVM text as read_libsvm() does, in pieces of other sizes.
inline Dataset read_libsvm_text(std::string_view text,
                                const std::string& source, Index num_features,
                                int num_threads, const PieceSizes& sizes = {}) {
  const TextFile file{source, text};
  return LibsvmReader({&file, 1}, source, num_features, num_threads, sizes)
      .read();
}

}  // namespace detail

/// Reads several LIBSVM texts as one.
///
/// \param files         in the order of the instances   [at least 1]
/// \param source        the name of all of them for messages
/// \param num_features  0 for the largest index of all files
/// \throws the errors of read_libsvm() for one text, naming the file
[[nodiscard]] inline Dataset read_libsvm(std::span<const TextFile> files,
                                         const std::string& source,
                                         Index num_features = 0,
                                         int num_threads = 1) {
  if (num_features < 0) {
    throw ParamError("num_features must be 0 or more, got " +
                     std::to_string(num_features));
  }
  return detail::LibsvmReader(files, source, num_features, num_threads).read();
}

/// Reads LIBSVM text, which has one instance per line: `label index:value ...`.
///
/// Indices start at 1 and ascend. Spaces and tabs separate the tokens. Empty
/// lines and lines that start with '#' are ignored. The instances are kSparse:
/// explicit zeros of the file are kept as stored_zeros.
/// \param source        the file name shown in messages
/// \param num_features  0 for the largest index of the file
/// \param num_threads   maximum number of threads, used for large files; does
///                      not change the result
/// \throws DataError with file, line and column; DataError if the dense matrix
///         would exceed 2^20 features, or 1,024 times the size of the text plus
///         64 MiB; ParamError if num_features is negative
[[nodiscard]] inline Dataset read_libsvm(std::string_view text,
                                         const std::string& source,
                                         Index num_features = 0,
                                         int num_threads = 1) {
  const TextFile file{source, text};
  return read_libsvm({&file, 1}, source, num_features, num_threads);
}

/// Reads a LIBSVM file.
///
/// \throws the errors of read_libsvm() and read_file()
[[nodiscard]] inline Dataset read_libsvm_file(const std::string& path,
                                              Index num_features = 0,
                                              int num_threads = 1) {
  return read_libsvm(read_file<DataError>(path), path, num_features,
                     num_threads);
}

}  // namespace mlp::datasets
