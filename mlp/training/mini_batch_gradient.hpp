// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../distributed/exact_sum.hpp"
#include "../../distributed/timeline.hpp"
#include "../../optim/objective.hpp"
#include "../backend/backend.hpp"
#include "../backend/batch_evaluator.hpp"
#include "../exchange/distribution.hpp"
#include "../exchange/exchange_tuner.hpp"
#include "../exchange/gradient_sender.hpp"
#include "../exchange/rank_status.hpp"
#include "../instances/feature_store.hpp"
#include "../instances/instance_range.hpp"
#include "../objective/weight_ranges.hpp"
#include "batch_read_ahead.hpp"
#include "mini_batch_order.hpp"
#include "training_run.hpp"

namespace mlp {

/// A step of a training by mini-batches, the same on all ranks.
struct MiniBatchStep {
  std::int64_t number = 0;  ///< counted over all epochs, from 0 on

  /// Positions in the instances of all ranks.
  std::span<const Index> instances;

  std::uint64_t dropout_seed = 0;

  /// The mini-batch, and the instances of the others behind it in its epoch.
  std::span<const Index> rest = {};
};

/// Returns the mini-batches of a training, the same on all ranks.
[[nodiscard]] inline MiniBatchOrder batch_order(const TrainingRun& run) {
  const Params& params = run.params;
  const Index num_instances = run.instances.partition().num_instances;
  BatchShuffle shuffle{!params.in_order, 0};
  if (params.shuffle == Shuffle::kSlabs) {
    shuffle.slab = slab_size(run.topology.num_features(), num_instances);
  }
  return {num_instances, params.batch_size,
          run.topology.num_statistics() > 0 ? 2 : 1, params.seed, shuffle};
}

/// The instances of a mini-batch that are in a range of one rank's instances.
class MiniBatchPartition {
 public:
  /// \param first  of the run in the instances of all ranks
  /// \param size   of the run
  /// \param own    where the instances of the rank begin
  void choose(const MiniBatchStep& step, Index first, Index size, Index own) {
    instances_.clear();
    places_.clear();
    for (std::size_t j = 0; j < step.instances.size(); ++j) {
      const Index i = step.instances[j];
      if (i < first || i >= first + size) continue;
      instances_.push_back(i - own);
      places_.push_back(static_cast<Index>(j));
    }
  }

  [[nodiscard]] bool empty() const { return instances_.empty(); }

  [[nodiscard]] const std::vector<Index>& instances() const {
    return instances_;
  }

  /// The partition as an evaluator takes it. The divisor is the size of the whole
  /// mini-batch.
  [[nodiscard]] MiniBatch batch(const MiniBatchStep& step) const {
    MiniBatch batch{instances_, step.dropout_seed, places_};
    batch.divisor = static_cast<double>(step.instances.size());
    return batch;
  }

 private:
  std::vector<Index> instances_;  // positions in those of the rank
  std::vector<Index> places_;     // positions in the mini-batch
};

/// The loss and the gradient of mini-batches. Each rank computes them for its
/// own instances, and the ranks add them: the mini-batches are the same for any
/// number of ranks. With Summation::kOverRanks gradients are summed while they
/// are computed, by Distribution::plan or by the plan that the first steps
/// choose.
///
/// \tparam Number  of weights and gradient
template <typename Number>
class MiniBatchGradient {
 public:
  /// \param run  its parts must outlive this object
  explicit MiniBatchGradient(const TrainingRun& run)
      : run_(run),
        instances_(run.instances),
        distribution_(run.options.distribution),
        is_stopping_(run.options.is_stopping),
        stop_(run.stop),
        pool_(run.pool),
        evaluator_(run.options.backend->make_batch_evaluator(
            run.topology, frozen_layers(run.topology, run.params),
            std::type_identity<Number>{})),
        read_ahead_(run.topology.num_features()),
        num_weights_(run.topology.num_weights()),
        kept_statistics_(
            static_cast<std::size_t>(run.topology.num_statistics())) {
    if (instances_.summation() == Summation::kOverRanks) {
      sender_.emplace(instances_.allreduce(), run.topology, distribution_.plan,
                      distribution_.timeline);
      limit_threads(distribution_.plan);
      if (distribution_.is_autotuned) begin_tuning();
    } else if (instances_.summation() == Summation::kExact) {
      sums_.resize(static_cast<std::size_t>(num_weights_) + 2);
      slice_gradient_.resize(static_cast<std::size_t>(num_weights_));
      exact_.emplace(num_weights_ + 2, static_cast<Index>(RankStatus::kSize));
    }
  }

