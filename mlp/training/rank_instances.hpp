// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/sha256.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../distributed/exact_sum.hpp"
#include "../exchange/rank_agreement.hpp"
#include "../instances/block_weights.hpp"
#include "../instances/instance_share.hpp"
#include "../instances/instance_weights.hpp"
#include "../instances/leaves.hpp"
#include "../instances/training_instances.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "training_fingerprint.hpp"

namespace mlp {

/// True where the backend shares one gradient among its threads instead of one for
/// each leaf.
[[nodiscard]] inline bool shares_gradient(const Topology& topology,
                                          const FitOptions& options) {
  return options.backend->make_evaluator(topology, options.precision)
      ->shares_gradient();
}

/// How many leaves the instances of all ranks are cut into in a reproducible
/// training, and so how many ranks can share them.
[[nodiscard]] inline Index count_leaves(const Topology& topology,
                                        const FitOptions& options,
                                        bool has_mini_batches,
                                        Index num_instances) {
  const Index num_units = (num_instances + Leaves::kUnit - 1) / Leaves::kUnit;
  return has_mini_batches || shares_gradient(topology, options)
             ? std::min(Leaves::kSharedLeaves, num_units)
             : Leaves::count(num_instances, topology.num_weights());
}

/// Refuses what ranks cannot share in a training by mini-batches.
///
/// \throws ParamError for batch normalisation, whose mean and variance would be
///         those of one rank's instances
inline void check_distributable(const Topology& topology) {
  if (topology.num_statistics() == 0) return;
  throw ParamError(
      "batchNorm must be off where several ranks train by mini-batches; got "
      "a network with batch normalisation, whose statistics are those of a "
      "whole mini-batch; train it on one rank");
}

/// The instances that this rank trains on, and where they lie among those of all
/// ranks. All of it is agreed upon before the first sum of a training.
class RankInstances {
 public:
  /// \param data     must outlive this object; the own instances
  /// \param options  with an allreduce; must outlive this object
  /// \throws as TrainingInstances; CommunicationError where another rank cannot
  ///         train, or was given something else
  RankInstances(const datasets::Dataset& data, const Topology& topology,
                const Params& params, const FitOptions& options)
      : params_(params), distribution_(options.distribution) {
    RankReport report;
    std::exception_ptr refusal;
    try {
      check_distribution(distribution_);
      report.facts = facts(params, options);
      report.num_instances = data.num_instances();
      instances_.emplace(data, topology, params, true);
    } catch (const std::exception& error) {
      report.refusal = error.what();
      refusal = std::current_exception();
    }
    try {
      sizes_ = agree(allreduce(), report);
    } catch (const CommunicationError&) {
      if (refusal) std::rethrow_exception(refusal);
      throw;
    }
    part_ = InstanceShare::of_rank(allreduce().rank(), sizes_);
    if (part_.num_instances == 0) {
      throw DataError("training needs at least 1 instance; all ranks have 0");
    }
    partition_sizes_ = detail::check_partitions(distribution_.partition_sizes,
                                                part_.num_instances);
    if (distribution_.is_reproducible) cut_leaves(topology, options);
    if (has_mini_batches(params.solver)) check_distributable(topology);
    add_weights(data.source);
  }

  /// The own instances, with their own weights or none.
  [[nodiscard]] const InstanceRange& range() const {
    return instances_->range();
  }

  [[nodiscard]] const InstanceShare& part() const { return part_; }

  [[nodiscard]] distributed::Allreduce& allreduce() const {
    return *distribution_.allreduce;
  }

  /// The own leaves of a reproducible training; none of any other.
  [[nodiscard]] const std::optional<Leaves>& leaves() const { return leaves_; }

  /// What each own instance weighs in the objective: objective_weights() of all
  /// ranks   [range().size]
  [[nodiscard]] Vector objective_weights() const {
    if (weight_sum_) return instances_->weights() / *weight_sum_;
    return block_weights(partition_sizes_, params_.block_size)
        .segment(part_.first, range().size);
  }

