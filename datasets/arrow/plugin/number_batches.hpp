// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/api.h>
#include <arrow/util/future.h>
#include <arrow/util/parallel.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// The rows of a Parquet file whose columns are numbers.
namespace mlp::datasets {

/// Reads columns of float64, float32, int64 and int32 numbers. Arrow's own reader of
/// record batches takes twice as long for them, because it prepares each column for
/// nested values.
class NumberBatches final : public arrow::RecordBatchReader {
 public:
  /// Returns true if all columns are ones that this class reads.
  ///
  /// \param columns  of the schema of the file
  static bool can_read(const parquet::arrow::FileReader& file,
                       const std::vector<int>& columns) {
    const auto& fields = file.manifest().schema_fields;
    const auto is_of_numbers = [&](int column) {
      const auto& one = fields[static_cast<std::size_t>(column)];
      const parquet::ColumnDescriptor* const leaf =
          one.column_index < 0
              ? nullptr
              : file.parquet_reader()->metadata()->schema()->Column(
                    one.column_index);
      return leaf != nullptr && leaf->max_repetition_level() == 0 &&
             leaf->max_definition_level() <= 1 &&
             is_stored_as(one.field->type()->id(), leaf->physical_type());
    };
    return !columns.empty() &&
           std::all_of(columns.begin(), columns.end(), is_of_numbers);
  }

  /// \pre can_read(*file, columns)
  NumberBatches(std::shared_ptr<parquet::arrow::FileReader> file,
                const std::vector<int>& columns, std::int64_t rows_at_once,
                bool use_threads)
      : file_(std::move(file)),
        rows_at_once_(rows_at_once),
        use_threads_(use_threads) {
    arrow::FieldVector fields;
    for (const int column : columns) {
      const auto& one =
          file_->manifest().schema_fields[static_cast<std::size_t>(column)];
      fields.push_back(one.field);
      leaves_.push_back(one.column_index);
    }
    schema_ = arrow::schema(std::move(fields));
  }

  [[nodiscard]] std::shared_ptr<arrow::Schema> schema() const override {
    return schema_;
  }

  ~NumberBatches() override {
    if (next_) next_->Wait();  // its tasks read the file
  }
  NumberBatches(const NumberBatches&) = delete;
  NumberBatches& operator=(const NumberBatches&) = delete;

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    ARROW_RETURN_NOT_OK(failure_);
    if (!next_) ARROW_RETURN_NOT_OK(start());
    if (!next_) return arrow::Status::OK();
    const Arrays arrays = *std::exchange(next_, std::nullopt);
    ARROW_ASSIGN_OR_RAISE(auto columns, arrays.result());
    const std::int64_t count = columns.front()->length;
    *batch = arrow::RecordBatch::Make(schema_, count, std::move(columns));
    // Threads read the next rows while the caller uses these. An error belongs to those.
    if (use_threads_ && failure_.ok()) failure_ = start();
    return arrow::Status::OK();
  }

 private:
  using Array = std::shared_ptr<arrow::ArrayData>;
  using Arrays = arrow::Future<std::vector<Array>>;

  static bool is_stored_as(arrow::Type::type type, parquet::Type::type stored) {
    switch (type) {
      case arrow::Type::DOUBLE:
        return stored == parquet::Type::DOUBLE;
      case arrow::Type::FLOAT:
        return stored == parquet::Type::FLOAT;
      case arrow::Type::INT64:
        return stored == parquet::Type::INT64;
      case arrow::Type::INT32:
        return stored == parquet::Type::INT32;
      default:
        return false;
    }
  }

  /// Calls f(), and returns an error instead of an exception.
  template <typename F>
  static arrow::Status caught(const F& f) {
    try {
      f();
      return arrow::Status::OK();
    } catch (const std::exception& error) {
      return arrow::Status::IOError(error.what());
    }
  }

  void open_group(int group) {
    const auto rows = file_->parquet_reader()->RowGroup(group);
    columns_.clear();
    num_left_ = rows->metadata()->num_rows();
    if (num_left_ == 0) return;
    for (const int leaf : leaves_) columns_.push_back(rows->Column(leaf));
  }

