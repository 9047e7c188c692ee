// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../../datasets/arrow/arrow_interface.hpp"

/// Arrow tables in memory, as another library gives them.
namespace mlp::test {

/// A column with its memory. Its structures are valid as long as it exists.
class ArrowColumn {
 public:
  ArrowColumn(std::string name, std::string format)
      : name_(std::move(name)), format_(std::move(format)) {}

  /// Makes a column of numbers of one size.
  template <typename Number>
  static std::shared_ptr<ArrowColumn> of(
      std::string name, std::string format,
      const std::vector<std::optional<Number>>& values) {
    auto column =
        std::make_shared<ArrowColumn>(std::move(name), std::move(format));
    std::vector<Number> numbers;
    for (const auto& value : values)
      numbers.push_back(value.value_or(Number{}));
    column->set_valid(values);
    column->add_buffer(numbers);
    return column;
  }

  static std::shared_ptr<ArrowColumn> doubles(
      std::string name, const std::vector<std::optional<double>>& values) {
    return of<double>(std::move(name), "g", values);
  }

  /// Makes a column of texts with offsets of 32 bits.
  static std::shared_ptr<ArrowColumn> texts(
      std::string name, const std::vector<std::optional<std::string>>& values) {
    auto column = std::make_shared<ArrowColumn>(std::move(name), "u");
    std::vector<std::int32_t> offsets{0};
    std::string bytes;
    for (const auto& value : values) {
      bytes += value.value_or("");
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
    }
    column->set_valid(values);
    column->add_buffer(offsets);
    column->add_buffer(std::vector<char>(bytes.begin(), bytes.end()));
    return column;
  }

  static std::shared_ptr<ArrowColumn> bools(
      std::string name, const std::vector<std::optional<bool>>& values) {
    auto column = std::make_shared<ArrowColumn>(std::move(name), "b");
    std::vector<std::uint8_t> bits(values.size() / 8 + 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].value_or(false)) set_bit(bits, i);
    }
    column->set_valid(values);
    column->add_buffer(bits);
    return column;
  }

  /// Makes a column of lists of numbers.
  template <typename Number>
  static std::shared_ptr<ArrowColumn> lists(
      std::string name, const std::string& format,
      const std::vector<std::vector<Number>>& values) {
    auto column = std::make_shared<ArrowColumn>(std::move(name), "+l");
    std::vector<std::int32_t> offsets{0};
    std::vector<std::optional<Number>> items;
    for (const auto& list : values) {
      items.insert(items.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::int32_t>(items.size()));
    }
    column->length_ = static_cast<std::int64_t>(values.size());
    column->buffers_.emplace_back();
    column->add_buffer(offsets);
    column->children_.push_back(of<Number>("item", format, items));
    return column;
  }

  template <typename Value>
  void set_valid(const std::vector<std::optional<Value>>& values) {
    length_ = static_cast<std::int64_t>(values.size());
    std::vector<std::uint8_t> bits(values.size() / 8 + 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i]) {
        set_bit(bits, i);
      } else {
        ++num_null_;
      }
    }
    add_buffer(bits);
  }

  template <typename Item>
  void add_buffer(const std::vector<Item>& items) {
    std::vector<char> bytes(items.size() * sizeof(Item) + 1);
    if (!items.empty()) {
      std::memcpy(bytes.data(), items.data(), items.size() * sizeof(Item));
    }
    buffers_.push_back(std::move(bytes));
  }

  void add_child(std::shared_ptr<ArrowColumn> child) {
    length_ = child->length_;
    children_.push_back(std::move(child));
  }
  void set_dictionary(std::shared_ptr<ArrowColumn> dictionary) {
    dictionary_ = std::move(dictionary);
  }

  /// Ends the column after some rows, and begins it behind others.
  void set_offset(std::int64_t offset) {
    offset_ = offset;
    length_ -= offset;
  }

  ArrowSchema* schema() {
    schema_ = {};
    schema_.format = format_.c_str();
    schema_.name = name_.c_str();
    schema_children_.clear();
    for (const auto& child : children_) {
      schema_children_.push_back(child->schema());
    }
    schema_.n_children = static_cast<std::int64_t>(children_.size());
    schema_.children = schema_children_.data();
    if (dictionary_) schema_.dictionary = dictionary_->schema();
    schema_.release = [](ArrowSchema* schema) { schema->release = nullptr; };
    return &schema_;
  }

  ArrowArray* array() {
    array_ = {};
    array_.length = length_;
    array_.null_count = num_null_;
    array_.offset = offset_;
    pointers_.clear();
    for (const auto& buffer : buffers_) {
      pointers_.push_back(buffer.empty() ? nullptr : buffer.data());
    }
    array_.n_buffers = static_cast<std::int64_t>(pointers_.size());
    array_.buffers = pointers_.data();
    array_children_.clear();
    for (const auto& child : children_) {
      array_children_.push_back(child->array());
    }
    array_.n_children = static_cast<std::int64_t>(children_.size());
    array_.children = array_children_.data();
    if (dictionary_) array_.dictionary = dictionary_->array();
    array_.release = [](ArrowArray* array) { array->release = nullptr; };
    return &array_;
  }

 private:
  static void set_bit(std::vector<std::uint8_t>& bits, std::size_t at) {
    bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] | 1U << at % 8);
  }

  std::string name_;
  std::string format_;
  std::int64_t length_ = 0;
  std::int64_t num_null_ = 0;
  std::int64_t offset_ = 0;
  std::vector<std::vector<char>> buffers_;
  std::vector<std::shared_ptr<ArrowColumn>> children_;
  std::shared_ptr<ArrowColumn> dictionary_;
  ArrowSchema schema_{};
  ArrowArray array_{};
  std::vector<ArrowSchema*> schema_children_;
  std::vector<ArrowArray*> array_children_;
  std::vector<const void*> pointers_;
};

