// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "types.hpp"

/// Binary serialization of numbers, texts and vectors.
namespace mlp {

/// A number type that ByteWriter and ByteReader can store.
///
/// It is std::uint8_t, a 64-bit integer, float or double. Callers convert other
/// types explicitly, so that the format does not depend on the platform.
template <typename T>
concept StoredNumber = std::same_as<T, std::uint8_t> ||
    std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && sizeof(T) == sizeof(std::int64_t));

/// A vector of stored numbers that owns its elements, such as Vector or
/// std::vector.
template <typename V>
concept StoredVector = StoredNumber<typename V::value_type> &&
    requires(V vector, Index size) {
  { vector.data() } -> std::same_as<typename V::value_type*>;
  vector.resize(static_cast<decltype(vector.size())>(size));
};

/// Serializes numbers, texts and vectors into a string of bytes.
///
/// The bytes are little-endian. Every number is stored exactly, including NaN,
/// -0 and the infinities.
class ByteWriter {
 public:
  template <StoredNumber T>
  void write(T value) {
    append(&value, 1);
  }

  void write_flag(bool flag) { write(std::uint8_t{flag}); }

  /// Appends the number of bytes, then the bytes.
  void write_text(std::string_view text) {
    write(std::uint64_t{text.size()});
    bytes_.append(text);
  }

  /// Appends the number of elements, then the elements.
  ///
  /// \param vector  [size]
  template <StoredVector V>
  void write_vector(const V& vector) {
    const auto size = static_cast<std::size_t>(vector.size());
    write(std::uint64_t{size});
    append(vector.data(), size);
  }

  /// Returns the bytes written so far; std::move(writer).bytes() moves them.
  [[nodiscard]] const std::string& bytes() const& { return bytes_; }
  [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

 private:
  template <typename T>
  void append(const T* values, std::size_t count) {
    if (count == 0) return;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + count * sizeof(T));
    std::memcpy(bytes_.data() + at, values, count * sizeof(T));
    if constexpr (std::endian::native == std::endian::big) {
      for (std::size_t i = at; i < bytes_.size(); i += sizeof(T)) {
        std::reverse(bytes_.data() + i, bytes_.data() + i + sizeof(T));
      }
    }
  }

  std::string bytes_;
};

