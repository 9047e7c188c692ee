// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../core/error.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"
#include "dataset.hpp"
#include "reading/limits.hpp"
#include "reading/quoted.hpp"

namespace mlp::datasets {

namespace detail {

/// Returns why numbers cannot be the edges of bins, with the place of the first wrong
/// one; nothing if they can. Completes "edges must be ...".
inline std::optional<std::pair<std::size_t, std::string>> find_edge_problem(
    const std::vector<double>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!std::isfinite(edges[i])) {
      return {{i, "finite; got " + format_double(edges[i])}};
    }
    if (i == 0) continue;
    const std::string got =
        format_double(edges[i]) + " after " + format_double(edges[i - 1]);
    if (edges[i] <= edges[i - 1]) return {{i, "increasing; got " + got}};
    if (!std::isfinite(edges[i] - edges[i - 1])) {
      return {{i, "less than 1.8e308 apart; got " + got}};
    }
  }
  return std::nullopt;
}

/// Returns the different quantiles at 0, 1 / num_bins, ..., 1 of numbers by their
/// weights. The quantile at q is the smallest number to which at least the share q of
/// the weights belongs, so integer weights count as copies.
///
/// \param numbers  pairs of a finite number and its weight > 0; they are sorted
inline std::vector<double> quantiles_of(
    std::vector<std::pair<double, double>>& numbers, Index num_bins) {
  // Equal numbers are sorted by their weights: the sum has then the same bits in
  // every order of the instances.
  std::sort(numbers.begin(), numbers.end());
  double total = 0.0;
  for (const auto& [number, weight] : numbers) total += weight;
  std::vector<double> quantiles;
  const auto add = [&](double number) {
    if (quantiles.empty() || quantiles.back() < number) {
      quantiles.push_back(number);
    }
  };
  double sum = 0.0;
  Index bin = 0;
  for (const auto& [number, weight] : numbers) {
    sum += weight;
    for (; static_cast<double>(bin) / static_cast<double>(num_bins) <=
               sum / total &&
           bin < num_bins;
         ++bin) {
      add(number);
    }
  }
  if (!numbers.empty()) add(numbers.back().first);
  return quantiles;
}

}  // namespace detail

/// Encodes each number x as itself and, for bins with edges b_0 < ... < b_T, as
/// T numbers clip((x - b_{t-1}) / (b_t - b_{t-1}), 0, 1).
///
/// A network of such numbers can bend at each edge. The values of an instance are its
/// features, as they are, and then the bins of the first feature that has bins, of the
/// second, and so on. A feature without edges is linear: it has no bins.
///
/// \source Gorishniy, Rubachev, Babenko 2022, On Embeddings for Numerical Features in
///         Tabular Deep Learning, section 3.2, with the quantiles of section 3.2.1
class QuantileEncoder {
 public:
  using Edges = std::vector<double>;

