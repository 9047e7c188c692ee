// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace mlp::distributed {

/// How numbers are cut for a sum around a ring of ranks: into one chunk for
/// each rank, and each chunk into equally many segments, so that two can be in
/// transfer while one is added.
///
/// Each rank receives items from the rank to its right (rank + 1), adds its own
/// numbers to the first half of the items, takes the second half unchanged, and
/// sends what it received to the left. Item i is sent after item i -
/// num_segments() was received. The order in which a number is added depends
/// only on the number of ranks and its place.
///
/// \source Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms
///         for clusters of workstations", section 3
class RingLayout {
 public:
  /// The largest size of a message.
  static constexpr std::size_t kSegmentBytes = std::size_t{1} << 19;

  /// A range of the numbers.
  struct Range {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  RingLayout() = default;

  /// \pre num_ranks >= 2, 1 <= number_bytes <= 8
  RingLayout(std::size_t size, std::size_t number_bytes, std::size_t num_ranks)
      : size_(size), num_ranks_(num_ranks) {
    // A chunk that is not short is cut, so that additions overlap transfers.
    constexpr std::size_t kWholeChunkBytes = std::size_t{1} << 16;
    const std::size_t chunk_size = (size + num_ranks - 1) / num_ranks;
    const std::size_t capacity = kSegmentBytes / number_bytes;
    const std::size_t least =
        chunk_size * number_bytes > kWholeChunkBytes ? 2 : 1;
    num_segments_ = std::max(least, (chunk_size + capacity - 1) / capacity);
  }

  /// The number of segments of each chunk.
  [[nodiscard]] std::size_t num_segments() const { return num_segments_; }

  /// The number of items that each rank sends.
  [[nodiscard]] std::size_t num_items() const {
    return 2 * (num_ranks_ - 1) * num_segments_;
  }

  /// Returns the numbers that a rank sends as its item i: first the chunk after
  /// its own, then the items that it received. There may be none; a message of
  /// no bytes is then sent, which shows that the rank takes part.
  [[nodiscard]] Range item(std::size_t rank, std::size_t i) const {
    const std::size_t chunk = (rank + 1 + i / num_segments_) % num_ranks_;
    return part(part({0, size_}, chunk, num_ranks_), i % num_segments_,
                num_segments_);
  }

 private:
  [[nodiscard]] static Range part(Range whole, std::size_t i, std::size_t n) {
    const std::size_t least = whole.size / n;
    const std::size_t longer = whole.size % n;
    return {whole.begin + i * least + std::min(i, longer),
            least + (i < longer ? 1 : 0)};
  }

  std::size_t size_ = 0;
  std::size_t num_ranks_ = 2;
  std::size_t num_segments_ = 1;
};

}  // namespace mlp::distributed
