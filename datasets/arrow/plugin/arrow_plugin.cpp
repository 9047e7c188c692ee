// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// The plugin libmlp_arrow.so, the only part of mlp that uses Arrow. Debian has no Arrow
// for C++; the package pyarrow has its headers and its libraries. Because a plugin loads
// them, they cost nothing if they are not used.
#include "../arrow_plugin.hpp"

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/config.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "number_batches.hpp"

namespace mlp::datasets {

namespace {

/// The rows of a file.
struct Rows {
  std::shared_ptr<arrow::RecordBatchReader> reader;
  std::int64_t num_rows = 0;
};

std::vector<int> columns_of(const ArrowRequest& request, int num_columns) {
  if (request.num_columns == 0) {
    std::vector<int> all(static_cast<std::size_t>(num_columns));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  return {request.columns, request.columns + request.num_columns};
}

/// Returns how many rows to read at once: as many as the caller, who may not know how
/// many columns all are, asks for, and not more than 64 MB of many columns.
std::int64_t rows_at_once(const ArrowRequest& request,
                          const std::vector<int>& columns) {
  constexpr std::int64_t kNumbers = std::int64_t{8} << 20;
  const auto num_columns = static_cast<std::int64_t>(columns.size());
  return std::min(request.rows_at_once,
                  std::max<std::int64_t>(kNumbers / num_columns, 1));
}

/// Appends the leaves of a column, which Parquet stores one by one.
void add_leaves(const parquet::arrow::SchemaField& field,
                std::vector<int>& leaves) {
  if (field.column_index >= 0) leaves.push_back(field.column_index);
  for (const auto& child : field.children) add_leaves(child, leaves);
}

arrow::Result<Rows> open_parquet(
    std::shared_ptr<arrow::io::RandomAccessFile> file,
    const ArrowRequest& request) {
  constexpr std::int64_t kBufferBytes = std::int64_t{64} << 10;
  parquet::arrow::FileReaderBuilder builder;
  // Otherwise a row group would be in memory as a whole.
  parquet::ReaderProperties of_file;
  of_file.enable_buffered_stream();
  of_file.set_buffer_size(kBufferBytes);
  ARROW_RETURN_NOT_OK(builder.Open(std::move(file), of_file));
  parquet::ArrowReaderProperties properties;
  properties.set_batch_size(request.rows_at_once);
  properties.set_use_threads(request.num_threads > 1);
  // Nanoseconds, which Arrow takes otherwise, end in the year 2262.
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  // It would keep the bytes of all row groups until the last row.
  properties.set_pre_buffer(false);
  builder.properties(properties);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<parquet::arrow::FileReader> reader,
                        builder.Build());
  const auto& fields = reader->manifest().schema_fields;
  const std::vector<int> columns =
      columns_of(request, static_cast<int>(fields.size()));
  const std::int64_t num_rows =
      reader->parquet_reader()->metadata()->num_rows();
  if (NumberBatches::can_read(*reader, columns)) {
    return Rows{std::make_shared<NumberBatches>(reader, columns,
                                                rows_at_once(request, columns),
                                                request.num_threads > 1),
                num_rows};
  }
  std::vector<int> leaves;
  for (const int column : columns) {
    add_leaves(fields[static_cast<std::size_t>(column)], leaves);
  }
  std::vector<int> groups(static_cast<std::size_t>(reader->num_row_groups()));
  std::iota(groups.begin(), groups.end(), 0);
  ARROW_ASSIGN_OR_RAISE(auto batches,
                        reader->GetRecordBatchReader(groups, leaves));
  // The batches need the reader of the file.
  std::shared_ptr<arrow::RecordBatchReader> shared(
      batches.release(),
      [reader](arrow::RecordBatchReader* rows) { delete rows; });
  return Rows{std::move(shared), num_rows};
}

/// The batches of an Arrow file. Its offsets are checked, because they are stored as
/// they lie in memory.
class FileBatches final : public arrow::RecordBatchReader {
 public:
  explicit FileBatches(std::shared_ptr<arrow::ipc::RecordBatchFileReader> file)
      : file_(std::move(file)) {}

  [[nodiscard]] std::shared_ptr<arrow::Schema> schema() const override {
    return file_->schema();
  }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (next_ == file_->num_record_batches()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(*batch, file_->ReadRecordBatch(next_++));
    return (*batch)->ValidateFull();
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> file_;
  int next_ = 0;
};

arrow::Result<Rows> open_arrow(
    const std::shared_ptr<arrow::io::RandomAccessFile>& file,
    const ArrowRequest& request) {
  arrow::ipc::IpcReadOptions options;
  options.use_threads = request.num_threads > 1;
  options.included_fields.assign(request.columns,
                                 request.columns + request.num_columns);
  ARROW_ASSIGN_OR_RAISE(auto reader,
                        arrow::ipc::RecordBatchFileReader::Open(file, options));
  ARROW_ASSIGN_OR_RAISE(const std::int64_t num_rows, reader->CountRows());
  auto batches = std::make_shared<FileBatches>(std::move(reader));
  // A projection keeps the schema of the file.
  return Rows{std::move(batches), num_rows};
}

arrow::Status open(const ArrowRequest& request, ArrowArrayStream& stream,
                   std::int64_t& num_rows) {
  ARROW_RETURN_NOT_OK(
      arrow::SetCpuThreadPoolCapacity(std::max(1, request.num_threads)));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::io::RandomAccessFile> file,
                        arrow::io::ReadableFile::Open(request.path));
  ARROW_ASSIGN_OR_RAISE(const Rows rows,
                        request.is_parquet != 0
                            ? open_parquet(std::move(file), request)
                            : open_arrow(file, request));
  num_rows = rows.num_rows;
  return arrow::ExportRecordBatchReader(rows.reader, &stream);
}

void describe(PluginText text) {
  write_text(text, "Arrow C++ " + arrow::GetBuildInfo().version_string);
}

int open_file(const ArrowRequest* request, ArrowArrayStream* stream,
              std::int64_t* num_rows, PluginText reason) {
  try {
    const arrow::Status status = open(*request, *stream, *num_rows);
    if (status.ok()) return 0;
    write_text(reason, status.message());
  } catch (const std::exception& error) {
    write_text(reason, error.what());
  }
  return 1;
}

constexpr ArrowPlugin kPlugin{kArrowPluginVersion, describe, open_file};

}  // namespace

}  // namespace mlp::datasets

extern "C" __attribute__((visibility("default")))
const mlp::datasets::ArrowPlugin*
mlp_arrow_plugin() {
  return &mlp::datasets::kPlugin;
}