  /// Computes sum of w l / sum of w over a mini-batch, and its gradient.
  ///
  /// \param         weights     [num_weights]
  /// \param[in,out] statistics  [num_statistics]; unchanged if this throws
  /// \param[out]    gradient    [num_weights]
  /// \throws optim::Interrupted on all ranks if one asked to stop;
  ///         CommunicationError if one is lost or failed
  /// \cost   with Summation::kOwn that of BatchEvaluator
  double compute(const MiniBatchStep& step, const Number* weights,
                 Number* statistics, Number* gradient) {
    instances_.allreduce().announce("step", step.number + 1);
    // Not earlier: the objective at the start is that of features as they are.
    if (!is_bound_) bind();
    is_bound_ = true;
    if (range_.store && range_.store->is_stored()) {
      read_ahead_.announce(step.rest, instances_.partition().first,
                           *range_.store);
    }
    std::copy_n(statistics, kept_statistics_.size(), kept_statistics_.begin());
    try {
      return sum_all({step, weights, statistics}, gradient);
    } catch (...) {
      std::copy(kept_statistics_.begin(), kept_statistics_.end(), statistics);
      throw;
    }
  }

 private:
  struct Call {
    const MiniBatchStep& step;
    const Number* weights;
    Number* statistics;
  };

  using Row = distributed::Timeline::Row;
  using Span = distributed::TimelineSpan;

  double sum_all(const Call& call, Number* gradient) {
    switch (instances_.summation()) {
      case Summation::kOwn:
        return compute_whole(call, gradient);
      case Summation::kOverRanks:
        return sum_over_ranks(call, gradient);
      case Summation::kExact:
        break;
    }
    return sum_exactly(call, gradient);
  }

  /// Binds the evaluator. Features in a file are copied in the order of the first epoch
  /// if later ones read slabs of it.
  void bind() {
    range_ = instances_.range();
    const bool is_copied = run_.params.shuffle == Shuffle::kSlabs &&
                           range_.store && range_.store->is_stored();
    if (is_copied) {
      range_.store = &copy_.emplace(range_.store->copied_for(own_order()));
    }
    evaluator_->bind(range_);
  }

  /// The instances of this rank in the order of the first epoch.
  [[nodiscard]] std::vector<Index> own_order() const {
    MiniBatchOrder order = batch_order(run_);
    order.shuffle(0);
    const Index first = instances_.partition().first;
    std::vector<Index> places;
    for (const Index i : order.all()) {
      if (i >= first && i < first + range_.size) places.push_back(i - first);
    }
    return places;
  }

  void begin_tuning() {
    tuner_.emplace(distribution_,
                   num_weights_ * static_cast<Index>(sizeof(Number)),
                   pool_.num_threads());
    follow_tuner();
  }

  /// Takes the plan of the next steps. The plan that the tuner chooses stays.
  void follow_tuner() {
    const ExchangePlan plan = tuner_->plan();
    sender_->use(plan);
    limit_threads(plan);
    if (!tuner_->is_done()) return;
    tuner_.reset();
    if (distribution_.on_plan) distribution_.on_plan(plan);
  }

  void limit_threads(const ExchangePlan& plan) {
    planned_pool_.reset();
    if (plan.num_threads > 0) planned_pool_.emplace(plan.num_threads);
  }

  /// Computes a mini-batch whose instances are all on this rank.
  double compute_whole(const Call& call, Number* gradient) {
    const Span span(distribution_.timeline, "compute", Row::kCompute,
                    call.step.number + 1);
    stop_.poll();
    MiniBatch batch{call.step.instances, call.step.dropout_seed};
    batch.is_stopping = is_stopping_;
    const double loss = evaluator_->value_and_gradient(
        batch, call.weights, call.statistics, gradient, pool_);
    stop_.poll();
    return loss;
  }

  double sum_over_ranks(const Call& call, Number* gradient) {
    if (tuner_) tuner_->begin_step();
    const double loss = sum_by_plan(call, gradient);
    if (tuner_ && tuner_->end_step()) follow_tuner();
    return loss;
  }

  double sum_by_plan(const Call& call, Number* gradient) {
    partition_.choose(call.step, instances_.partition().first,
                      instances_.range().size, instances_.partition().first);
    RankStatus status = make_status(
        call, instances_.range().weight_sum(partition_.instances()));
    const std::int64_t number = call.step.number + 1;
    double loss = 0.0;
    sender_->start(gradient, number);
    status.run([&] {
      const Span span(distribution_.timeline, "compute", Row::kCompute, number);
      stop_.poll();
      loss = compute_share(call, gradient);
      stop_.poll();
    });
    const Span span(distribution_.timeline, "wait", Row::kCompute, number);
    // Layers that were announced may be in transfer; their numbers are not used.
    if (status.has_failed()) {
      std::fill_n(gradient, sender_->num_open(), Number{0});
    }
    sender_->finish();
    std::array<double, RankStatus::kSize + 1> tail{};
    tail[0] = loss;
    const std::span<double> statuses = std::span(tail).subspan(1);
    status.write(statuses);
    sum(tail, number);
    status.check(statuses, instances_.allreduce(), number);
    return rescale(call, tail[0], RankStatus::total_weight(statuses), gradient);
  }

