// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/number_text.hpp"
#include "../../core/sha256.hpp"
#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../distributed/allreduce.hpp"
#include "../../distributed/exact_sum.hpp"
#include "../../optim/objective.hpp"
#include "../exchange/rank_agreement.hpp"
#include "../instances/block_weights.hpp"
#include "../instances/instance_weights.hpp"
#include "../instances/prepared_instances.hpp"
#include "../instances/rank_partition.hpp"
#include "../instances/slices.hpp"
#include "../instances/training_instances.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "training_fingerprint.hpp"
#include "training_memory.hpp"

namespace mlp {

/// How many slices the instances of all ranks are cut into in a reproducible
/// training: at most this many ranks have instances.
[[nodiscard]] inline Index count_slices(const Topology& topology,
                                        const FitOptions& options,
                                        bool has_mini_batches,
                                        Index num_instances) {
  const Index num_units = (num_instances + Slices::kUnit - 1) / Slices::kUnit;
  return has_mini_batches || options.backend->shares_gradient(topology)
             ? std::min(Slices::kSharedSlices, num_units)
             : Slices::count(num_instances, topology.num_weights());
}

/// Refuses mini-batches that are evaluated in pieces, by rank or by slice, if the
/// network needs them whole.
///
/// \throws ParamError for batch normalisation, whose mean and variance would be
///         those of a piece
inline void check_can_be_cut(const Topology& topology) {
  if (topology.num_statistics() == 0) return;
  throw ParamError("batchNorm",
                   "must be off with reproducible, and if several ranks train "
                   "by mini-batches; got a network with batch normalisation, "
                   "which needs the statistics of a whole mini-batch; train it "
                   "on one rank, without reproducible");
}

/// The instances that this rank trains on, and their position in the instances
/// of all ranks. The ranks agree on all of it before the first sum of a
/// training.
class RankInstances {
 public:
  /// \param given    the instances of this rank, with rows; must outlive this
  ///                 object
  /// \param options  with an allreduce; must outlive this object
  /// \throws as PreparedInstances; ShapeError if the partitions are not those of
  ///         all ranks; CommunicationError if another rank cannot train, or was
  ///         given other options
  RankInstances(TrainingInstances& given, const Topology& topology,
                const Params& params, const FitOptions& options)
      : params_(params),
        distribution_(options.distribution),
        summation_(summation_of(distribution_)) {
    const datasets::Dataset& data = given.data();
    const TrainingSize size{data.num_instances(), given.store() != nullptr};
    if (has_other_ranks()) {
      agree_with_others(data, size, topology, options);
    } else {
      check_distribution(distribution_);
      check_training_memory(topology, params, options, size);
      instances_.emplace(data, topology, params, false, scale_of(options));
      sizes_ = {data.num_instances()};
    }
    instances_->set_store(given.store());
    partition_ = RankPartition::of_rank(allreduce().rank(), sizes_);
    if (partition_.num_instances == 0) {
      throw DataError("training needs at least 1 instance; all ranks have 0");
    }
    const bool is_full_batch = !has_mini_batches(params.solver);
    if (is_full_batch || summation_ != Summation::kOwn) {
      partition_sizes_ = detail::check_partitions(distribution_.partition_sizes,
                                                  partition_.num_instances);
    }
    if (summation_ == Summation::kExact) cut_slices(topology, options);
    if (!is_full_batch && summation_ != Summation::kOwn) {
      check_can_be_cut(topology);
    }
    add_weights(data.source);
  }

  /// The instances of this rank, with their own weights or none.
  [[nodiscard]] InstanceRange range() const { return instances_->range(); }

  /// Which of the instances of all ranks range() is.
  [[nodiscard]] const RankPartition& partition() const { return partition_; }

  [[nodiscard]] distributed::Allreduce& allreduce() const {
    return *distribution_.allreduce;
  }

  /// True if this rank cannot stop without telling others.
  [[nodiscard]] bool has_other_ranks() const {
    return allreduce().world_size() > 1;
  }

  [[nodiscard]] Summation summation() const { return summation_; }

  /// The slices of this rank with Summation::kExact; otherwise none.
  [[nodiscard]] const std::optional<Slices>& slices() const { return slices_; }

  /// What each instance of this rank weighs in the objective: its share of the sum
  /// of the weights of all ranks, or without weights, Spark's mean over blocks.
  ///
  /// \return [range().size], sums to 1 over all ranks
  /// \pre a solver that sees all instances at once
  [[nodiscard]] Vector objective_weights() const {
    if (weight_sum_) return instances_->weights() / *weight_sum_;
    Vector of_all = block_weights(partition_sizes_, params_.block_size);
    if (range().size == of_all.size()) return of_all;
    return of_all.segment(partition_.first, range().size);
  }

