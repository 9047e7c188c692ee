// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/memory/huge_pages.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../reading/limits.hpp"
#include "../reading/reader_threads.hpp"

/// Decoding of the numbers in binary data files.
namespace mlp::datasets::detail {

/// The number types of binary data files, in the order of kValueBytes.
enum class ValueType {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat32,
  kFloat64
};

inline constexpr std::array<std::size_t, 10> kValueBytes = {1, 1, 2, 2, 4,
                                                            4, 8, 8, 4, 8};

/// Returns the size of one number in bytes.
inline std::size_t value_bytes(ValueType type) {
  return kValueBytes[static_cast<std::size_t>(type)];
}

/// The layout of the numbers in a file. A column of the matrix is an instance.
struct BinaryLayout {
  ValueType type = ValueType::kUint8;
  std::endian byte_order = std::endian::little;
  Index num_features = 1;
  Index num_instances = 0;

  /// True if the values of a feature are contiguous, false if the values of an
  /// instance are.
  bool is_feature_major = false;

  /// Instances of the file in front of these, for messages.
  Index first_row = 0;
};

/// Decodes one number with the given byte order.
template <typename Value>
double decode_value(const char* bytes, std::endian order) {
  using Bits = std::conditional_t<
      sizeof(Value) == 1, std::uint8_t,
      std::conditional_t<sizeof(Value) == 2, std::uint16_t,
                         std::conditional_t<sizeof(Value) == 4, std::uint32_t,
                                            std::uint64_t>>>;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(Value); ++i) {
    const std::size_t at =
        order == std::endian::little ? sizeof(Value) - 1 - i : i;
    bits = bits << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return static_cast<double>(std::bit_cast<Value>(static_cast<Bits>(bits)));
}

/// Decodes contiguous numbers.
///
/// \param[out] values  [count], with a distance of step elements
template <typename Value>
void decode_run(const char* bytes, std::endian order, Index count,
                double* values, Index step) {
  if (order != std::endian::native) {
    for (Index i = 0; i < count; ++i, bytes += sizeof(Value)) {
      values[i * step] = decode_value<Value>(bytes, order);
    }
    return;
  }
  for (Index i = 0; i < count; ++i, bytes += sizeof(Value)) {
    Value value;
    std::memcpy(&value, bytes, sizeof value);
    values[i * step] = static_cast<double>(value);
  }
}

/// A range of consecutive instances.
struct InstanceRange {
  Index begin = 0;
  Index end = 0;
};

/// Decodes the numbers of a range of instances.
///
/// \param bytes  all bytes of the layout
/// \param[in,out] values  [num_features x num_instances]
template <typename Value>
void decode_values(std::string_view bytes, const BinaryLayout& layout,
                   InstanceRange range, Eigen::Ref<Matrix> values) {
  const auto at = [&](Index number) {
    return bytes.data() + static_cast<std::size_t>(number) * sizeof(Value);
  };
  if (!layout.is_feature_major) {
    for (Index i = range.begin; i < range.end; ++i) {
      decode_run<Value>(at(i * values.rows()), layout.byte_order, values.rows(),
                        values.col(i).data(), 1);
    }
    return;
  }
  // The number of columns that the cache can write at the same time.
  constexpr Index kTile = 32;
  for (Index i = range.begin; i < range.end; i += kTile) {
    const Index count = std::min(kTile, range.end - i);
    for (Index feature = 0; feature < values.rows(); ++feature) {
      decode_run<Value>(at(feature * values.cols() + i), layout.byte_order,
                        count, &values(feature, i), values.outerStride());
    }
  }
}

inline void decode_values(std::string_view bytes, const BinaryLayout& layout,
                          InstanceRange range, Eigen::Ref<Matrix> values) {
  using Decode = void(std::string_view, const BinaryLayout&, InstanceRange,
                      Eigen::Ref<Matrix>);
  constexpr std::array<Decode*, kValueBytes.size()> kDecoders = {
      decode_values<std::uint8_t>,  decode_values<std::int8_t>,
      decode_values<std::uint16_t>, decode_values<std::int16_t>,
      decode_values<std::uint32_t>, decode_values<std::int32_t>,
      decode_values<std::uint64_t>, decode_values<std::int64_t>,
      decode_values<float>,         decode_values<double>};
  kDecoders[static_cast<std::size_t>(layout.type)](bytes, layout, range,
                                                   values);
}

/// Decodes all numbers.
///
/// \param bytes  all bytes of the layout
/// \param[out] values  [num_features x num_instances]
inline void decode_values(std::string_view bytes, const BinaryLayout& layout,
                          Eigen::Ref<Matrix> values) {
  decode_values(bytes, layout, InstanceRange{0, values.cols()}, values);
}

/// Checks that all values are finite.
///
/// \param values     [num_features x num_instances]
/// \param first_row  rows of the file in front of them
/// \throws DataError with the row and column of the first NaN or infinity,
///         counted from 1 as in the file, where instances are rows
inline void check_finite(ConstMatrixRef values, const std::string& source,
                         Index first_row = 0) {
  if (values.allFinite()) return;
  for (Index row = 0; row < values.cols(); ++row) {
    for (Index column = 0; column < values.rows(); ++column) {
      const double value = values(column, row);
      if (std::isfinite(value)) continue;
      throw DataError(source, "expected finite numbers, got " +
                                  format_double(value) + " in row " +
                                  std::to_string(first_row + row + 1) +
                                  ", column " + std::to_string(column + 1) +
                                  " (both counted from 1)");
    }
  }
}

/// The bytes of a file whose memory goes back to the system while threads read
/// them piece by piece. Nobody may read them again.
class PieceRelease {
 public:
  /// \param bytes        of the first piece: allocated memory, writable, not a
  ///                     mapping that is shared with other processes
  /// \param piece_bytes  size of each piece but the last
  PieceRelease(void* bytes, std::size_t piece_bytes, std::size_t num_pieces)
      : begin_(reinterpret_cast<std::uintptr_t>(bytes)),
        end_(begin_),
        piece_bytes_(piece_bytes),
        is_read_(num_pieces) {}

