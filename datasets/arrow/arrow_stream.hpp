// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "arrow_interface.hpp"
#include "constant_column.hpp"

/// Streams of record batches: the rows of a table, some at a time.
namespace mlp::datasets {

namespace detail {

/// Owns a structure of the interface, and releases it.
template <typename Structure>
class ArrowOwner {
 public:
  ArrowOwner() = default;

  /// Moves a structure here; its place no longer has it.
  explicit ArrowOwner(Structure& from) : value_(from) {
    from.release = nullptr;
  }
  ArrowOwner(ArrowOwner&& other) noexcept : value_(other.value_) {
    other.value_.release = nullptr;
  }
  ArrowOwner& operator=(ArrowOwner&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ArrowOwner(const ArrowOwner&) = delete;
  ArrowOwner& operator=(const ArrowOwner&) = delete;
  ~ArrowOwner() {
    if (value_.release != nullptr) value_.release(&value_);
  }

  [[nodiscard]] bool has_value() const { return value_.release != nullptr; }
  [[nodiscard]] Structure* get() { return &value_; }
  Structure* operator->() { return &value_; }
  const Structure* operator->() const { return &value_; }
  const Structure& operator*() const { return value_; }

 private:
  Structure value_{};
};

}  // namespace detail

/// A stream of record batches that have the same columns. It can be read once.
class ArrowStream {
 public:
  /// Takes a stream over; its place no longer has it.
  ///
  /// \param source  the name of the data for messages, such as a file
  /// \throws DataError if the stream has no table with columns
  ArrowStream(ArrowArrayStream& stream, std::string source)
      : source_(std::move(source)), stream_(stream) {
    if (!stream_.has_value()) {
      throw DataError(source_, "expected an Arrow stream, got a released one");
    }
    check(stream_->get_schema(stream_.get(), schema_.get()));
    num_own_ = static_cast<Index>(schema_->n_children);
    if (std::string_view(schema_->format) == "+s") return;
    throw DataError(source_,
                    "expected a table with columns, got an Arrow stream of "
                    "single values");
  }

  [[nodiscard]] const std::string& source() const { return source_; }

  /// Adds columns behind the others, each with one value in all rows.
  ///
  /// \param keeps_columns  false if the stream has no other columns then
  void add_columns(std::vector<std::shared_ptr<detail::ConstantColumn>> added,
                   bool keeps_columns) {
    added_ = std::move(added);
    if (!keeps_columns) num_own_ = 0;
  }

  [[nodiscard]] Index num_columns() const {
    return num_own_ + static_cast<Index>(added_.size());
  }

  [[nodiscard]] const ArrowSchema& column(Index at) const {
    if (at < num_own_) return *schema_->children[at];
    return added_[static_cast<std::size_t>(at - num_own_)]->schema();
  }

  /// Returns the name of a column, which may be empty.
  [[nodiscard]] std::string column_name(Index at) const {
    const char* const name = column(at).name;
    return name == nullptr ? "" : name;
  }

  /// Returns the next rows, at least one; null at the end. They are valid until the next
  /// call.
  ///
  /// \throws DataError if they cannot be read, or have another number of columns than the
  ///         stream says
  [[nodiscard]] const ArrowArray* next() {
    if (!is_peeked_) {
      do {
        batch_ = {};
        check(stream_->get_next(stream_.get(), batch_.get()));
      } while (batch_.has_value() && batch_->length == 0);
    }
    is_peeked_ = false;
    if (!batch_.has_value()) return nullptr;
    if (batch_->n_children != schema_->n_children) {
      throw DataError(source_, "all batches must have " +
                                   std::to_string(schema_->n_children) +
                                   " columns, as the stream says; got " +
                                   std::to_string(batch_->n_children));
    }
    return added_.empty() ? batch_.get() : add_values();
  }

  /// Returns what the next call of next() returns.
  ///
  /// \throws as next()
  [[nodiscard]] const ArrowArray* peek() {
    const ArrowArray* const batch = next();
    is_peeked_ = true;
    return batch;
  }

 private:
  /// Returns the rows with the values of the added columns.
  const ArrowArray* add_values() {
    children_.clear();
    for (Index i = 0; i < num_own_; ++i) {
      children_.push_back(batch_->children[i]);
    }
    for (const auto& column : added_) {
      children_.push_back(&column->rows(batch_->offset + batch_->length));
    }
    joined_ = *batch_;
    joined_.release = nullptr;  // the batch is the owner
    joined_.n_children = static_cast<std::int64_t>(children_.size());
    joined_.children = children_.data();
    return &joined_;
  }

  void check(int error) {
    if (error == 0) return;
    const char* const reason = stream_->get_last_error(stream_.get());
    throw DataError(source_,
                    "cannot be read: " + std::string(reason ? reason
                                                            : "no reason is "
                                                              "given"));
  }

  std::string source_;
  detail::ArrowOwner<ArrowArrayStream> stream_;
  detail::ArrowOwner<ArrowSchema> schema_;
  detail::ArrowOwner<ArrowArray> batch_;
  bool is_peeked_ = false;
  Index num_own_ = 0;  ///< columns that the stream has
  std::vector<std::shared_ptr<detail::ConstantColumn>> added_;
  std::vector<ArrowArray*> children_;
  ArrowArray joined_{};
};

}  // namespace mlp::datasets