using ArrowTable = std::vector<std::shared_ptr<ArrowColumn>>;

/// Makes a column of vectors as Spark stores them.
///
/// \param sizes  of sparse vectors; -1 for dense ones
inline std::shared_ptr<ArrowColumn> spark_vectors(
    std::string name, const std::vector<std::int32_t>& sizes,
    const std::vector<std::vector<std::int32_t>>& indices,
    const std::vector<std::vector<double>>& values) {
  auto column = std::make_shared<ArrowColumn>(std::move(name), "+s");
  std::vector<std::optional<std::int8_t>> types;
  std::vector<std::optional<std::int32_t>> of_sparse;
  for (const std::int32_t size : sizes) {
    types.emplace_back(static_cast<std::int8_t>(size < 0 ? 1 : 0));
    of_sparse.push_back(size < 0 ? std::nullopt : std::optional(size));
  }
  column->set_valid(types);
  column->add_child(ArrowColumn::of<std::int8_t>("type", "c", types));
  column->add_child(ArrowColumn::of<std::int32_t>("size", "i", of_sparse));
  column->add_child(ArrowColumn::lists<std::int32_t>("indices", "i", indices));
  column->add_child(ArrowColumn::lists<double>("values", "g", values));
  return column;
}

/// A stream of record batches that have the same columns.
class ArrowBatches {
 public:
  /// \param batches  each with its columns   [at least 1]
  /// \param failure  what the call behind the last batch says; empty for the end
  explicit ArrowBatches(const std::vector<ArrowTable>& batches,
                        std::string failure = "")
      : failure_(std::move(failure)) {
    for (const ArrowTable& columns : batches) {
      auto& batch = batches_.emplace_back("", "+s");
      batch.add_buffer(std::vector<char>{});
      for (const auto& column : columns) batch.add_child(column);
    }
  }

  /// Returns a stream from the first batch on. This object must outlive it.
  ArrowArrayStream stream() {
    next_ = 0;
    ArrowArrayStream stream{};
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream* from, ArrowSchema* schema) {
      *schema = *of(from).batches_.front().schema();
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* from, ArrowArray* array) {
      return of(from).get_next(*array);
    };
    stream.get_last_error = [](ArrowArrayStream* from) {
      return of(from).failure_.c_str();
    };
    stream.release = [](ArrowArrayStream* from) { from->release = nullptr; };
    return stream;
  }

 private:
  static ArrowBatches& of(ArrowArrayStream* stream) {
    return *static_cast<ArrowBatches*>(stream->private_data);
  }

  int get_next(ArrowArray& array) {
    array = {};
    if (next_ == batches_.size()) return failure_.empty() ? 0 : EIO;
    ArrowColumn& batch = batches_[next_++];
    array = *batch.array();
    array.null_count = 0;
    array.buffers[0] = nullptr;
    return 0;
  }

  std::vector<ArrowColumn> batches_;
  std::string failure_;
  std::size_t next_ = 0;
};

}  // namespace mlp::test
