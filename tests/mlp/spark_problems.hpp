// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"

// The problems on which Spark's own tests and documents train.

namespace mlp::testing {

/// Rows of features followed by the label.
inline datasets::Dataset make_dataset(
    std::initializer_list<std::initializer_list<double>> rows) {
  datasets::Dataset data;
  const auto width = static_cast<Index>(rows.begin()->size());
  const auto count = static_cast<Index>(rows.size());
  data.features.resize(width - 1, count);
  data.labels.resize(count);
  Index i = 0;
  for (const auto& row : rows) {
    Index j = 0;
    for (const double value : row) {
      if (j + 1 < width) {
        data.features(j++, i) = value;
      } else {
        data.labels[i] = value;
      }
    }
    ++i;
  }
  return data;
}

inline datasets::Dataset make_xor() {
  return make_dataset({{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}});
}

/// Two of the four rows are equal with different labels.
inline datasets::Dataset make_calibration() {
  return make_dataset(
      {{1, 2, 3, 4, 0}, {4, 3, 2, 1, 1}, {1, 1, 1, 1, 0}, {1, 1, 1, 1, 1}});
}

/// java.util.Random: the linear congruential generator of 48 bits.
class JavaRandom {
 public:
  explicit JavaRandom(std::uint64_t seed)
      : state_((seed ^ kMultiplier) & kMask) {}

  double next_double() {
    const std::uint64_t high = next(26);
    return static_cast<double>((high << 27) + next(27)) * 0x1.0p-53;
  }

  /// Marsaglia's polar method, which makes two at a time.
  double next_gaussian() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double x = 0.0;
    double y = 0.0;
    double s = 0.0;
    do {
      x = 2.0 * next_double() - 1.0;
      y = 2.0 * next_double() - 1.0;
      s = x * x + y * y;
    } while (s >= 1.0 || s == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(s) / s);
    spare_ = y * factor;
    has_spare_ = true;
    return x * factor;
  }

 private:
  std::uint64_t next(unsigned bits) {
    state_ = (state_ * kMultiplier + 0xB) & kMask;
    return state_ >> (48 - bits);
  }

  static constexpr std::uint64_t kMultiplier = 0x5DEECE66DULL;
  static constexpr std::uint64_t kMask = (std::uint64_t{1} << 48) - 1;

  std::uint64_t state_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

/// The label of one generated row: drawn from the softmax of linear margins.
inline double draw_multinomial_label(const Eigen::Vector4d& x,
                                     JavaRandom& random) {
  constexpr double kCoefficients[2][5] = {
      {-0.57997, 0.912083, -0.371077, -0.819866, 2.688191},
      {-0.16624, -0.84355, -0.048509, -0.301789, 4.170682}};
  Eigen::Vector3d margin = Eigen::Vector3d::Zero();
  for (int c = 0; c < 2; ++c) {
    for (int j = 0; j < 4; ++j) margin[c + 1] += kCoefficients[c][j] * x[j];
    margin[c + 1] += kCoefficients[c][4];
  }
  if (margin.maxCoeff() > 0.0) margin.array() -= margin.maxCoeff();
  const Eigen::Vector3d probability = margin.array().exp();
  const double sum = probability[0] + probability[1] + probability[2];
  const double draw = random.next_double();
  double bound = 0.0;
  for (int c = 0; c < 3; ++c) {
    bound += probability[c] / sum;
    if (draw < bound) return c;
  }
  return 0.0;
}

/// The 1,000 rows of Spark's test with two hidden layers.
///
/// \source Spark LogisticRegressionSuite, generateMultinomialLogisticInput
inline datasets::Dataset make_multinomial() {
  constexpr Index kCount = 1000;
  const Eigen::Vector4d mean(5.843, 3.057, 3.758, 1.199);
  const Eigen::Vector4d variance(0.6856, 0.1899, 3.116, 0.581);
  JavaRandom random(1);
  datasets::Dataset data;
  data.features.resize(4, kCount);
  data.labels.resize(kCount);
  for (Index i = 0; i < kCount; ++i) {
    for (Index j = 0; j < 4; ++j) {
      data.features(j, i) =
          random.next_gaussian() * std::sqrt(variance[j]) + mean[j];
    }
  }
  for (Index i = 0; i < kCount; ++i) {
    data.labels[i] = draw_multinomial_label(data.features.col(i), random);
  }
  return data;
}

}  // namespace mlp::testing
