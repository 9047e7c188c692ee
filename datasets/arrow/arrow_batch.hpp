// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../csv/column_error.hpp"
#include "../csv/column_rules.hpp"
#include "../missing_texts.hpp"
#include "../reading/quoted.hpp"
#include "../reading/trim_blanks.hpp"
#include "arrow_columns.hpp"
#include "arrow_fields.hpp"
#include "arrow_interface.hpp"
#include "arrow_stream.hpp"
#include "arrow_values.hpp"

/// Consecutive rows of an Arrow table: their numbers and their texts.
namespace mlp::datasets::detail {

/// Some rows of a file.
struct ArrowRows {
  const ArrowStream& stream;  ///< of the file
  const ArrowArray& array;    ///< that the stream gave last
  Index first = 0;            ///< of the array
  Index count = 0;
  Index num_rows_before = 0;  ///< of the file
};

/// Reads rows as ArrowColumns says.
class ArrowBatch {
 public:
  /// \param columns  must outlive this object, as the rows
  ArrowBatch(const ArrowColumns& columns, const ArrowRows& rows)
      : columns_(columns), rows_(rows) {
    for (const ArrowNumber& number : columns.numbers) {
      numbers_.push_back(
          values_of<ArrowValues>(columns.field(number.field).column));
    }
    for (const ArrowElements& of : columns.vectors) {
      vectors_.push_back(values_of<ArrowVectors>(of.column));
    }
    for (const Index column : columns.texts.columns) {
      texts_.push_back(values_of<ArrowValues>(columns.field(column).column));
    }
  }

  /// Copies the features that are numbers, NaN where one is missing.
  ///
  /// \param[in,out] features  [num_features x at least first + count]
  /// \param first  the first column to write
  /// \throws DataError naming the row of a missing or infinite number
  void copy_numbers(Matrix& features, Index first, ThreadPool& pool) const {
    constexpr Index kBlockNumbers = Index{1} << 14;
    const Index at_once =
        std::clamp<Index>(kBlockNumbers / features.rows(), 16, 4096);
    const Index num_blocks = (rows_.count + at_once - 1) / at_once;
    const auto copy_block = [&](Index block) {
      const Index begin = block * at_once;
      copy_rows(features, first, begin, std::min(at_once, rows_.count - begin));
    };
    std::atomic<bool> is_wrong = false;
    pool.parallel_for(num_blocks, [&](Index block, int) {
      try {
        if (!is_wrong) copy_block(block);
      } catch (const DataError&) {
        is_wrong = true;
      }
    });
    if (!is_wrong) return;
    // The first error does not depend on the timing of threads.
    for (Index block = 0; block < num_blocks; ++block) copy_block(block);
  }

  /// Appends the fields of the columns of texts, a line for each row.
  void append_texts(std::string& text) const {
    if (texts_.empty()) return;
    std::string value;
    for (Index row = 0; row < rows_.count; ++row) {
      for (std::size_t i = 0; i < texts_.size(); ++i) {
        value.clear();
        texts_[i].append_text(value, row);
        if (i != 0) text += ',';
        append_csv_field(text, trim_blanks(value));
      }
      text += '\n';
    }
  }

 private:
  /// Returns the place of a column in the stream, which may have the needed ones only.
  [[nodiscard]] Index place_of(Index column) const {
    const std::vector<Index>& needed = columns_.needed;
    if (rows_.stream.num_columns() != static_cast<Index>(needed.size())) {
      return column;
    }
    return std::lower_bound(needed.begin(), needed.end(), column) -
           needed.begin();
  }

  template <typename Values>
  [[nodiscard]] Values values_of(Index column) const {
    const Index at = place_of(column);
    return Values(rows_.stream.column(at), *rows_.array.children[at],
                  rows_.array.offset + rows_.first);
  }

  void copy_rows(Matrix& features, Index first, Index begin,
                 Index count) const {
    for (std::size_t i = 0; i < numbers_.size(); i += kColumnsAtOnce) {
      copy_columns(i, std::min(kColumnsAtOnce, numbers_.size() - i), begin,
                   count, features.col(first + begin).data(), features.rows());
    }
    std::vector<double> elements;
    for (Index row = begin; row < begin + count; ++row) {
      double* const values = features.col(first + row).data();
      for (std::size_t i = 0; i < vectors_.size(); ++i) {
        copy_vector(i, row, elements, values);
      }
      check_row(row, values);
    }
  }