/// Reads what a ByteWriter wrote, in the same order.
///
/// Every read checks its size against the remaining bytes before it allocates,
/// so a corrupt count does not allocate memory.
class ByteReader {
 public:
  /// \param bytes  must outlive the reader
  /// \param name   the file name shown in messages
  ByteReader(std::string_view bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  /// \throws ModelError if the bytes end too early
  template <StoredNumber T>
  [[nodiscard]] T read() {
    require(1, sizeof(T));
    T value{};
    take(&value, 1);
    return value;
  }

  /// \throws ModelError if the bytes end too early or the flag is not 0 or 1
  [[nodiscard]] bool read_flag() {
    const auto flag = read<std::uint8_t>();
    if (flag <= 1) return flag == 1;
    refuse("a flag must be 0 or 1; got " + std::to_string(flag) + " at byte " +
           std::to_string(position_ - 1));
  }

  /// \throws ModelError if the bytes end too early
  [[nodiscard]] std::string read_text() {
    const auto size = read<std::uint64_t>();
    require(size, 1);
    const std::string text(bytes_.substr(position_, size));
    position_ += size;
    return text;
  }

  /// \return [number of elements written]
  /// \throws ModelError if the bytes end too early
  template <StoredVector V>
  [[nodiscard]] V read_vector() {
    using T = typename V::value_type;
    const auto size = read<std::uint64_t>();
    require(size, sizeof(T));
    V vector;
    vector.resize(static_cast<decltype(vector.size())>(size));
    take(vector.data(), static_cast<std::size_t>(size));
    return vector;
  }

  /// Reads a vector and checks its size before it allocates.
  ///
  /// \param what  the name of the size in messages: "the number of weights"
  /// \return [size]
  /// \throws ModelError with both sizes if they differ, or if the bytes end too
  ///         early
  template <StoredVector V>
  [[nodiscard]] V read_vector(Index size, std::string_view what) {
    const std::size_t begin = position_;
    require_equal(size, what);
    position_ = begin;
    return read_vector<V>();
  }

  /// Reads a count and checks that it is in an interval.
  ///
  /// \param what  the name of the count in messages: "the number of steps"
  /// \return min to max
  /// \throws ModelError with the interval and the number if it is outside
  [[nodiscard]] Index read_count(std::string_view what, Index min,
                                 Index max = kMaxCount) {
    const auto stored = static_cast<Index>(read<std::int64_t>());
    require_between(stored, min, max, what);
    return stored;
  }

  /// Checks that a number that was read is in an interval.
  ///
  /// \throws ModelError with the interval and the number if it is outside
  void require_between(Index stored, Index min, Index max,
                       std::string_view what) const {
    if (min <= stored && stored <= max) return;
    std::string expected = std::to_string(min);
    if (min != max) expected += " to " + std::to_string(max);
    refuse_value(what, expected, std::to_string(stored));
  }

  /// Reads a number and checks that it equals the expected one.
  ///
  /// \param what  the name of the number in messages: "the number of weights"
  /// \throws ModelError with both numbers if they differ
  void require_equal(Index expected, std::string_view what) {
    const auto stored = read<std::int64_t>();
    require_between(static_cast<Index>(stored), expected, expected, what);
  }

  /// Reads a text and checks that it equals the expected one.
  ///
  /// \param what  the name of the text in messages: "the solver"
  /// \throws ModelError with both texts if they differ
  void require_text(std::string_view expected, std::string_view what) {
    std::string stored = read_text();
    if (stored == expected) return;
    stored.resize(std::min(stored.size(), kShownBytes));
    const auto is_hidden = [](char c) { return c < ' ' || c > '~'; };
    std::replace_if(stored.begin(), stored.end(), is_hidden, '?');
    refuse_value(what, expected, stored);
  }

  /// \throws ModelError if unread bytes remain
  void require_end() const {
    if (bytes_left() == 0) return;
    refuse("the state must end at byte " + std::to_string(position_) +
           "; got " + std::to_string(bytes_left()) + " bytes more");
  }

  /// Throws a ModelError with the file name and a sentence.
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw ModelError(name_, sentence);
  }

  [[nodiscard]] std::size_t bytes_left() const {
    return bytes_.size() - position_;
  }

 private:
  static constexpr std::size_t kShownBytes = 40;

  /// No count is larger: below it, counts can be increased and converted to
  /// double.
  static constexpr Index kMaxCount = Index{1} << 53;

  [[noreturn]] void refuse_value(std::string_view what,
                                 std::string_view expected,
                                 const std::string& got) const {
    refuse(std::string(what) + " must be " + std::string(expected) +
           " as in this run; got " + got +
           " in the state; resume the run that wrote it");
  }

  void require(std::uint64_t count, std::size_t size) const {
    if (count <= bytes_left() / size) return;
    std::string expected = std::to_string(size) + " bytes";
    if (count != 1) expected = std::to_string(count) + " times " + expected;
    refuse("the state ends early; expected " + expected + " at byte " +
           std::to_string(position_) + ", got " + std::to_string(bytes_left()));
  }

  /// \pre enough bytes remain
  template <typename T>
  void take(T* values, std::size_t count) {
    if (count == 0) return;
    std::memcpy(values, bytes_.data() + position_, count * sizeof(T));
    position_ += count * sizeof(T);
    if constexpr (std::endian::native == std::endian::big) {
      for (std::size_t i = 0; i < count; ++i) {
        auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(values[i]);
        std::reverse(bytes.begin(), bytes.end());
        values[i] = std::bit_cast<T>(bytes);
      }
    }
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
  std::string name_;
};

}  // namespace mlp
