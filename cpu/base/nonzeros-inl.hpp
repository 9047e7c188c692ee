// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Finds the nonzero features of a tile and multiplies only those.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_BASE_NONZEROS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_BASE_NONZEROS_INL_HPP
#undef MLP_CPU_BASE_NONZEROS_INL_HPP
#else
#define MLP_CPU_BASE_NONZEROS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "panels-inl.hpp"
#include "product-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Number of instances of a tile that share one list of features, and of features of a
/// panel that share one list of instances.
constexpr std::size_t kGroupSize = kAccumulators / kPanelVectors;

/// One term of a sum over features: the positions of its factors.
struct Term {
  std::uint32_t a;  ///< index of the column of a
  std::uint32_t b;  ///< offset in b
};

/// One term of a sum over instances: the offset of the instance in a panel, which is the
/// same in both factors.
using InstanceTerm = std::uint16_t;

/// Returns true if at least 40 % of the features are zero.
///
/// The share is estimated from num_sampled rows spread over the data.
///
/// \param row_at  returns the features of an instance   [num_features]
template <class RowAt>
bool has_many_zeros(const RowAt& row_at, std::size_t num_features,
                    std::size_t size, std::size_t num_sampled) {
  constexpr double kShare = 0.4;
  if (num_features * kTileSize > std::numeric_limits<std::int32_t>::max()) {
    return false;  // offsets in a tile must fit into 32 bits
  }
  const std::size_t num_rows = std::min(size, num_sampled);
  std::size_t num_zeros = 0;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const auto* const row = row_at(i * size / num_rows);
    num_zeros +=
        static_cast<std::size_t>(std::count(row, row + num_features, 0));
  }
  return static_cast<double>(num_zeros) >=
         kShare * static_cast<double>(num_rows * num_features);
}

/// Returns true if all weights are finite: zero times any of them is zero.
inline bool are_finite(const double* weights, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += weights[i] * 0.0;
  return sum == 0.0;
}

/// Lists of the features of a tile that are worth multiplying.
///
/// A term with a zero adds nothing to a sum of finite numbers, so skipping it
/// is exact. Terms are skipped if they are zero for a whole group of instances
/// (forward) or for a whole group of features (gradient), so that the others
/// use the same registers as dense terms. Neighbouring pixels are often zero
/// together.
template <typename T>
class Nonzeros {
 public:
  /// \param input    panels with num_columns columns
  /// \param columns  number of columns that contain instances
  void find(const T* input, const Panels<T>& rows, std::size_t columns,
            std::size_t num_columns) {
    rows_ = rows.rows();
    columns_ = num_columns;
    const std::size_t groups = (columns + kGroupSize - 1) / kGroupSize;
    features_.resize(groups * rows_);
    num_features_.assign(groups, 0);
    instances_.resize(rows.count() * kPanelGroups * num_columns);
    num_instances_.assign(rows.count() * kPanelGroups, 0);
    for (std::size_t p = 0; p < rows.count(); ++p) {
      const T* panel = input + Panels<T>::offset(p, num_columns);
      for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t first = g * kGroupSize;
        find_group(panel, p, first, std::min(kGroupSize, columns - first),
                   rows.vectors_of(p));
      }
    }
  }

  /// Returns the features that are nonzero in at least one instance of a group,
  /// ascending. a is the feature, b its offset in the input.
  [[nodiscard]] const Term* features(std::size_t group) const {
    return features_.data() + group * rows_;
  }
  [[nodiscard]] std::size_t num_features(std::size_t group) const {
    return num_features_[group];
  }

  /// Number of groups of features of a panel.
  static constexpr std::size_t kPanelGroups =
      (kPanelRows<T> + kGroupSize - 1) / kGroupSize;

  /// Returns the instances in which a group of features has a nonzero, ascending.
  [[nodiscard]] const InstanceTerm* instances(std::size_t panel,
                                              std::size_t group) const {
    return instances_.data() + (panel * kPanelGroups + group) * columns_;
  }
  [[nodiscard]] std::size_t num_instances(std::size_t panel,
                                          std::size_t group) const {
    return num_instances_[panel * kPanelGroups + group];
  }

 private:
  void find_group(const T* panel, std::size_t p, std::size_t first,
                  std::size_t count, std::size_t num_vectors) {
    const std::size_t g = first / kGroupSize;
    std::uint64_t any = 0;
    for (std::size_t j = first; j < first + count; ++j) {
      const std::uint64_t mask =
          nonzero_bits(panel + j * kPanelRows<T>, num_vectors);
      add_instance(p, j, mask);
      any |= mask;
    }
    Term* to = features_.data() + g * rows_ + num_features_[g];
    const std::size_t place =
        Panels<T>::offset(p, columns_) + first * kPanelRows<T>;
    for (; any != 0; any &= any - 1) {
      const std::size_t row = hwy::Num0BitsBelowLS1Bit_Nonzero64(any);
      *to++ = {static_cast<std::uint32_t>(p * kPanelRows<T> + row),
               static_cast<std::uint32_t>(place + row)};
      ++num_features_[g];
    }
  }

  /// Lists an instance for each group of features of a panel that is not zero.
  void add_instance(std::size_t p, std::size_t j, std::uint64_t mask) {
    constexpr std::uint64_t kGroup = (std::uint64_t{1} << kGroupSize) - 1;
    static_assert(kTileSize * kPanelRows<T> <=
                  std::numeric_limits<InstanceTerm>::max());
    for (std::size_t g = p * kPanelGroups; mask != 0; ++g) {
      instances_[g * columns_ + num_instances_[g]] =
          static_cast<InstanceTerm>(j * kPanelRows<T>);
      num_instances_[g] += (mask & kGroup) != 0;
      mask >>= kGroupSize;
    }
  }

  /// Returns one bit per row of a column, set if the row is not zero. NaN is
  /// not zero.
  static std::uint64_t nonzero_bits(const T* column, std::size_t num_vectors) {
    const Tag<T> d;
    std::uint64_t bits = 0;
    for (std::size_t v = 0; v < num_vectors; ++v) {
      const auto x = hn::Load(d, column + v * kLanes<T>);
      std::uint8_t mask[8] = {};
      // Ne() cannot be used: with AVX it is false for NaN.
      hn::StoreMaskBits(d, hn::Not(hn::Eq(x, hn::Zero(d))), mask);
      std::uint64_t word = 0;
      std::memcpy(&word, mask, sizeof(word));
      bits |= word << (v * kLanes<T>);
    }
    return bits;
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<Term> features_;
  std::vector<std::size_t> num_features_;
  std::vector<InstanceTerm> instances_;
  std::vector<std::size_t> num_instances_;
};

