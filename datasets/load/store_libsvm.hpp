// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/memory/available_memory.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../csv/csv_parts.hpp"
#include "../dataset.hpp"
#include "../libsvm/libsvm.hpp"
#include "../libsvm/libsvm_piece.hpp"
#include "../reading/source_file.hpp"
#include "../stored/feature_file.hpp"
#include "../stored/sparse_features.hpp"
#include "../stored/store_rule.hpp"
#include "../stored/stored_features.hpp"

/// LIBSVM files whose features do not fit into memory.
namespace mlp::datasets::detail {

/// Returns about how many pairs of LIBSVM lines have the value zero. Comments with colons
/// and numbers that are rounded to zero make a difference.
[[nodiscard]] inline std::size_t count_explicit_zeros(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t colon = text.find(':'); colon != text.npos;
       colon = text.find(':', colon + 1)) {
    const std::size_t end =
        std::min(text.find_first_not_of("+-.0", colon + 1), text.size());
    const bool has_more =
        end < text.size() && text[end] >= '1' && text[end] <= '9';
    if (end > colon + 1 && !has_more) ++count;
  }
  return count;
}

/// Reads LIBSVM files part by part, in two passes as LibsvmReader does.
class LibsvmStore {
 public:
  /// \param source        the name of all files for messages
  /// \param num_features  0 for the largest index
  /// \param part_bytes    of the text that is in memory
  LibsvmStore(std::vector<PartFile> files, std::string source,
              Index num_features, std::size_t part_bytes = CsvParts::kPartBytes)
      : files_(std::move(files)),
        source_(std::move(source)),
        size_{0, num_features},
        part_bytes_(part_bytes) {}

  /// Counts instances, features, pairs and explicit zeros.
  ///
  /// \return the memory of the features; nothing if there are no features, which LibsvmReader
  ///         reports. With zeros it has that of the places of the explicit ones, and the
  ///         source is the text
  /// \throws DataError as LibsvmPieceReader::measure(); ResourceError if the places of
  ///         the zeros, which stay in memory, do not fit there
  [[nodiscard]] std::optional<SparseBytes> measure() {
    Index largest = 0;
    visit([&](const TextPiece& piece, const SourceFile& file) {
      const LibsvmSize size =
          LibsvmPieceReader(piece, file.name, file.lines_before).measure();
      size_.num_instances += size.num_instances;
      largest = std::max(largest, size.largest_index);
      num_zeros_ += count_explicit_zeros(piece.text);
      num_pairs_ += static_cast<std::size_t>(
          std::count(piece.text.begin(), piece.text.end(), ':'));
      num_bytes_ += piece.text.size();
    });
    if (size_.largest_index == 0) size_.largest_index = largest;
    const double zero_bytes =
        static_cast<double>(num_zeros_) * sizeof(StoredZero);
    require_memory_for(source_, zero_bytes);
    if (num_numbers() == 0.0) return {};
    return SparseBytes{
        num_numbers() * sizeof(double) + zero_bytes,
        static_cast<double>(num_bytes_),
        bytes_without_zeros(static_cast<double>(size_.num_instances),
                            static_cast<double>(num_pairs_))};
  }

  /// Returns true if nearly all features are zeros.
  ///
  /// \pre measure() was called
  [[nodiscard]] bool is_too_sparse() const {
    return num_numbers() * sizeof(double) >
           static_cast<double>(most_dense_bytes(num_bytes_));
  }

  /// Reads the instances, and keeps their features in memory without zeros.
  ///
  /// \throws DataError at the first invalid line, and for too many features
  [[nodiscard]] Dataset read_sparse() {
    check_matrix_size(source_, static_cast<std::uint64_t>(size_.largest_index),
                      static_cast<std::uint64_t>(size_.num_instances));
    SparseRows rows;
    rows.ends.reserve(static_cast<std::size_t>(size_.num_instances) + 1);
    rows.columns.reserve(num_pairs_);
    rows.numbers.reserve(num_pairs_);
    rows.ends.push_back(0);
    Dataset data = read_blocks([&](const Matrix& features, Index count) {
      for (Index i = 0; i < count; ++i) {
        for (Index f = 0; f < features.rows(); ++f) {
          if (features(f, i) == 0.0) continue;
          rows.columns.push_back(static_cast<std::int32_t>(f));
          rows.numbers.push_back(features(f, i));
        }
        rows.ends.push_back(static_cast<std::int64_t>(rows.numbers.size()));
      }
    });
    data.stored = std::make_shared<const StoredFeatures>(
        std::make_shared<const SparseFeatures>(std::move(rows),
                                               size_.largest_index));
    return data;
  }