  /// Tells that a piece was read. Its memory is released once all pieces in front
  /// of it were read too. Threads may call this at the same time.
  void finish(std::size_t piece) {
    const std::lock_guard lock(mutex_);
    is_read_[piece] = true;
    while (num_first_ < is_read_.size() && is_read_[num_first_]) ++num_first_;
    // Where the last piece ends is unknown.
    const bool has_last = num_first_ == is_read_.size();
    const std::size_t num_whole = num_first_ - (has_last ? 1 : 0);
    release_first(num_whole * piece_bytes_);
  }

  /// Returns a number of bytes from the beginning; behind them, nothing was
  /// released.
  [[nodiscard]] std::size_t end() const { return end_ - begin_; }

 private:
  /// Bytes that are released at once. It is the size of a huge page: a part of
  /// one does not go back to the system.
  static constexpr std::uintptr_t kGrain = std::uintptr_t{1} << 21;

  /// Pages that begin before the bytes or end behind them stay, and so do all if the
  /// system refuses.
  void release_first([[maybe_unused]] std::size_t bytes) {
#ifdef MADV_DONTNEED
    const std::uintptr_t begin = (end_ + kGrain - 1) / kGrain * kGrain;
    const std::uintptr_t end = (begin_ + bytes) / kGrain * kGrain;
    if (end <= begin) return;
    void* const pages = reinterpret_cast<void*>(begin);
    if (::madvise(pages, end - begin, MADV_DONTNEED) == 0) end_ = end;
#endif
  }

  std::mutex mutex_;
  std::uintptr_t begin_;
  std::uintptr_t end_;  // behind what was released, or begin_
  std::size_t piece_bytes_;
  std::vector<bool> is_read_;  // of each piece
  std::size_t num_first_ =
      0;  // pieces in front of the first one that is unread
};

/// Decodes all numbers with several threads.
///
/// \param bytes     all bytes of the layout
/// \param source    the file name shown in messages
/// \param consumed  the bytes again if their memory may be released while they are
///                  decoded, so that bytes and numbers do not both need memory;
///                  otherwise null
/// \returns [num_features x num_instances]
/// \throws DataError like check_finite() if a number is not finite
[[nodiscard]] inline Matrix read_binary_values(std::string_view bytes,
                                               const BinaryLayout& layout,
                                               const std::string& source,
                                               int num_threads,
                                               const PieceSizes& sizes = {},
                                               char* consumed = nullptr) {
  check_matrix_memory(source, layout.num_features, layout.num_instances);
  Matrix values(layout.num_features, layout.num_instances);
  advise_huge_pages(values.data(),
                    static_cast<std::size_t>(values.size()) * sizeof(double));
  const bool may_be_odd =
      layout.type == ValueType::kFloat32 || layout.type == ValueType::kFloat64;
  const auto task_values = static_cast<Index>(sizes.task_values);
  const Index step = std::max<Index>(task_values / values.rows(), 1);
  std::atomic<bool> is_finite = true;
  ReaderThreads threads(num_threads, bytes.size(), sizes);
  const Index num_pieces = (values.cols() + step - 1) / step;
  std::optional<PieceRelease> release;
  if (consumed != nullptr && !layout.is_feature_major) {
    release.emplace(consumed,
                    static_cast<std::size_t>(step * values.rows()) *
                        value_bytes(layout.type),
                    static_cast<std::size_t>(num_pieces));
  }
  threads.for_each(num_pieces, [&](Index i) {
    const InstanceRange range{i * step,
                              std::min((i + 1) * step, values.cols())};
    decode_values(bytes, layout, range, values);
    if (release) release->finish(static_cast<std::size_t>(i));
    if (!may_be_odd) return;
    const Index size = range.end - range.begin;
    if (!values.middleCols(range.begin, size).allFinite()) is_finite = false;
  });
  if (!is_finite) check_finite(values, source, layout.first_row);
  return values;
}

}  // namespace mlp::datasets::detail
