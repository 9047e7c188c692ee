// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "features.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "../../../core/error.hpp"
#include "../../../core/number_text.hpp"
#include "../../../cpu/base/finite_kernels.hpp"
#include "../../../datasets/reading/quoted.hpp"
#include "../bindings.hpp"

namespace mlp::python {

namespace {

/// Rows of a column that are copied at a time: these rows of all columns stay in the
/// cache.
constexpr Index kRowsAtOnce = 64;

bool is_double(const nb::dlpack::dtype& type) {
  if (type == nb::dtype<double>()) return true;
  if (type == nb::dtype<float>()) return false;
  throw nb::type_error("features must be float64 or float32");
}

/// Calls visit with a pointer to the first number of a column.
template <typename Visit>
void visit_numbers(const Column& column, const Visit& visit) {
  const nb::dlpack::dtype type = column.dtype();
  const auto try_type = [&]<typename Number>(const Number*) {
    if (type != nb::dtype<Number>()) return false;
    visit(static_cast<const Number*>(column.data()));
    return true;
  };
  const auto try_types = [&]<typename... Numbers>(const Numbers*... null) {
    return (try_type(null) || ...);
  };
  const bool is_known = try_types(static_cast<const double*>(nullptr),
                                  static_cast<const float*>(nullptr),
                                  static_cast<const std::int64_t*>(nullptr),
                                  static_cast<const std::int32_t*>(nullptr),
                                  static_cast<const std::int16_t*>(nullptr),
                                  static_cast<const std::int8_t*>(nullptr),
                                  static_cast<const std::uint64_t*>(nullptr),
                                  static_cast<const std::uint32_t*>(nullptr),
                                  static_cast<const std::uint16_t*>(nullptr),
                                  static_cast<const std::uint8_t*>(nullptr));
  if (!is_known) throw nb::type_error("columns must be floats or integers");
}

/// Copies numbers of a column to one feature of rows.
///
/// \param to  the feature of the first row
template <typename Number>
void copy_column(const Column& column, Index begin, Index size,
                 Index num_features, Number* to) {
  const Index stride = column.stride(0);
  visit_numbers(column, [&](const auto* numbers) {
    const auto* const from = numbers + begin * stride;
    for (Index i = 0; i < size; ++i) {
      to[i * num_features] = static_cast<Number>(from[i * stride]);
    }
  });
}

/// Copies rows of an array.
template <typename Number, class Gathered>
void gather_rows(const Rows& rows, Index begin, Gathered& to) {
  const Index of_row = rows.stride(0);
  const Index of_feature = rows.stride(1);
  const auto* const from =
      static_cast<const Number*>(rows.data()) + begin * of_row;
  if (of_feature == 1) {
    for (Index i = 0; i < to.cols(); ++i) {
      std::copy_n(from + i * of_row, to.rows(), to.col(i).data());
    }
    return;
  }
  for (Index part = 0; part < to.cols(); part += kRowsAtOnce) {
    const Index end = std::min(part + kRowsAtOnce, to.cols());
    for (Index f = 0; f < to.rows(); ++f) {
      for (Index i = part; i < end; ++i) {
        to(f, i) = from[i * of_row + f * of_feature];
      }
    }
  }
}

/// Returns true if rows lie one after another.
bool are_adjacent(const Rows& rows) {
  const auto num_columns = static_cast<std::int64_t>(rows.shape(1));
  return (rows.stride(1) == 1 || num_columns == 1) &&
         (rows.stride(0) == num_columns || rows.shape(0) <= 1);
}

/// Gives a matrix that is used again another size, as mlp::resize_anew().
template <typename Gathered>
void resize_gathered(Gathered& matrix, Index rows, Index columns) {
  if (matrix.size() != rows * columns) matrix.resize(0, 0);
  matrix.resize(rows, columns);
}

}  // namespace

std::size_t take_features(const Rows& rows, datasets::Dataset& data) {
  const bool are_doubles = is_double(rows.dtype());
  const auto num_features = static_cast<Index>(rows.shape(1));
  const auto num_instances = static_cast<Index>(rows.shape(0));
  if (are_doubles && are_adjacent(rows) && rows.size() != 0) {
    data.borrowed = {static_cast<const double*>(rows.data()), num_features,
                     num_instances};
    return 0;
  }
  data.features.resize(num_features, num_instances);
  if (are_doubles) {
    gather_rows<double>(rows, 0, data.features);
  } else {
    gather_rows<float>(rows, 0, data.features);
  }
  return rows.size() * sizeof(double);
}

void check_finite(const Eigen::Ref<const Matrix>& features, Index begin,
                  const std::vector<std::string>& names) {
  if (cpu::are_all_finite(features.data(), features.size())) return;
  for (Index i = 0; i < features.cols(); ++i) {
    for (Index f = 0; f < features.rows(); ++f) {
      const double value = features(f, i);
      if (std::isfinite(value)) continue;
      const auto at = static_cast<std::size_t>(f);
      throw DataError(
          "features must be finite, without NaN and inf; feature " +
          (at < names.size() ? datasets::in_quotes(names[at])
                             : std::to_string(f)) +
          " of row " + std::to_string(begin + i) + " is " +
          format_double(value) +
          (std::isnan(value)
               ? "; leave these rows out, or replace the missing values; "
                 "without layers, mlp.MLPClassifier and mlp.MLPRegressor take "
                 "them"
               : "; replace it by a number"));
    }
  }
}

bool are_finite(const RowsInPlace& rows, Index num_features) {
  const Index count = rows.size * num_features;
  return rows.doubles != nullptr ? cpu::are_all_finite(rows.doubles, count)
                                 : cpu::are_all_finite(rows.floats, count);
}

void check_finite(const RowsInPlace& rows, Index num_features, Index begin,
                  const std::vector<std::string>& names) {
  if (are_finite(rows, num_features)) return;
  if (rows.doubles != nullptr) {
    return check_finite(
        Eigen::Map<const Matrix>(rows.doubles, num_features, rows.size), begin,
        names);
  }
  const Matrix wide =
      Eigen::Map<const Eigen::MatrixXf>(rows.floats, num_features, rows.size)
          .cast<double>();
  check_finite(wide, begin, names);
}

ArrayFeatures::ArrayFeatures(const Rows& rows)
    : rows_(rows),
      is_double_(is_double(rows.dtype())),
      is_in_place_(are_adjacent(rows)) {}

Index ArrayFeatures::num_features() const {
  return static_cast<Index>(rows_.shape(1));
}

Index ArrayFeatures::num_instances() const {
  return static_cast<Index>(rows_.shape(0));
}

bool ArrayFeatures::is_in_place() const { return is_in_place_; }

RowsInPlace ArrayFeatures::at(Index begin, Index size,
                              GatheredRows& memory) const {
  RowsInPlace rows;
  rows.size = size;
  const Index offset = begin * num_features();
  if (is_double_) {
    if (is_in_place_) {
      rows.doubles = static_cast<const double*>(rows_.data()) + offset;
      return rows;
    }
    resize_gathered(memory.doubles, num_features(), size);
    gather_rows<double>(rows_, begin, memory.doubles);
    rows.doubles = memory.doubles.data();
    return rows;
  }
  if (is_in_place_) {
    rows.floats = static_cast<const float*>(rows_.data()) + offset;
    return rows;
  }
  resize_gathered(memory.floats, num_features(), size);
  gather_rows<float>(rows_, begin, memory.floats);
  rows.floats = memory.floats.data();
  return rows;
}

ColumnFeatures::ColumnFeatures(std::vector<std::vector<Column>> batches)
    : batches_(std::move(batches)), ends_{0} {
  for (const std::vector<Column>& columns : batches_) {
    num_features_ = static_cast<Index>(columns.size());
    const std::size_t size = columns.empty() ? 0 : columns.front().shape(0);
    for (const Column& column : columns) {
      visit_numbers(column, [](const auto*) {});
      is_float_ = is_float_ && column.dtype() == nb::dtype<float>();
      if (column.shape(0) != size || columns.size() != batches_[0].size()) {
        throw ShapeError("the columns of X must have equal lengths; expected " +
                         std::to_string(size) + " rows, got " +
                         std::to_string(column.shape(0)));
      }
    }
    ends_.push_back(ends_.back() + static_cast<Index>(size));
  }
}

template <typename Number>
void ColumnFeatures::gather(Index begin, Index size, Number* to) const {
  auto batch = static_cast<std::size_t>(
      std::upper_bound(ends_.begin(), ends_.end(), begin) - ends_.begin() - 1);
  while (size > 0) {
    const Index first = begin - ends_[batch];
    const Index count = std::min({kRowsAtOnce, size, ends_[batch + 1] - begin});
    for (Index f = 0; f < num_features_; ++f) {
      copy_column(batches_[batch][static_cast<std::size_t>(f)], first, count,
                  num_features_, to + f);
    }
    begin += count;
    size -= count;
    to += count * num_features_;
    while (size > 0 && begin == ends_[batch + 1]) ++batch;
  }
}

RowsInPlace ColumnFeatures::at(Index begin, Index size,
                               GatheredRows& memory) const {
  RowsInPlace rows;
  rows.size = size;
  if (is_float_) {
    resize_gathered(memory.floats, num_features_, size);
    gather(begin, size, memory.floats.data());
    rows.floats = memory.floats.data();
  } else {
    resize_gathered(memory.doubles, num_features_, size);
    gather(begin, size, memory.doubles.data());
    rows.doubles = memory.doubles.data();
  }
  return rows;
}

namespace {

/// Refuses rows of any layout, some at a time.
void check_rows(const Rows& rows, const std::vector<std::string>& names) {
  const ArrayFeatures features(rows);
  GatheredRows memory;
  const Index size = features.num_instances();
  const Index at_once = features.is_in_place() ? size : kRowsAtOnce;
  for (Index begin = 0; begin < size; begin += at_once) {
    check_finite(features.at(begin, std::min(at_once, size - begin), memory),
                 features.num_features(), begin, names);
  }
}

}  // namespace

void bind_features(nb::module_& module) {
  module.def("check_finite", &check_rows, nb::arg("X").noconvert(),
             nb::arg("names"), "Refuses features that are NaN or infinite.");
  nb::class_<ColumnFeatures>(module, "Columns", "Columns of numbers.")
      .def(nb::init<std::vector<std::vector<Column>>>(), nb::arg("batches"))
      .def_prop_ro("shape", [](const ColumnFeatures& columns) {
        return nb::make_tuple(columns.num_instances(), columns.num_features());
      });
  module.def(
      "scored_in_place",
      [](const Rows& rows) { return ArrayFeatures(rows).is_in_place(); },
      nb::arg("X").noconvert(),
      "True if rows are scored without a copy, false if they are gathered in "
      "small parts.");
}

}  // namespace mlp::python