  /// Copies rows of some columns of numbers. Several columns at once fill a cache line of
  /// a row.
  ///
  /// \param[out] to    the features of the first row
  /// \param stride     the distance of two rows in `to`
  void copy_columns(std::size_t first_column, std::size_t num_columns,
                    Index begin, Index count, double* to, Index stride) const {
    constexpr Index kRowsAtOnce = 128;
    std::array<std::array<double, kRowsAtOnce>, kColumnsAtOnce> columns;
    std::array<Index, kColumnsAtOnce> slots{};
    for (std::size_t i = 0; i < num_columns; ++i) {
      slots[i] = columns_.numbers[first_column + i].slot;
    }
    for (Index done = 0; done < count; done += kRowsAtOnce) {
      const Index num_rows = std::min(kRowsAtOnce, count - done);
      for (std::size_t i = 0; i < num_columns; ++i) {
        numbers_[first_column + i].copy_numbers(begin + done, num_rows,
                                                columns[i].data());
      }
      for (Index row = 0; row < num_rows; ++row) {
        double* const values = to + (done + row) * stride;
        for (std::size_t i = 0; i < num_columns; ++i) {
          values[slots[i]] = columns[i][static_cast<std::size_t>(row)];
        }
      }
    }
  }

  void copy_vector(std::size_t column, Index row, std::vector<double>& elements,
                   double* values) const {
    const ArrowElements& of = columns_.vectors[column];
    elements.resize(static_cast<std::size_t>(of.size));
    const Index size = vectors_[column].size(row);
    const bool is_right =
        size == of.size && vectors_[column].copy(row, elements.data());
    if (!is_right) throw_wrong_vector(row, of.size, size);
    for (const ArrowNumber& element : of.elements) {
      const Index at = columns_.field(element.field).element;
      values[element.slot] = elements[static_cast<std::size_t>(at)];
    }
  }

  [[noreturn]] void throw_wrong_vector(Index row, Index expected,
                                       Index received) const {
    const std::string got =
        received < 0 ? "no value; remove the row"
        : received == expected
            ? "an index that it does not have"
            : std::to_string(received) + "; all need equal sizes";
    throw DataError(rows_.stream.source(), place(row),
                    "expected a vector of " + std::to_string(expected) +
                        " elements, got " + got);
  }

  [[nodiscard]] FilePosition place(Index row) const {
    return {static_cast<std::size_t>(rows_.num_rows_before + row) + 1, 0};
  }

  /// Checks the numbers of a row, and marks the missing ones.
  void check_row(Index row, double* values) const {
    const bool is_plain = columns_.layout.dialect.missing.numbers().empty() &&
                          are_finite(values, columns_.layout.num_features);
    if (is_plain) return;
    for (const ArrowNumber& number : columns_.numbers) {
      check_number(row, number, values[number.slot]);
    }
    for (const ArrowElements& of : columns_.vectors) {
      for (const ArrowNumber& element : of.elements) {
        check_number(row, element, values[element.slot]);
      }
    }
  }

  /// Tests many numbers at once: the exponents of others have all bits, so that one more
  /// is carried into the sign.
  static bool are_finite(const double* values, Index count) {
    constexpr std::uint64_t kExponent = std::uint64_t{0x7FF} << 52;
    constexpr std::uint64_t kOne = std::uint64_t{1} << 52;
    std::uint64_t carried = 0;
    for (Index i = 0; i < count; ++i) {
      carried |= (std::bit_cast<std::uint64_t>(values[i]) & kExponent) + kOne;
    }
    return carried >> 63 == 0;
  }

  void check_number(Index row, const ArrowNumber& number, double& value) const {
    const MissingTexts& missing = columns_.layout.dialect.missing;
    if (std::isfinite(value)) {
      if (missing.numbers().empty() || !missing.has_number(value)) return;
      value = std::numeric_limits<double>::quiet_NaN();
    }
    if (std::isnan(value) && columns_.rules.may_be_missing(number.slot)) return;
    throw ColumnError(
        rows_.stream.source(), place(row), number.field,
        "expected a number in " +
            describe_column(columns_.layout, number.field) + ", got " +
            (std::isnan(value)
                 ? "no value; fill in the missing value or remove the row"
                 : in_quotes(format_double(value))));
  }

  static constexpr std::size_t kColumnsAtOnce = 8;

  const ArrowColumns& columns_;
  ArrowRows rows_;
  std::vector<ArrowValues> numbers_;
  std::vector<ArrowVectors> vectors_;
  std::vector<ArrowValues> texts_;
};

}  // namespace mlp::datasets::detail
