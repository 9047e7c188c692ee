// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

  [[nodiscard]] StoredNumber number() const { return number_; }
  [[nodiscard]] std::uint64_t num_bytes() const { return file_.size(); }

  /// Writes instances behind the last one.
  ///
  /// \param features  [num_features x count]; integers from 0 to 255 for kByte
  /// \throws ResourceError as UnlinkedFile::append()
  void append(const double* features, Index count) override {
    const Index step = instances_at_once();
    std::vector<char> bytes;
    for (Index first = 0; first < count; first += step) {
      const Index part = std::min(step, count - first);
      const double* const from = features + first * num_features_;
      const Index size = part * num_features_;
      switch (number_) {
        case StoredNumber::kFloat64:
          file_.append(from, static_cast<std::size_t>(size) * sizeof(double));
          break;
        case StoredNumber::kFloat32:
          append_as<float>(from, size, bytes);
          break;
        case StoredNumber::kByte:
          append_as<std::uint8_t>(from, size, bytes);
          break;
      }
      num_instances_ += part;
    }
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
  /// Bytes that the system reads ahead of a reader, and the least that a reader takes
  /// which reads in the order of the file.
  static constexpr std::size_t kAheadBytes = std::size_t{8} << 20;
  static constexpr std::size_t kLeastInOrder = std::size_t{1} << 17;

  [[nodiscard]] Index instances_at_once() const {
    constexpr std::size_t kBytes = std::size_t{1} << 20;
    return std::max<Index>(1, static_cast<Index>(kBytes / row_bytes_));
  }

  template <typename Number>
  void append_as(const double* from, Index size, std::vector<char>& bytes) {
    bytes.resize(static_cast<std::size_t>(size) * sizeof(Number));
    auto* const to = reinterpret_cast<Number*>(bytes.data());
    std::transform(from, from + size, to,
                   [](double x) { return static_cast<Number>(x); });
    file_.append(bytes.data(), bytes.size());
  }

  void read_bytes(Index first, Index count, void* to) const {
    const std::uint64_t offset = static_cast<std::uint64_t>(first) * row_bytes_;
    const std::size_t size = static_cast<std::size_t>(count) * row_bytes_;
    // Single rows are read in any order.
    if (count > 1 && size >= kLeastInOrder) {
      file_.expect_read(offset + size, kAheadBytes);
    }
    file_.read(offset, to, size);
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
};

}  // namespace mlp::datasets
