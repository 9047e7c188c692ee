// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/names.hpp"
#include "../../core/number_text.hpp"
#include "../arrow/arrow_reader.hpp"
#include "../binary/foreign_format.hpp"
#include "../binary/gzip.hpp"
#include "../binary/idx.hpp"
#include "../binary/npy.hpp"
#include "../column_encoder.hpp"
#include "../csv/csv.hpp"
#include "../csv/csv_dialect.hpp"
#include "../csv/csv_options.hpp"
#include "../csv/expansion/csv_expansion.hpp"
#include "../dataset.hpp"
#include "../libsvm/libsvm.hpp"
#include "../reading/limits.hpp"
#include "../reading/quoted.hpp"
#include "../reading/text_encoding.hpp"
#include "../reading/text_file.hpp"
#include "../standard_scaler.hpp"
#include "arrow_files.hpp"
#include "column_needs.hpp"
#include "data_files.hpp"
#include "data_format.hpp"
#include "groups.hpp"
#include "load.hpp"
#include "standard_input.hpp"
#include "store_wide.hpp"
#include "stored_load.hpp"

namespace mlp::datasets {

namespace detail {

/// Decompresses the contents of a file if they are compressed.
inline std::string inflate_contents(std::string bytes,
                                    const std::string& source) {
  if (!is_gzip(bytes)) return bytes;
  std::size_t max_bytes = max_inflated_bytes(bytes.size());
  const std::string start = gunzip_prefix(bytes, kMaxIdxHeaderBytes, source);
  if (is_idx(start)) {
    max_bytes = std::min<std::uint64_t>(
        max_bytes, read_idx_header(start, source).file_bytes);
  }
  return gunzip(bytes, max_bytes, source);
}

/// Reads a file and decompresses it; "-" is standard input.
inline std::string read_contents(const std::string& path,
                                 const std::string& source) {
  return inflate_contents(path == "-"
                              ? read_descriptor<DataError>(STDIN_FILENO, source)
                              : read_file<DataError>(path),
                          source);
}

/// Returns the file name shown in messages.
inline std::string source_name(const std::string& path) {
  return path == "-" ? kStandardInput : path;
}

/// Throws for formats that are recognised but not supported.
inline void check_known_format(std::string_view bytes,
                               const std::string& source) {
  const auto format = find_foreign_format(bytes);
  if (!format) return;
  if (find_arrow_format(bytes) != nullptr) {
    throw DataError(source, "expected CSV, LIBSVM, idx or .npy, got " +
                                std::string(format->name) +
                                "; name it by its path, uncompressed");
  }
  throw DataError(source, "expected CSV, LIBSVM, idx or .npy, got " +
                              std::string(format->name) +
                              format->advice(source));
}

/// Wraps the instances of a format without columns.
inline LoadedData without_columns(Dataset data) {
  LoadedData loaded;
  loaded.dataset = std::move(data);
  return loaded;
}

/// Writes numbers that have decimal commas with a point.
inline void write_points(std::vector<KeptColumn>& columns) {
  for (KeptColumn& column : columns) {
    for (std::string& text : column.texts) {
      if (parse_comma_number(text)) {
        std::replace(text.begin(), text.end(), ',', '.');
      }
    }
  }
}

/// A data file in memory.
struct FileContents {
  std::string path;
  std::string source;  ///< the name in messages
  std::string bytes;   ///< decompressed
  DataFormat format = DataFormat::kCsv;
  std::size_t index = 0;  ///< among all files
};

/// Reads files, and finds their formats. Of several files, empty ones are left out.
///
/// \throws DataError if a file cannot be read, or is of no or of another format
inline std::vector<FileContents> read_files(const DataFiles& files) {
  std::vector<FileContents> all;
  for (std::size_t i = 0; i < files.paths.size(); ++i) {
    const std::string& path = files.paths[i];
    const std::string source = source_name(path);
    std::string bytes = path == "-" && files.input
                            ? inflate_contents(take_bytes(*files.input), source)
                            : read_contents(path, source);
    if (bytes.empty() && files.paths.size() > 1) continue;
    const bool is_text = !is_npy_file(path, bytes) && !starts_as_idx(bytes);
    if (is_text) {
      check_known_format(bytes, source);
      decode_text(bytes, source);
    }
    const DataFormat format = format_of(path, bytes);
    all.push_back({path, source, std::move(bytes), format, i});
    if (format == all.front().format) continue;
    throw DataError(
        source, "is " + std::string(name_in(kDataFormatNames, format)) +
                    ", but " + all.front().source + " is " +
                    std::string(name_in(kDataFormatNames, all.front().format)) +
                    "; expected files of one format");
  }
  if (all.empty()) {
    throw DataError(files.name,
                    "hold no data; expected a file that is not empty");
  }
  return all;
}

/// Reads one .npy or idx file. Its bytes are released meanwhile.
inline Dataset read_binary(FileContents& file, int num_threads) {
  return file.format == DataFormat::kNpy
             ? read_npy_features(file.bytes, file.source, num_threads,
                                 file.bytes.data())
             : read_idx_features(file.bytes, file.source, num_threads,
                                 file.bytes.data());
}

/// Reads .npy or idx files, and appends their instances.
///
/// \throws DataError naming a file with another number of features
inline Dataset read_binary_files(std::vector<FileContents>& files,
                                 const std::string& name, int num_threads) {
  if (files.size() == 1) return read_binary(files.front(), num_threads);
  std::vector<Matrix> parts;
  Index num_instances = 0;
  for (FileContents& file : files) {
    parts.push_back(std::move(read_binary(file, num_threads).features));
    num_instances += parts.back().cols();
    if (parts.back().rows() == parts.front().rows()) continue;
    throw DataError(file.source, "wrong number of features; expected " +
                                     std::to_string(parts.front().rows()) +
                                     " as in " + files.front().source +
                                     ", got " +
                                     std::to_string(parts.back().rows()));
  }
  Dataset data;
  data.source = name;
  for (const FileContents& file : files) data.files.push_back({file.source, 0});
  check_matrix_memory(name, parts.front().rows(), num_instances);
  data.features.resize(parts.front().rows(), num_instances);
  Index next = 0;
  for (Matrix& part : parts) {
    data.features.middleCols(next, part.cols()) = part;
    next += part.cols();
    part = {};
  }
  return data;
}

/// Returns the contents of text files, which must outlive the result.
inline std::vector<TextFile> texts_of(const std::vector<FileContents>& files) {
  std::vector<TextFile> texts;
  for (const FileContents& file : files) {
    texts.push_back({file.source, file.bytes});
  }
  return texts;
}

/// Moves the contents of CSV files.
inline LoadedData take_table(CsvTable table, const CsvOptions& csv) {
  LoadedData loaded{std::move(table), {}, {}, {}};
  if (!csv.group.empty()) {
    index_groups(loaded.kept.back(), {',', csv.decimal, csv.missing_texts},
                 loaded.dataset);
    loaded.kept.pop_back();
  }
  const auto first_target =
      loaded.kept.end() - static_cast<std::ptrdiff_t>(csv.targets.size());
  loaded.targets.assign(std::make_move_iterator(first_target),
                        std::make_move_iterator(loaded.kept.end()));
  if (csv.decimal == ',') write_points(loaded.targets);
  loaded.kept.erase(first_target, loaded.kept.end());
  return loaded;
}

/// Writes the columns of CSV files that have another form.
///
/// \throws the errors of CsvExpansion; ResourceError if there is no memory for the
///         elements of vectors
inline void expand_files(std::vector<FileContents>& files,
                         const CsvExpansion& expansion) {
  for (FileContents& file : files) {
    const Index num_lines =
        std::count(file.bytes.begin(), file.bytes.end(), '\n');
    check_matrix_memory(
        file.source, static_cast<Index>(expansion.num_elements()), num_lines);
    file.bytes = expansion.expand({file.bytes, file.source, file.index});
  }
}

/// Reads CSV files as one into memory.
inline LoadedData read_csv_files(std::vector<FileContents>& files,
                                 const std::string& name,
                                 const FolderColumns& folders,
                                 const CsvOptions& csv) {
  const CsvExpansion expansion(texts_of(files), folders, csv);
  if (!expansion.is_needed()) {
    return take_table(read_csv(texts_of(files), name, csv), csv);
  }
  expand_files(files, expansion);
  return with_lines_only(expansion, [&] {
    return take_table(read_csv(texts_of(files), name, expansion.options()),
                      csv);
  });
}

/// Reads files of any format as one into memory.
inline LoadedData read_into_memory(const DataFiles& given,
                                   const CsvOptions& csv) {
  std::vector<FileContents> files = read_files(given);
  const FileContents& first = files.front();
  const std::string& name = files.size() == 1 ? first.source : given.name;
  if (first.format == DataFormat::kCsv) {
    return read_csv_files(files, name, given.columns, csv);
  }
  check_no_tables(given, csv, first.source,
                  name_in(kDataFormatNames, first.format));
  if (first.format != DataFormat::kLibsvm) {
    return without_columns(read_binary_files(files, name, csv.num_threads));
  }
  return without_columns(read_libsvm(
      texts_of(files), name, csv.num_expected_features(), csv.num_threads));
}

/// Reads a table into memory, or its features into a file if they do not fit.
///
/// \param store  store(rule) returns a StoredTable, or nothing for the memory
/// \param read   read() reads into memory
template <typename Store, typename Read>
LoadedData read_within(const StoreRule& given, const CsvOptions& csv,
                       const Store& store, const Read& read) {
  const auto with_note = [&](StoredTable stored) {
    LoadedData loaded = take_table(std::move(stored.table), csv);
    loaded.stored = stored.note;
    return loaded;
  };
  if (auto stored = store(given)) return with_note(*std::move(stored));
  try {
    return read();
  } catch (const ResourceError&) {
    const std::exception_ptr error = std::current_exception();
    try {
      // The estimate was too low.
      StoreRule rule = given;
      rule.memory_bytes = 1.0;
      auto stored = store(rule);
      if (stored) return with_note(*std::move(stored));
    } catch (const ResourceError&) {
    }
    std::rethrow_exception(error);
  }
}

/// Reads files of any format as one. A separate labels file is not read.
inline LoadedData read_any(DataFiles given, const LoadOptions& options,
                           const CsvOptions& csv) {
  if (const auto* const format = common_arrow_format(given)) {
    const auto files =
        open_arrow_files(given, *format, csv, options.open_arrow);
    ArrowReader reader(files, given.name, csv);
    return read_within(
        options.store, csv,
        [&](const StoreRule& rule) { return store_arrow_files(reader, rule); },
        [&] { return take_table(reader.read(), csv); });
  }
  const bool has_input = std::find(given.paths.begin(), given.paths.end(),
                                   "-") != given.paths.end();
  if (has_input && !options.store.folder.empty()) {
    given.input = take_standard_input(options.store);
  }
  return read_within(
      options.store, csv,
      [&](const StoreRule& rule) { return store_files(given, csv, rule); },
      [&] { return read_into_memory(given, csv); });
}

inline void check_num_features(const Dataset& data, const CsvOptions& csv) {
  const Index expected = csv.num_expected_features();
  if (expected == 0 || data.num_features() == expected) return;
  throw DataError(data.source, "wrong number of features; expected " +
                                   std::to_string(expected) + ", got " +
                                   std::to_string(data.num_features()));
}

inline void scale_features(Dataset& data, double scale) {
  if (!std::isfinite(scale) || scale <= 0) {
    throw ParamError("scale must be positive and finite, got " +
                     format_double(scale));
  }
  if (scale == 1.0) return;
  if (!data.columns.empty()) {
    throw ParamError(
        "scale must be 1 for columns that are not encoded yet, got " +
        format_double(scale) + "; scale the features after encode()");
  }
  divide_features(data, data.num_features(), scale);
  data.visit_features([&](Index first, const auto& features) {
    check_finite(features, data.source, first);
  });
}

}  // namespace detail

Vector load_labels(const std::string& path) {
  const std::string source = detail::source_name(path);
  const std::string bytes = detail::read_contents(path, source);
  if (detail::is_npy_file(path, bytes)) return read_npy_labels(bytes, source);
  if (detail::starts_as_idx(bytes)) return read_idx_labels(bytes, source);
  detail::check_known_format(bytes, source);
  throw DataError(source, "expected labels in a .npy or idx file");
}

std::string read_data_bytes(const std::string& path) {
  const std::string source = detail::source_name(path);
  std::string bytes = detail::read_contents(path, source);
  detail::decode_text(bytes, source);
  return bytes;
}

LoadedData load(const std::string& path, const LoadOptions& options) {
  return load(std::vector<std::string>{path}, options);
}

LoadedData load(const std::vector<std::string>& paths,
                const LoadOptions& options) {
  CsvOptions csv = options.csv;
  if (!options.labels_file.empty()) csv.label_rule = LabelRule::kAbsent;
  const DataFiles files = find_data_files(paths);
  csv.num_folder_columns = static_cast<Index>(files.columns.names.size());
  LoadedData loaded = detail::read_any(files, options, csv);
  loaded.left_out_folders = files.left_out_columns;
  Dataset& data = loaded.dataset;
  detail::check_num_features(data, csv);
  if (!csv.columns.empty()) {
    const auto note =
        store_wide(data, count_features(csv.columns), options.store);
    if (note) loaded.stored = note;
    encode(data, csv.columns);
  }
  if (!options.labels_file.empty()) {
    data.labels = load_labels(options.labels_file);
    data.label_source = detail::source_name(options.labels_file);
    if (data.labels.size() != data.num_instances()) {
      throw DataError(options.labels_file,
                      "expected a label for each of the " +
                          std::to_string(data.num_instances()) +
                          " instances of " + data.source + ", got " +
                          std::to_string(data.labels.size()));
    }
  }
  detail::scale_features(data, options.scale);
  return loaded;
}

}  // namespace mlp::datasets