  /// Computes the mean over the instances of all ranks, by their weights; over the
  /// ranks, or exactly over the leaves where the training is reproducible.
  ///
  /// \param mean_of  mean_of(instances) computes it over an InstanceRange, by the
  ///                 weights of its own
  template <typename MeanOf>
  [[nodiscard]] double mean(const MeanOf& mean_of,
                            const Topology& topology) const {
    distributed::ExactSum sum(2, 1);
    allreduce().announce("start", 1);
    distributed::sum_over_ranks(allreduce(), sum, [&] {
      double largest = 0.0;
      for_each_leaf([&](Index begin, Index size) {
        const InstanceRange leaf = range().slice(
            begin, size, topology.num_features(), topology.num_classes());
        const double weight = leaf.weight_sum();
        if (weight == 0.0) return;
        const std::array<double, 2> terms{weight * mean_of(leaf), weight};
        largest = std::max(largest, sum.add(0, terms.data(), 2));
      });
      return largest;
    });
    std::array<double, 2> sums{};
    sum.read(0, sums.data(), 2);
    return sums[0] / sums[1];
  }

 private:
  /// Calls f(begin, size) for the own leaves, or for all own instances at once.
  template <typename F>
  void for_each_leaf(const F& f) const {
    const Leaves leaves = leaves_ ? *leaves_ : Leaves(range().size, 1);
    for (Index leaf = 0; leaf < leaves.size(); ++leaf) {
      const Index begin = leaves.begin(leaf);
      f(begin, leaves.begin(leaf + 1) - begin);
    }
  }

  /// Checks the parts of all ranks on each, so that all refuse or none does.
  void cut_leaves(const Topology& topology, const FitOptions& options) {
    const Index num_leaves =
        count_leaves(topology, options, has_mini_batches(params_.solver),
                     part_.num_instances);
    for (int rank = 0; rank < allreduce().world_size(); ++rank) {
      const Leaves leaves =
          InstanceShare::of_rank(rank, sizes_)
              .leaves(rank, sizes_[static_cast<std::size_t>(rank)], num_leaves);
      if (rank == allreduce().rank()) leaves_ = leaves;
    }
  }

  static std::string facts(const Params& params, const FitOptions& options) {
    std::string lines = training_facts(params, options, false);
    const Distribution& distribution = options.distribution;
    lines += "partitions " + format_list(distribution.partition_sizes);
    lines += "\nexchange " + format_exchange_plan(distribution.plan);
    lines += "\nautotune ";
    lines += !distribution.is_autotuned         ? "false"
             : distribution.may_round_gradients ? "with rounding"
                                                : "true";
    lines += "\nstate " + sha256_hex(options.checkpoint.state) + '\n';
    return lines;
  }

  /// Sums the weights of the instances of all ranks, where they have any.
  void add_weights(const std::string& source) {
    const Vector& weights = instances_->weights();
    const bool is_weighted = weights.size() > 0;
    distributed::ExactSum sum(1, 3);
    allreduce().announce("weights", 1);
    distributed::sum_over_ranks(allreduce(), sum, [&] {
      sum.plain()[0] = is_weighted ? 1.0 : 0.0;
      sum.plain()[1] = range().size > 0 ? 1.0 : 0.0;
      double largest = 0.0;
      for_each_leaf([&](Index begin, Index size) {
        const double of_leaf =
            is_weighted ? weights.segment(begin, size).sum() : 0.0;
        largest = std::max(largest, sum.add(0, &of_leaf, 1));
      });
      return largest;
    });
    if (sum.plain()[0] == 0.0) return;
    if (sum.plain()[0] != sum.plain()[1]) {
      throw DataError(source,
                      "the instances of all ranks must have weights, or those "
                      "of none; " +
                          format_double(sum.plain()[0]) + " of " +
                          format_double(sum.plain()[1]) + " ranks have them");
    }
    weight_sum_.emplace();
    sum.read(0, &*weight_sum_, 1);
    if (*weight_sum_ > 0.0) return;
    check_weight_sum(Vector::Zero(1), source);
  }

  const Params& params_;
  const Distribution& distribution_;
  std::optional<TrainingInstances> instances_;
  std::vector<Index> sizes_;  // instances   [world_size]
  InstanceShare part_;
  std::optional<Leaves> leaves_;        // own, where reproducible
  std::vector<Index> partition_sizes_;  // of all ranks
  std::optional<double> weight_sum_;    // of all ranks, where they have weights
};

}  // namespace mlp
