// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../core/files/unlinked_file.hpp"
#include "../../core/types.hpp"
#include "feature_source.hpp"

/// Features in a file, for data that do not fit into memory.
namespace mlp::datasets {

/// How a file stores a feature.
enum class StoredNumber {
  kFloat64,
  kFloat32,  ///< rounded, as a training in float32 rounds them
  kByte      ///< an integer from 0 to 255
};

/// Returns the bytes of a stored number.
[[nodiscard]] constexpr std::size_t bytes_of(StoredNumber number) {
  switch (number) {
    case StoredNumber::kFloat64:
      return sizeof(double);
    case StoredNumber::kFloat32:
      return sizeof(float);
    case StoredNumber::kByte:
      return 1;
  }
  return 0;
}

/// The features of instances in a file without a name, one instance after another.
///
/// Thread safety: several threads may read at the same time.
class FeatureFile final : public FeatureSource {
 public:
  /// \param folder        on a disk
  /// \param num_features  > 0
  /// \throws as UnlinkedFile()
  FeatureFile(std::string folder, Index num_features, StoredNumber number)
      : file_(std::move(folder)),
        num_features_(num_features),
        number_(number),
        row_bytes_(static_cast<std::size_t>(num_features) * bytes_of(number)) {}

  /// Makes a file on a disk that has room for instances.
  ///
  /// \throws as UnlinkedFile(); ResourceError for a folder in memory, and if the disk is
  ///         too small
  [[nodiscard]] static std::shared_ptr<FeatureFile> make(
      const std::string& folder, Index num_features, StoredNumber number,
      double num_instances) {
    auto file = std::make_shared<FeatureFile>(folder, num_features, number);
    file->file_.require_disk();
    file->file_.require_room(num_instances *
                             static_cast<double>(file->row_bytes_));
    return file;
  }

  [[nodiscard]] Index num_features() const override { return num_features_; }
  [[nodiscard]] Index num_instances() const override { return num_instances_; }
  /// Where the file is, for messages.
  [[nodiscard]] const std::string& folder() const { return file_.folder(); }

  [[nodiscard]] std::shared_ptr<FeatureSource> make_empty(
      Index num_instances) const override {
    return make(folder(), num_features_, number_,
                static_cast<double>(num_instances));
  }

  [[nodiscard]] bool is_file() const override { return true; }
  [[nodiscard]] StoredNumber number() const { return number_; }
  [[nodiscard]] std::uint64_t num_bytes() const { return file_.size(); }

  /// Writes instances behind the last one.
  ///
  /// \param features  [num_features x count]; integers from 0 to 255 for kByte
  /// \throws ResourceError as UnlinkedFile::write()
  void append(const double* features, Index count) {
    write(num_instances_, features, count);
  }

  /// \param features  as for append()
  /// \throws ResourceError as UnlinkedFile::write()
  void write(Index first, const double* features, Index count) override {
    const Index step = instances_at_once();
    std::vector<char> bytes;
    for (Index begin = 0; begin < count; begin += step) {
      const Index part = std::min(step, count - begin);
      const double* const from = features + begin * num_features_;
      const Index size = part * num_features_;
      const std::uint64_t offset = offset_of(first + begin);
      switch (number_) {
        case StoredNumber::kFloat64:
          file_.write(offset, from,
                      static_cast<std::size_t>(size) * sizeof(double));
          break;
        case StoredNumber::kFloat32:
          write_as<float>(offset, from, size, bytes);
          break;
        case StoredNumber::kByte:
          write_as<std::uint8_t>(offset, from, size, bytes);
          break;
      }
      num_instances_ = std::max(num_instances_, first + begin + part);
    }
  }

  /// Reads the features of some instances, and lets the system read those that follow.
  ///
  /// \throws as read()
  void read_on(Index first, Index count, double* features) const override {
    // Single rows may be read in any order.
    if (count > 1 && offset_of(count) >= kLeastBytes) {
      read_ahead(offset_of(first + count));
    }
    read(first, count, features);
  }

  void expect(Index first, Index count) const override {
    if (offset_of(count) < kLeastBytes) return;
    file_.expect_read(offset_of(first), offset_of(count));
  }

  /// Reads the features of some instances.
  ///
  /// \param[out] features  [num_features x count]
  /// \throws ResourceError as UnlinkedFile::read()
  void read(Index first, Index count, double* features) const override {
    const Index size = count * num_features_;
    switch (number_) {
      case StoredNumber::kFloat64:
        read_bytes(first, count, features);
        break;
      case StoredNumber::kFloat32:
        read_as<float>(first, count, size, features);
        break;
      case StoredNumber::kByte:
        read_as<std::uint8_t>(first, count, size, features);
        break;
    }
  }

 private:
  /// Bytes that the system reads ahead of a reader, and the least that it is told of.
  static constexpr std::uint64_t kAheadBytes = std::uint64_t{32} << 20;
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 16;

  [[nodiscard]] Index instances_at_once() const {
    constexpr std::size_t kBytes = std::size_t{1} << 20;
    return std::max<Index>(1, static_cast<Index>(kBytes / row_bytes_));
  }

  template <typename Number>
  void write_as(std::uint64_t offset, const double* from, Index size,
                std::vector<char>& bytes) {
    bytes.resize(static_cast<std::size_t>(size) * sizeof(Number));
    auto* const to = reinterpret_cast<Number*>(bytes.data());
    std::transform(from, from + size, to,
                   [](double x) { return static_cast<Number>(x); });
    file_.write(offset, bytes.data(), bytes.size());
  }

  [[nodiscard]] std::uint64_t offset_of(Index instance) const {
    return static_cast<std::uint64_t>(instance) * row_bytes_;
  }

  void read_bytes(Index first, Index count, void* to) const {
    file_.read(offset_of(first), to, offset_of(count));
  }

  /// Lets the system read what follows while the caller computes. It is told of large
  /// steps: each call looks for all pages of its step, also for those in memory.
  void read_ahead(std::uint64_t end) const {
    std::uint64_t expected = expected_.load(std::memory_order_relaxed);
    const bool is_far = end + kAheadBytes < expected || end > expected;
    if (!is_far && end + kAheadBytes / 2 < expected) return;
    const std::uint64_t begin = is_far ? end : expected;
    // Of several readers, one tells it.
    if (expected_.compare_exchange_strong(expected, end + kAheadBytes,
                                          std::memory_order_relaxed)) {
      file_.expect_read(begin, end + kAheadBytes - begin);
    }
  }

  /// Reads numbers of another type into the end of the result, and widens them from
  /// the front: none is overwritten before it is read.
  template <typename Number>
  void read_as(Index first, Index count, Index size, double* features) const {
    auto* const numbers = reinterpret_cast<char*>(features + size) -
                          static_cast<std::size_t>(size) * sizeof(Number);
    read_bytes(first, count, numbers);
    for (Index i = 0; i < size; ++i) {
      Number number;
      std::memcpy(&number,
                  numbers + static_cast<std::size_t>(i) * sizeof(Number),
                  sizeof(Number));
      features[i] = static_cast<double>(number);
    }
  }

  UnlinkedFile file_;
  Index num_features_;
  StoredNumber number_;
  std::size_t row_bytes_;
  Index num_instances_ = 0;
  mutable std::atomic<std::uint64_t> expected_ =
      0;  // end of what was announced
};

}  // namespace mlp::datasets
