// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/names.hpp"
#include "../../core/types.hpp"
#include "../arrow/arrow_reader.hpp"
#include "../binary/binary_values.hpp"
#include "../binary/gzip.hpp"
#include "../binary/idx.hpp"
#include "../binary/npy.hpp"
#include "../csv/csv.hpp"
#include "../csv/csv_look_ahead.hpp"
#include "../csv/csv_options.hpp"
#include "../csv/csv_parts.hpp"
#include "../csv/expansion/csv_expansion.hpp"
#include "../csv/layout/csv_first_rows.hpp"
#include "../reading/text_encoding.hpp"
#include "../stored/feature_file.hpp"
#include "../stored/store_rule.hpp"
#include "../stored/stored_features.hpp"
#include "arrow_files.hpp"
#include "arrow_format.hpp"
#include "column_needs.hpp"
#include "data_files.hpp"
#include "data_format.hpp"
#include "plain_files.hpp"
#include "store_libsvm.hpp"

/// Reads data files that do not fit into memory: their features are put into a file.
namespace mlp::datasets::detail {

/// A table whose features are in a file, and why.
struct StoredTable {
  CsvTable table;
  StoreNote note;
};

/// The numbers of a .npy or idx file.
struct BinaryFile {
  PartFile file;
  BinaryLayout layout;
  std::size_t first_byte = 0;  ///< of the numbers
  bool is_npy = false;         ///< otherwise idx
};

/// Returns the layout of a .npy or idx file whose rows lie one after another; nothing
/// for other files, and for wrong ones.
///
/// \param start  the first bytes
inline std::optional<BinaryFile> find_binary(const PartFile& file,
                                             std::string_view start) try {
  const std::string& path = file.name;
  if (is_npy(start)) {
    const NpyHeader header = read_npy_header(start, path);
    if (header.shape.size() != 2 || header.is_fortran_order) return {};
    return BinaryFile{
        file,
        {header.type, header.byte_order, static_cast<Index>(header.shape[1]),
         static_cast<Index>(header.shape[0]), false},
        header.bytes};
  }
  if (!is_idx(start)) return {};
  const IdxHeader header = read_idx_header(start, path);
  return BinaryFile{
      file,
      {header.type, std::endian::big, static_cast<Index>(header.num_features()),
       static_cast<Index>(header.num_instances()), false},
      4 + 4 * header.dimensions.size()};
} catch (const DataError&) {
  return {};
}

/// Returns how to store numbers without rounding them.
inline StoredNumber stored_number(ValueType type) {
  switch (type) {
    case ValueType::kUint8:
      return StoredNumber::kByte;
    case ValueType::kInt8:
    case ValueType::kUint16:
    case ValueType::kInt16:
    case ValueType::kFloat32:
      return StoredNumber::kFloat32;
    default:
      return StoredNumber::kFloat64;
  }
}

/// Copies the numbers of a .npy or idx file.
///
/// \throws DataError if a number is not finite, or the file cannot be read
inline void store_binary(const BinaryFile& from, int num_threads,
                         FeatureFile& to) {
  constexpr std::size_t kBlockBytes = std::size_t{4} << 20;
  const std::string& name = from.file.name;
  const int descriptor = ::open(from.file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_file_error<DataError>(name, "opened", errno);
  const DescriptorGuard guard(descriptor);
  if (::lseek(descriptor, static_cast<off_t>(from.first_byte), SEEK_SET) < 0) {
    throw_file_error<DataError>(name, "read", errno);
  }
  const std::size_t row_bytes =
      static_cast<std::size_t>(from.layout.num_features) *
      value_bytes(from.layout.type);
  const auto at_once =
      static_cast<Index>(std::max<std::size_t>(1, kBlockBytes / row_bytes));
  std::string bytes;
  for (Index first = 0; first < from.layout.num_instances;) {
    BinaryLayout block = from.layout;
    block.first_row = first;
    block.num_instances = std::min(at_once, from.layout.num_instances - first);
    bytes.resize(static_cast<std::size_t>(block.num_instances) * row_bytes);
    const std::size_t received =
        read_full<DataError>(descriptor, name, bytes.data(), bytes.size());
    if (received < bytes.size()) {
      throw DataError(name, "ends in row " + std::to_string(first + 1) +
                                " or later; expected " +
                                std::to_string(from.layout.num_instances) +
                                " rows; it became shorter");
    }
    const Matrix values = read_binary_values(bytes, block, name, num_threads);
    to.append(values.data(), values.cols());
    first += block.num_instances;
  }
}

/// Reads .npy or idx files as one. Wrong files are left to the reader in memory.
inline std::optional<StoredTable> store_binary_files(const PlainFiles& files,
                                                     int num_threads,
                                                     const StoreRule& rule) {
  std::vector<BinaryFile> all;
  double num_instances = 0.0;
  for (const PartFile& plain : files.files) {
    const auto file = find_binary(plain, read_start(plain.path));
    const auto size = size_of_file(plain.path);
    if (!file || !size) return {};
    const BinaryLayout& layout = file->layout;
    const double num_numbers = static_cast<double>(layout.num_features) *
                               static_cast<double>(layout.num_instances);
    const double bytes =
        static_cast<double>(file->first_byte) +
        num_numbers * static_cast<double>(value_bytes(layout.type));
    if (layout.num_features == 0 || bytes != *size) return {};
    num_instances += static_cast<double>(layout.num_instances);
    all.push_back(*file);
    if (layout.num_features != all.front().layout.num_features ||
        all.back().is_npy != all.front().is_npy) {
      return {};
    }
  }
  const Index width = all.front().layout.num_features;
  const StoreNote note{8.0 * num_instances * static_cast<double>(width),
                       allowed_memory(rule), rule.folder};
  if (note.needed_bytes <= note.allowed_bytes) return {};
  StoredNumber number = stored_number(all.front().layout.type);
  for (const BinaryFile& file : all) {
    if (stored_number(file.layout.type) != number) {
      number = StoredNumber::kFloat64;
    }
  }
  const auto stored =
      FeatureFile::make(rule.folder, width, number, num_instances);
  for (const BinaryFile& file : all) store_binary(file, num_threads, *stored);
  StoredTable result{{}, note};
  Dataset& data = result.table.dataset;
  data.source = files.name;
  if (all.size() > 1) {
    for (const BinaryFile& file : all)
      data.files.push_back({file.file.name, 0});
  }
  data.stored = std::make_shared<const StoredFeatures>(stored);
  return result;
}

/// Calls a function that reads rows. If vectors have made them longer, errors keep
/// their lines, and no columns.
template <typename F>
auto with_lines_only(const CsvExpansion& expansion, const F& read) {
  if (expansion.num_elements() == 0) return read();
  return with_places_of_rows(true, read);
}

/// The first rows of CSV files.
struct CsvStarts {
  std::vector<std::string> texts;
  std::vector<TextFile> files;

  /// Reads some rows of each file.
  ///
  /// \return nothing if a file is of another kind
  [[nodiscard]] static std::optional<CsvStarts> read(
      const std::vector<PartFile>& files) {
    constexpr std::size_t kLeastBytes = std::size_t{1} << 16;
    const std::size_t bytes =
        std::max(CsvParts::kPartBytes / files.size(), kLeastBytes);
    CsvStarts starts;
    ThreadPool pool(1);
    for (const PartFile& file : files) {
      const std::string start = read_start(file.path);
      if (!is_plain_csv(file.name, start) || has_bare_cr_lines(start)) {
        return {};
      }
      CsvParts parts({file}, bytes);
      std::string& text = starts.texts.emplace_back();
      while (!has_second_line(text)) {
        const FileInPieces* const part = parts.next(pool);
        if (!part) break;
        text += part->text;
      }
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      starts.files.push_back({files[i].name, starts.texts[i]});
    }
    return starts;
  }

  /// Writes the rows as they are read. If vectors have very many elements, only some rows
  /// stay, or none of a file that decides about nothing.
  ///
  /// \return how many times longer they become
  double expand(const CsvExpansion& expansion) {
    constexpr std::size_t kMostElements = std::size_t{1} << 22;
    const std::size_t deciding = find_deciding_file(files);
    double before = 0.0;
    double after = 0.0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (expansion.num_elements() > 0) {
        const std::size_t num_rows =
            kMostElements / texts.size() / expansion.num_elements();
        const bool is_needed = i == 0 || i == deciding;
        texts[i] = num_rows < 3 && !is_needed
                       ? std::string()
                       : std::string(first_rows(
                             texts[i], std::max<std::size_t>(3, num_rows)));
      }
      before += static_cast<double>(texts[i].size());
      texts[i] = expansion.expand({texts[i], files[i].name, i});
      files[i].text = texts[i];
      after += static_cast<double>(texts[i].size());
    }
    return after / before;
  }

  /// Returns about how many rows some bytes of the files have.
  [[nodiscard]] double count_rows(double num_bytes,
                                  const CsvLayout& layout) const {
    double num_rows = 0.0;
    double bytes = 0.0;
    for (const std::string& text : texts) {
      CsvLookAhead rows(text, layout.dialect.delimiter, layout.has_header);
      const char* const begin = rows.next_byte();
      while (rows.next(0)) ++num_rows;
      bytes += static_cast<double>(rows.next_byte() - begin);
    }
    return num_rows == 0.0 ? 0.0 : num_bytes * num_rows / bytes;
  }
};

/// Reads CSV files as one.
///
/// \param part_bytes  of the text that is in memory
/// \return nothing if their rows fit into memory
inline std::optional<StoredTable> store_csv_files(
    const PlainFiles& files, const CsvOptions& given, const StoreRule& rule,
    std::size_t part_bytes = CsvParts::kPartBytes) {
  double num_bytes = files.num_bytes;
  std::optional<CsvStarts> starts = CsvStarts::read(files.files);
  if (!starts) return {};
  const CsvExpansion expansion(starts->files, files.columns, given);
  const CsvOptions& csv = expansion.is_needed() ? expansion.options() : given;
  double num_rows = 0.0;
  if (expansion.is_needed()) {
    const CsvLayout plain = expansion.layout_of_files();
    num_rows = starts->count_rows(num_bytes, plain);
    CsvFirstRows(starts->files[find_deciding_file(starts->files)], plain, csv)
        .check(starts->files);
    const double growth = std::max(1.0, starts->expand(expansion));
    num_bytes *= growth;
    part_bytes = std::max<std::size_t>(
        256,
        static_cast<std::size_t>(static_cast<double>(part_bytes) / growth));
  }
  CsvLayout layout = find_layout(starts->files, csv);
  if (!expansion.is_needed()) num_rows = starts->count_rows(num_bytes, layout);
  const StoreNote note{
      num_bytes + 8.0 * num_rows * static_cast<double>(layout.num_features),
      allowed_memory(rule), rule.folder};
  if (note.needed_bytes <= note.allowed_bytes) return {};
  ReaderThreads threads(csv.num_threads, static_cast<std::size_t>(num_bytes));
  FileInPieces first;
  first.source.name = files.files.front().name;
  first.text = starts->texts.front();
  first.pieces = make_pieces(first.text, first.source.name, threads.pool());
  CsvParts parts(files.files, part_bytes,
                 expansion.is_needed() ? &expansion : nullptr);
  const CsvStore store{parts, rule.folder, num_rows};
  return with_lines_only(expansion, [&] {
    return StoredTable{
        CsvReader(first, files.name, std::move(layout), csv, store)
            .read(threads.pool()),
        note};
  });
}

/// Returns the format of files that the plugin for Arrow reads; null for others.
///
/// \throws DataError if files are of different formats
inline const ArrowFormatName* common_arrow_format(const DataFiles& files) {
  const auto format_of = [](const std::string& path) {
    return size_of_file(path) ? find_arrow_format(read_start(path, 8))
                              : nullptr;
  };
  const ArrowFormatName* const format = format_of(files.paths.front());
  for (const std::string& path : files.paths) {
    const ArrowFormatName* const other = format_of(path);
    if (other == format) continue;
    const auto says = [](const ArrowFormatName* is, const auto* other_is) {
      return is != nullptr ? "is " + std::string(is->name)
                           : "is not " + std::string(other_is->name);
    };
    throw DataError(path, says(other, format) + ", but " + files.paths.front() +
                              ' ' + says(format, other) +
                              "; expected files of one format");
  }
  return format;
}

/// Reads Parquet or Arrow files as store_files() reads others.
///
/// \return nothing if their rows fit into memory
inline std::optional<StoredTable> store_arrow_files(const ArrowReader& reader,
                                                    const StoreRule& rule) try {
  if (rule.folder.empty()) return {};
  const StoreNote note{reader.num_bytes(), allowed_memory(rule), rule.folder};
  if (may_fit(rule, note.needed_bytes)) return {};
  return StoredTable{reader.store(rule.folder), note};
} catch (const ResourceError&) {
  if (rule.memory_bytes > 0.0) throw;
  return {};
}

/// Reads LIBSVM files as one.
///
/// \return nothing if their features fit into memory, and are not nearly all zeros
inline std::optional<StoredTable> store_libsvm_files(const PlainFiles& files,
                                                     const CsvOptions& csv,
                                                     const StoreRule& rule) {
  LibsvmStore store(files.files, files.name, csv.num_expected_features());
  const std::optional<SparseBytes> bytes = store.measure();
  if (!bytes) return {};
  SparsePlace place = choose_sparse_place(*bytes, rule);
  if (place == SparsePlace::kWithZeros) {
    if (!store.is_too_sparse()) return {};
    place = SparsePlace::kWithoutZeros;
  }
  StoredTable result{{}, {bytes->to_read(), allowed_memory(rule), rule.folder}};
  if (place == SparsePlace::kFile) {
    result.table.dataset = store.read(rule.folder);
    return result;
  }
  result.note.needed_bytes = bytes->to_train();
  result.note.sparse_bytes = bytes->without_zeros;
  result.table.dataset = store.read_sparse();
  return result;
}

/// Reads files whose features do not fit into the memory that a rule allows.
///
/// \return nothing if they fit, for files of different formats, and for those that must be
///         read as a whole: arrays in Fortran's order, and texts whose lines end with CR
///         alone
///
/// If the rule gives no size and no disk has room for the features, the result is nothing,
/// too.
inline std::optional<StoredTable> store_files(const DataFiles& given,
                                              const CsvOptions& csv,
                                              const StoreRule& rule) try {
  if (rule.folder.empty()) return {};
  const std::optional<PlainFiles> files = PlainFiles::open(given, rule);
  if (!files) return {};
  const PartFile& first = files->files.front();
  const std::string start = read_start(first.path);
  const DataFormat format = format_of(first.name, start);
  const bool is_small = may_fit(rule, files->num_bytes * most_per_byte(format));
  // A short LIBSVM text may stand for a large matrix of zeros.
  if (is_small && format != DataFormat::kLibsvm) return {};
  for (const PartFile& file : files->files) {
    const std::string text = read_start(file.path);
    if (format_of(file.name, text) != format) return {};
    if (format == DataFormat::kLibsvm && has_bare_cr_lines(text)) return {};
  }
  if (format == DataFormat::kCsv) return store_csv_files(*files, csv, rule);
  check_no_tables(given, csv, first.name, name_in(kDataFormatNames, format));
  return format == DataFormat::kLibsvm
             ? store_libsvm_files(*files, csv, rule)
             : store_binary_files(*files, csv.num_threads, rule);
} catch (const ResourceError&) {
  if (rule.memory_bytes > 0.0) throw;
  return {};
}

}  // namespace mlp::datasets::detail