  /// Starts to read the next rows, if there are more.
  arrow::Status start() {
    while (num_left_ == 0) {
      if (next_group_ == file_->num_row_groups()) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(caught([&] { open_group(next_group_++); }));
    }
    const std::int64_t count = std::min(rows_at_once_, num_left_);
    num_left_ -= count;
    // A task owns what it uses: others may run on where one cannot be started.
    return caught([&] {
      next_ = arrow::internal::OptionalParallelForAsync(
          use_threads_, columns_,
          [file = file_, schema = schema_, count](std::size_t at,
                                                  const auto& column) {
            return read_column(schema->field(static_cast<int>(at))->type(),
                               *column, count);
          });
    });
  }

  static arrow::Result<Array> read_column(
      const std::shared_ptr<arrow::DataType>& type,
      parquet::ColumnReader& column, std::int64_t count) {
    try {
      switch (column.type()) {
        case parquet::Type::DOUBLE:
          return read_numbers<parquet::DoubleType>(column, type, count);
        case parquet::Type::FLOAT:
          return read_numbers<parquet::FloatType>(column, type, count);
        case parquet::Type::INT64:
          return read_numbers<parquet::Int64Type>(column, type, count);
        default:
          return read_numbers<parquet::Int32Type>(column, type, count);
      }
    } catch (const std::exception& error) {
      return arrow::Status::IOError(error.what());
    }
  }

  /// Reads the next numbers of a column.
  template <typename Type>
  static arrow::Result<Array> read_numbers(
      parquet::ColumnReader& reader,
      const std::shared_ptr<arrow::DataType>& type, std::int64_t count) {
    using Number = typename Type::c_type;
    auto& column = static_cast<parquet::TypedColumnReader<Type>&>(reader);
    constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Number));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> numbers,
                          arrow::AllocateBuffer(count * kBytes));
    auto* const values = numbers->mutable_data_as<Number>();
    const bool may_be_null = column.descr()->max_definition_level() != 0;
    std::vector<std::int16_t> levels(
        may_be_null ? static_cast<std::size_t>(count) : 0, 1);
    std::int64_t num_rows = 0;
    std::int64_t num_values = 0;
    // A page without values hides those behind it once.
    while (num_rows < count && (column.HasNext() || column.HasNext())) {
      std::int64_t num_read = 0;
      num_rows += column.ReadBatch(
          count - num_rows, may_be_null ? levels.data() + num_rows : nullptr,
          nullptr, values + num_values, &num_read);
      num_values += num_read;
    }
    const std::int64_t num_expected =
        may_be_null ? std::count(levels.begin(), levels.end(), 1) : count;
    if (num_rows != count || num_values != num_expected) {
      return arrow::Status::IOError("column ", column.descr()->name(),
                                    " has fewer values than the file states");
    }
    std::shared_ptr<arrow::Buffer> valid;
    if (num_values != count) {
      ARROW_ASSIGN_OR_RAISE(valid, spread(levels, values, num_values));
    }
    return arrow::ArrayData::Make(type, count,
                                  {std::move(valid), std::move(numbers)},
                                  count - num_values);
  }

  /// Moves each number to its row, and returns the bitmap of the rows that have one.
  ///
  /// \param levels  1 for rows with a number, 0 for others
  template <typename Number>
  static arrow::Result<std::shared_ptr<arrow::Buffer>> spread(
      const std::vector<std::int16_t>& levels, Number* values,
      std::int64_t num_values) {
    const auto count = static_cast<std::int64_t>(levels.size());
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bitmap,
                          arrow::AllocateEmptyBitmap(count));
    for (std::int64_t row = count; row-- > 0;) {
      if (levels[static_cast<std::size_t>(row)] != 1) {
        values[row] = Number{};
        continue;
      }
      values[row] = values[--num_values];
      bitmap->mutable_data()[row / 8] |=
          static_cast<std::uint8_t>(1 << (row % 8));
    }
    return bitmap;
  }

  std::shared_ptr<parquet::arrow::FileReader> file_;
  std::int64_t rows_at_once_;
  bool use_threads_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<int> leaves_;
  std::vector<std::shared_ptr<parquet::ColumnReader>> columns_;  ///< of a group
  int next_group_ = 0;
  std::int64_t num_left_ = 0;   ///< rows of the group
  std::optional<Arrays> next_;  ///< that are being read
  arrow::Status failure_;       ///< of the rows behind those that were returned
};

}  // namespace mlp::datasets