/// Returns where the factors of a term are.
template <std::size_t kA, typename T>
HWY_INLINE std::pair<const T*, const T*> factors_of(const T* a, const T* b,
                                                    const Term& term) {
  return {a + term.a * kA, b + term.b};
}
template <std::size_t kA, typename T>
HWY_INLINE std::pair<const T*, const T*> factors_of(const T* a, const T* b,
                                                    InstanceTerm term) {
  return {a + term, b + term};
}

/// Computes multiply_tile() over listed terms.
template <std::size_t kVectors, std::size_t kColumns, Start kStart, Over kOver,
          typename T, typename ListedTerm>
HWY_INLINE void multiply_listed_tile(const Product<T>& p,
                                     const ListedTerm* terms,
                                     std::size_t num_terms, std::size_t j) {
  using S = Strides<T, kVectors, kOver>;
  using Lanes = hn::Vec<Tag<T>>;
  const Tag<T> d;
  Lanes sum[kColumns][kVectors];
  T* c = p.c + j * kPanelRows<T>;
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const T* start =
          kStart == Start::kColumn ? p.column : c + n * kPanelRows<T>;
      sum[n][v] = kStart == Start::kZero ? hn::Zero(d)
                                         : hn::Load(d, start + v * kLanes<T>);
    }
  }
  const T* b_column = p.b + j * S::b_column(p);
  for (std::size_t t = 0; t < num_terms; ++t) {
    const auto [a, b] = factors_of<S::kA>(p.a, b_column, terms[t]);
    Lanes left[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      left[v] = load_shared(d, a + v * kLanes<T>);
    }
    for (std::size_t n = 0; n < kColumns; ++n) {
      const Lanes right = hn::Set(d, b[n * S::b_column(p)]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[n][v] = hn::MulAdd(left[v], right, sum[n][v]);
      }
    }
  }
  for (std::size_t n = 0; n < kColumns; ++n) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[n][v], d, c + n * kPanelRows<T> + v * kLanes<T>);
    }
  }
}

/// Computes multiply_columns() over listed terms.
template <std::size_t kVectors, Start kStart, Over kOver, typename T,
          typename ListedTerm>
HWY_NOINLINE void multiply_listed_columns(const Product<T>& p,
                                          const ListedTerm* terms,
                                          std::size_t num_terms,
                                          std::size_t num_columns) {
  constexpr std::size_t kColumns = columns_of(kVectors);
  std::size_t j = 0;
  for (; j + kColumns <= num_columns; j += kColumns) {
    multiply_listed_tile<kVectors, kColumns, kStart, kOver>(p, terms, num_terms,
                                                            j);
  }
  if (j + kGroupSize <= num_columns) {
    multiply_listed_tile<kVectors, kGroupSize, kStart, kOver>(p, terms,
                                                              num_terms, j);
    j += kGroupSize;
  }
  for (; j < num_columns; ++j) {
    multiply_listed_tile<kVectors, 1, kStart, kOver>(p, terms, num_terms, j);
  }
}

/// Computes multiply_panel() over listed terms.
template <Start kStart, Over kOver, typename T, typename ListedTerm>
HWY_INLINE void multiply_listed(const Product<T>& p, std::size_t num_vectors,
                                const ListedTerm* terms, std::size_t num_terms,
                                std::size_t num_columns) {
  if (num_vectors == 3) {
    multiply_listed_columns<3, kStart, kOver>(p, terms, num_terms, num_columns);
  } else if (num_vectors == 2) {
    multiply_listed_columns<2, kStart, kOver>(p, terms, num_terms, num_columns);
  } else {
    multiply_listed_columns<1, kStart, kOver>(p, terms, num_terms, num_columns);
  }
}

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