  /// \param num_bins  the most bins of a feature that were asked for
  /// \param edges     of each feature; empty if it is linear   [num_features]
  /// \throws ParamError for one edge, more than num_bins bins, or edges that are not
  ///         finite and increasing
  QuantileEncoder(Index num_bins, std::vector<Edges> edges)
      : num_bins_(num_bins), edges_(std::move(edges)) {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      check_edges(i);
      for (std::size_t t = 1; t < edges_[i].size(); ++t) {
        bins_.push_back({static_cast<Index>(i), edges_[i][t - 1],
                         edges_[i][t] - edges_[i][t - 1]});
      }
    }
  }

  /// Finds the edges: the quantiles of the instances by their weights. An instance of
  /// weight 2 counts as two equal instances, and one of weight 0 not at all. Labels
  /// are not read. A feature with fewer than three different quantiles stays linear,
  /// because one bin says nothing else: a constant, and a column of 0 and 1.
  ///
  /// \param data  weights >= 0 and not all 0, or none
  /// \throws DataError naming the first feature that is not finite, or whose numbers
  ///         are so far apart that their difference is not finite
  /// \cost   a sort of each feature, one after the other
  [[nodiscard]] static QuantileEncoder fit(const Dataset& data,
                                           Index num_bins) {
    std::vector<Edges> edges;
    std::vector<std::pair<double, double>> numbers;
    data.visit_columns([&](Index i, const auto& values) {
      numbers.clear();
      for (Index j = 0; j < values.size(); ++j) {
        const double weight = data.weights.size() == 0 ? 1.0 : data.weights[j];
        require_finite(data, i, j, values[j]);
        // The sum is 0 for -0, which would make another edge of equal numbers.
        if (weight > 0.0) numbers.emplace_back(values[j] + 0.0, weight);
      }
      edges.push_back(detail::quantiles_of(numbers, num_bins));
      if (edges.back().size() < kLeastQuantiles) edges.back().clear();
      require_near(data, i, edges.back());
    });
    return QuantileEncoder(num_bins, std::move(edges));
  }

  [[nodiscard]] Index num_features() const {
    return static_cast<Index>(edges_.size());
  }

  /// Returns the number of values of an instance, the inputs of a network.
  [[nodiscard]] Index num_values() const {
    return num_features() + static_cast<Index>(bins_.size());
  }

  /// Returns the most bins of a feature that were asked for.
  [[nodiscard]] Index num_bins() const { return num_bins_; }

  /// Returns the edges of each feature; empty if it is linear   [num_features]
  [[nodiscard]] const std::vector<Edges>& edges() const { return edges_; }

  /// Encodes instances that lie one after another in memory. Values are computed in
  /// double precision; a number that is NaN gives values that are NaN.
  ///
  /// \tparam     Number    double or float
  /// \param      features  [num_features x num_instances]
  /// \param[out] values    [num_values x num_instances], not the features
  template <typename Number>
  void encode(const Number* features, Index num_instances,
              double* values) const {
    for (Index j = 0; j < num_instances; ++j) {
      for (Index i = 0; i < num_features(); ++i) {
        values[i] = static_cast<double>(features[i]);
      }
      double* value = values + num_features();
      for (const Bin& bin : bins_) {
        const double x = static_cast<double>(features[bin.feature]);
        const double share = (x - bin.begin) / bin.width;
        *value++ = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
      }
      features += num_features();
      values += num_values();
    }
  }

  /// \param features  [num_features x num_instances]
  /// \return [num_values x num_instances]
  /// \throws ShapeError if the number of features differs
  [[nodiscard]] Matrix encode(const ConstMatrixRef& features) const {
    check_width(features.rows());
    Matrix values(num_values(), features.cols());
    for (Index j = 0; j < features.cols(); ++j) {
      encode(features.col(j).data(), 1, values.col(j).data());
    }
    return values;
  }

  /// Replaces the features of a dataset by their values. The names of the features stay
  /// those of the table.
  ///
  /// \throws ShapeError if the number of features differs; DataError, ResourceError if
  ///         the values are too many or do not fit in the memory
  void encode(Dataset& data) const {
    check_width(data.num_features());
    data.compute_features(
        {num_values(),
         [encoder = *this](const Matrix& from, Eigen::Ref<Matrix> to) {
           for (Index j = 0; j < from.cols(); ++j) {
             encoder.encode(from.col(j).data(), 1, to.col(j).data());
           }
         }});
  }

 private:
  static constexpr std::size_t kLeastQuantiles = 3;

  /// One bin: its values are (x - begin) / width from 0 to 1.
  struct Bin {
    Index feature = 0;
    double begin = 0.0;
    double width = 1.0;
  };

  void check_edges(std::size_t feature) const {
    const Edges& edges = edges_[feature];
    const auto refuse = [&](const std::string& rule) {
      throw ParamError("edges", "of feature " + std::to_string(feature) +
                                    " must be " + rule);
    };
    if (edges.size() == 1 || static_cast<Index>(edges.size()) > num_bins_ + 1) {
      refuse("none, or 2 to " + std::to_string(num_bins_ + 1) +
             " numbers; got " + std::to_string(edges.size()));
    }
    const auto problem = detail::find_edge_problem(edges);
    if (problem) refuse(problem->second);
  }

  void check_width(Index width) const {
    if (width == num_features()) return;
    throw ShapeError("features must have " + std::to_string(num_features()) +
                     " rows as the numeric encoding has, got " +
                     std::to_string(width));
  }

  /// "3 ('age')"
  static std::string name_of(const Dataset& data, Index feature) {
    const auto at = static_cast<std::size_t>(feature);
    std::string name = std::to_string(feature);
    if (at < data.feature_names.size()) {
      name += " (" + in_quotes(data.feature_names[at]) + ')';
    }
    return name;
  }

  static void require_finite(const Dataset& data, Index feature, Index instance,
                             double number) {
    if (std::isfinite(number)) return;
    const InstancePlace place = data.place_of(instance);
    throw DataError(place.file, place.position,
                    "features must be finite; feature " +
                        std::to_string(feature) + " of instance " +
                        std::to_string(instance) + " is " +
                        format_double(number));
  }

  static void require_near(const Dataset& data, Index feature,
                           const Edges& edges) {
    const auto problem = detail::find_edge_problem(edges);
    if (!problem) return;
    throw DataError(data.source,
                    "quantiles of feature " + name_of(data, feature) +
                        " must be " + problem->second +
                        "; scale it, or train with numericEncoding linear");
  }

  Index num_bins_;
  std::vector<Edges> edges_;
  std::vector<Bin> bins_;
};

}  // namespace mlp::datasets