  /// Computes means over the instances of all ranks, by their weights.
  ///
  /// \param count     how many means
  /// \param means_of  means_of(instances) returns them over an InstanceRange, by
  ///                  the weights of its own   [count]; may throw
  ///                  optim::Interrupted
  /// \throws optim::Interrupted on all ranks if means_of throws it on one
  template <typename MeansOf>
  [[nodiscard]] Vector means(Index count, const MeansOf& means_of,
                             const Topology& topology) const {
    if (summation_ == Summation::kOwn) return means_of(range());
    distributed::ExactSum sum(count + 1, 2);
    Vector terms(count + 1);
    allreduce().announce("start", 1);
    const auto add_slices = [&] {
      double largest = 0.0;
      for_each_slice([&](Index begin, Index size) {
        const InstanceRange slice = range().slice(
            begin, size, topology.num_features(), topology.num_classes());
        const double weight = slice.weight_sum();
        if (weight == 0.0) return;
        terms << weight * means_of(slice), weight;
        largest = std::max(largest, sum.add(0, terms.data(), count + 1));
      });
      return largest;
    };
    distributed::sum_over_ranks(allreduce(), sum, [&] {
      try {
        return add_slices();
      } catch (const optim::Interrupted&) {
        sum.plain()[0] = 1.0;
        return 0.0;
      }
    });
    if (sum.plain()[0] > 0.0) throw optim::Interrupted();
    sum.read(0, terms.data(), count + 1);
    return terms.head(count) / terms[count];
  }

  /// Computes one mean, as means() does.
  template <typename MeanOf>
  [[nodiscard]] double mean(const MeanOf& mean_of,
                            const Topology& topology) const {
    const auto means_of = [&](const InstanceRange& instances) {
      return Vector(Vector::Constant(1, mean_of(instances)));
    };
    return means(1, means_of, topology)[0];
  }

 private:
  static const LabelScale* scale_of(const FitOptions& options) {
    return options.label_scale ? &*options.label_scale : nullptr;
  }

  /// Sends the report of this rank to the others, so that all of them begin or
  /// none does.
  void agree_with_others(const datasets::Dataset& data,
                         const TrainingSize& size, const Topology& topology,
                         const FitOptions& options) {
    RankReport report;
    std::exception_ptr refusal;
    try {
      check_distribution(distribution_);
      check_training_memory(topology, params_, options, size);
      report.facts = facts(params_, options);
      report.num_instances = data.num_instances();
      if (report.num_instances > 0) report.columns = column_facts(data);
      instances_.emplace(data, topology, params_, true, scale_of(options));
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
  }

  /// Calls f(begin, size) for each slice of this rank, or once for all its instances
  /// if it has no slices.
  template <typename F>
  void for_each_slice(const F& f) const {
    const Slices slices = slices_ ? *slices_ : Slices(range().size, 1);
    for (Index slice = 0; slice < slices.size(); ++slice) {
      const Index begin = slices.begin(slice);
      f(begin, slices.begin(slice + 1) - begin);
    }
  }

  /// Checks the partitions of all ranks on each, so that all refuse or none does.
  void cut_slices(const Topology& topology, const FitOptions& options) {
    const Index num_slices =
        count_slices(topology, options, has_mini_batches(params_.solver),
                     partition_.num_instances);
    for (int rank = 0; rank < allreduce().world_size(); ++rank) {
      const Slices slices =
          RankPartition::of_rank(rank, sizes_)
              .slices(rank, sizes_[static_cast<std::size_t>(rank)], num_slices);
      if (rank == allreduce().rank()) slices_ = slices;
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
    lines += "\ncheckpoint " + sha256_hex(options.checkpoint.state) + '\n';
    return lines;
  }

  /// Sums the weights of the instances of all ranks, if they have any.
  void add_weights(const std::string& source) {
    const Vector& weights = instances_->weights();
    const bool is_weighted = weights.size() > 0;
    if (summation_ == Summation::kOwn) {
      if (is_weighted) weight_sum_ = weights.sum();
      return;
    }
    distributed::ExactSum sum(1, 3);
    allreduce().announce("weights", 1);
    distributed::sum_over_ranks(allreduce(), sum, [&] {
      sum.plain()[0] = is_weighted ? 1.0 : 0.0;
      sum.plain()[1] = range().size > 0 ? 1.0 : 0.0;
      double largest = 0.0;
      for_each_slice([&](Index begin, Index size) {
        const double of_slice =
            is_weighted ? weights.segment(begin, size).sum() : 0.0;
        largest = std::max(largest, sum.add(0, &of_slice, 1));
      });
      return largest;
    });
    if (sum.plain()[0] == 0.0) return;
    if (sum.plain()[0] != sum.plain()[1]) {
      throw DataError(source,
                      "either the instances of all ranks or of no rank must "
                      "have weights; " +
                          format_double(sum.plain()[0]) + " of " +
                          format_double(sum.plain()[1]) + " ranks have them");
    }
    weight_sum_.emplace();
    sum.read(0, &*weight_sum_, 1);
    check_weight_sum(*weight_sum_, source);
  }

  const Params& params_;
  const Distribution& distribution_;
  Summation summation_;
  std::optional<PreparedInstances> instances_;
  std::vector<Index> sizes_;  // instances of each rank   [world_size]
  RankPartition partition_;
  std::optional<Slices> slices_;        // of this rank
  std::optional<double> weight_sum_;    // of all ranks, if they have weights
  std::vector<Index> partition_sizes_;  // of all ranks
};

}  // namespace mlp