  /// Computes the gradient of the partition. Its layers are sent as they are computed.
  double compute_share(const Call& call, Number* gradient) {
    if (partition_.empty()) {
      std::fill_n(gradient, num_weights_, Number{0});
      return 0.0;
    }
    MiniBatch batch = partition_.batch(call.step);
    batch.on_layer_done = &sender_->on_layer_done();
    batch.is_stopping = is_stopping_;
    return evaluator_->value_and_gradient(
        batch, call.weights, call.statistics, gradient,
        planned_pool_ ? *planned_pool_ : pool_);
  }

  void sum(std::span<double> numbers, std::int64_t number) {
    const Span span(distribution_.timeline, "sum", Row::kSend, number,
                    numbers.size_bytes());
    instances_.allreduce().sum(numbers);
  }

  double sum_exactly(const Call& call, Number* gradient) {
    RankStatus status = make_status(call, 0.0);
    const std::int64_t number = call.step.number + 1;
    double scale = 1.0;
    do {
      exact_->clear(scale);
      status.run([&] {
        const Span span(distribution_.timeline, "compute", Row::kCompute,
                        number);
        stop_.poll();
        status.set_misfit(!add_slices(call));
      });
      status.write(exact_->plain());
      const Span span(distribution_.timeline, "wait", Row::kCompute, number);
      sum(exact_->numbers(), number);
      status.check(exact_->plain(), instances_.allreduce(), number);
      scale *= distributed::ExactSum::kGrowth;
    } while (RankStatus::has_misfit(exact_->plain()));
    exact_->read(0, sums_.data(), num_weights_ + 2);
    std::transform(sums_.begin(), sums_.end() - 2, gradient,
                   [](double x) { return static_cast<Number>(x); });
    return rescale(call, *(sums_.end() - 2), sums_.back(), gradient);
  }

  /// Adds the numbers of each slice to the sums; false if one does not fit.
  bool add_slices(const Call& call) {
    double largest = 0.0;
    const Slices& slices = *instances_.slices();
    for (Index slice = 0; slice < slices.size(); ++slice) {
      const Index begin = slices.begin(slice);
      partition_.choose(call.step, instances_.partition().first + begin,
                        slices.begin(slice + 1) - begin,
                        instances_.partition().first);
      if (partition_.empty()) continue;
      MiniBatch batch = partition_.batch(call.step);
      batch.is_stopping = is_stopping_;
      *(sums_.end() - 2) = evaluator_->value_and_gradient(
          batch, call.weights, call.statistics, slice_gradient_.data(), pool_);
      stop_.poll();
      sums_.back() = instances_.range().weight_sum(partition_.instances());
      std::copy(slice_gradient_.begin(), slice_gradient_.end(), sums_.begin());
      largest =
          std::max(largest, exact_->add(0, sums_.data(), num_weights_ + 2));
    }
    return distributed::ExactSum::fits(largest);
  }

  /// Divides by the sum of the weights instead of the size of the mini-batch.
  double rescale(const Call& call, double loss, double weight,
                 Number* gradient) const {
    const auto size = static_cast<double>(call.step.instances.size());
    if (weight == size) return loss;
    const double factor = weight == 0.0 ? 0.0 : size / weight;
    for (Index i = 0; i < num_weights_; ++i) {
      gradient[i] *= static_cast<Number>(factor);
    }
    return loss * factor;
  }

  [[nodiscard]] RankStatus make_status(const Call& call, double weight) const {
    using Weights = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
    return RankStatus(weight,
                      Eigen::Map<const Weights>(call.weights, num_weights_));
  }

  const TrainingRun run_;
  const RankInstances& instances_;
  const Distribution& distribution_;
  const std::atomic<bool>* is_stopping_;  // of the caller
  const optim::StopRequest& stop_;
  ThreadPool& pool_;
  std::unique_ptr<BatchEvaluator<Number>> evaluator_;
  bool is_bound_ = false;
  InstanceRange range_;               // that the evaluator was bound to
  std::optional<FeatureStore> copy_;  // of features in a file
  BatchReadAhead read_ahead_;
  Index num_weights_;
  std::vector<Number> kept_statistics_;  // before the step
  MiniBatchPartition partition_;

  // With Summation::kOverRanks only:
  std::optional<ThreadPool> planned_pool_;  // instead of pool_
  std::optional<GradientSender<Number>> sender_;
  std::optional<ExchangeTuner> tuner_;  // until it is done

  // With Summation::kExact only:
  std::vector<double> sums_;  // gradient, objective and weight of a slice
  std::vector<Number> slice_gradient_;  // [num_weights]
  std::optional<distributed::ExactSum> exact_;
};

}  // namespace mlp