  /// Reads the instances, and puts their features into a file.
  ///
  /// \throws DataError at the first invalid line, and for features that are too sparse;
  ///         ResourceError if the file cannot be written
  [[nodiscard]] Dataset read(const std::string& folder) {
    check_libsvm_size(source_, size_, num_bytes_);
    const auto file =
        FeatureFile::make(folder, size_.largest_index, StoredNumber::kFloat64,
                          static_cast<double>(size_.num_instances));
    Dataset data = read_blocks([&](const Matrix& features, Index count) {
      file->append(features.data(), count);
    });
    data.stored = std::make_shared<const StoredFeatures>(file);
    return data;
  }

 private:
  [[nodiscard]] double num_numbers() const {
    return static_cast<double>(size_.num_instances) *
           static_cast<double>(size_.largest_index);
  }

  /// Reads the instances, and calls take(features, count) for some of them after others.
  ///
  /// \return all but the features
  template <typename Take>
  [[nodiscard]] Dataset read_blocks(Take&& take) {
    const Index width = size_.largest_index;
    Dataset data;
    data.source = source_;
    data.vector_kind = VectorKind::kSparse;
    data.labels.resize(size_.num_instances);
    data.stored_zeros.reserve(num_zeros_);
    Dataset block;
    Index first = 0;
    const auto read_some = [&](LibsvmPieceReader reader, std::size_t lines) {
      const auto rows = static_cast<Index>(lines);
      resize_anew(block.features, width, rows);
      // Freed before, as by resize_anew().
      if (block.labels.size() != rows) block.labels.resize(0);
      block.labels.resize(rows);
      block.lines.resize(lines);
      for (const StoredZero& zero : reader.read(block, 0)) {
        data.stored_zeros.push_back({first + zero.instance, zero.feature});
      }
      const Index count = reader.next_instance();
      take(block.features, count);
      data.labels.segment(first, count) = block.labels.head(count);
      data.lines.insert(data.lines.end(), block.lines.begin(),
                        block.lines.begin() + count);
      first += count;
    };
    const auto most_lines =
        static_cast<std::size_t>(std::max<Index>(kBlockNumbers / width, 1));
    visit([&](const TextPiece& piece, const SourceFile& file) {
      for_lines(piece, most_lines, [&](const TextPiece& some) {
        read_some(LibsvmPieceReader(some, file.name, file.lines_before),
                  some.num_lines);
      });
    });
    if (sources_.size() > 1) data.files = sources_;
    return data;
  }

  /// Calls f(piece) for consecutive lines of a piece, at most some at once.
  template <typename F>
  static void for_lines(TextPiece piece, std::size_t most_lines, const F& f) {
    while (piece.num_lines > most_lines) {
      TextPiece some = piece;
      some.text = first_rows(piece.text, most_lines, false);
      some.num_lines = most_lines;
      f(some);
      piece.text.remove_prefix(some.text.size());
      piece.first_line += most_lines;
      piece.num_lines -= most_lines;
    }
    f(piece);
  }

  /// Calls f(piece, file) for pieces of whole lines.
  void visit(
      const std::function<void(const TextPiece&, const SourceFile&)>& f) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    ThreadPool pool(1);
    CsvParts parts(files_, part_bytes_);
    parts.ignore_quotes();
    while (const FileInPieces* const part = parts.next(pool)) {
      // A file may have a byte order mark alone.
      if (part->pieces.empty()) continue;
      const std::size_t first_line = part->pieces.front().first_line;
      for (const TextPiece& piece : make_pieces(
               part->text, part->source.name, pool, kPieceBytes, first_line)) {
        f(piece, part->source);
      }
    }
    sources_ = parts.sources();
  }

  /// The most numbers of a dense block of instances.
  static constexpr Index kBlockNumbers = Index{1} << 20;

  std::vector<PartFile> files_;
  std::string source_;
  LibsvmSize size_;
  std::size_t part_bytes_;
  std::size_t num_bytes_ = 0;
  std::size_t num_zeros_ = 0;  // about
  std::size_t num_pairs_ = 0;  // about
  std::vector<SourceFile> sources_;
};

}  // namespace mlp::datasets::detail
