// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "arrow_interface.hpp"

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
    if (std::string_view(schema_->format) == "+s") return;
    throw DataError(source_,
                    "expected a table with columns, got an Arrow stream of "
                    "single values");
  }

  [[nodiscard]] const std::string& source() const { return source_; }

  [[nodiscard]] Index num_columns() const {
    return static_cast<Index>(schema_->n_children);
  }

  [[nodiscard]] const ArrowSchema& column(Index at) const {
    return *schema_->children[at];
  }

  /// Returns the name of a column, which may be empty.
  [[nodiscard]] std::string column_name(Index at) const {
    const char* const name = column(at).name;
    return name == nullptr ? "" : name;
  }

  /// Returns the next rows, at least one; null at the end. They are valid until the next
  /// call.
  ///
  /// \throws DataError if they cannot be read
  [[nodiscard]] const ArrowArray* next() {
    if (!is_peeked_) {
      do {
        batch_ = {};
        check(stream_->get_next(stream_.get(), batch_.get()));
      } while (batch_.has_value() && batch_->length == 0);
    }
    is_peeked_ = false;
    return batch_.has_value() ? batch_.get() : nullptr;
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
};

}  // namespace mlp::datasets
