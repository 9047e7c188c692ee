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
#include "../exchange/distribution.hpp"
#include "../exchange/exchange_tuner.hpp"
#include "../exchange/gradient_sender.hpp"
#include "../exchange/rank_status.hpp"
#include "mini_batch_gradient.hpp"
#include "rank_instances.hpp"

namespace mlp {

/// The instances of a mini-batch that lie in a run of a rank's own.
class MiniBatchShare {
 public:
  /// \param first  of the run in the instances of all ranks
  /// \param size   of the run
  /// \param own    where the rank's own instances begin
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

  /// The share as what an evaluator takes, its losses divided by the number of
  /// instances of all ranks.
  [[nodiscard]] MiniBatch batch(const MiniBatchStep& step) const {
    MiniBatch batch{instances_, step.dropout_seed, places_};
    batch.divisor = static_cast<double>(step.instances.size());
    return batch;
  }

 private:
  std::vector<Index> instances_;  // in the own ones
  std::vector<Index> places_;     // in the mini-batch
};

/// Mini-batches of which each rank computes what lies in its own instances: the
/// same mini-batches, whatever the number of ranks. Unless the training is
/// reproducible, gradients are summed while they are computed, as
/// Distribution::plan or the times of the first steps have it.
template <typename Number>
class DistributedMiniBatch final : public MiniBatchGradient<Number> {
 public:
  /// \param options  must outlive this object, as part and pool must
  DistributedMiniBatch(const Topology& topology, const Params& params,
                       const FitOptions& options, const RankInstances& part,
                       ThreadPool& pool)
      : part_(part),
        distribution_(options.distribution),
        is_stopping_(options.is_stopping),
        pool_(pool),
        evaluator_(options.backend->make_batch_evaluator(
            topology, frozen_layers(topology, params),
            std::type_identity<Number>{})),
        num_weights_(topology.num_weights()) {
    evaluator_->bind(part.range());
    if (!part.leaves()) {
      sender_.emplace(part.allreduce(), topology, distribution_.plan,
                      distribution_.timeline);
      limit_threads(distribution_.plan);
      begin_tuning();
      return;
    }
    gradient_.resize(static_cast<std::size_t>(num_weights_) + 1);
    leaf_gradient_.resize(static_cast<std::size_t>(num_weights_));
    exact_.emplace(num_weights_ + 1, static_cast<Index>(RankStatus::kSize));
  }

  double compute(const MiniBatchStep& step, const Number* weights,
                 Number* statistics, Number* gradient) override {
    part_.allreduce().announce("step", step.number + 1);
    const Call call{step, weights, statistics};
    if (exact_) return sum_exactly(call, gradient);
    if (tuner_) tuner_->begin_step();
    const double loss = sum_plainly(call, gradient);
    if (tuner_ && tuner_->end_step()) follow_tuner();
    return loss;
  }

  void request_stop() override { is_stop_requested_ = true; }

 private:
  struct Call {
    const MiniBatchStep& step;
    const Number* weights;
    Number* statistics;
  };

  using Row = distributed::Timeline::Row;
  using Span = distributed::TimelineSpan;

  void begin_tuning() {
    if (!distribution_.is_autotuned || part_.allreduce().world_size() == 1) {
      return;
    }
    tuner_.emplace(distribution_,
                   num_weights_ * static_cast<Index>(sizeof(Number)),
                   pool_.num_threads());
    follow_tuner();
  }

  /// Takes the plan of the next steps, the last of which stays.
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

  double sum_plainly(const Call& call, Number* gradient) {
    share_.choose(call.step, part_.part().first, part_.range().size,
                  part_.part().first);
    RankStatus status = make_status(call);
    const std::int64_t number = call.step.number + 1;
    double loss = 0.0;
    sender_->start(gradient, number);
    status.run([&] {
      const Span span(distribution_.timeline, "compute", Row::kCompute, number);
      poll();
      loss = compute_share(call, gradient);
    });
    const Span span(distribution_.timeline, "wait", Row::kCompute, number);
    // What was announced may be on its way, and nobody will look at it.
    if (status.has_failed()) {
      std::fill_n(gradient, sender_->num_open(), Number{0});
    }
    sender_->finish();
    std::array<double, RankStatus::kSize + 1> tail{};
    tail[0] = loss;
    const std::span<double> statuses = std::span(tail).subspan(1);
    status.write(statuses);
    sum(tail, number);
    status.check(statuses, part_.allreduce(), number);
    return rescale(call, tail[0], RankStatus::total_weight(statuses), gradient);
  }

  /// Computes the gradient of the share, whose layers are sent as they come.
  double compute_share(const Call& call, Number* gradient) {
    if (share_.empty()) {
      std::fill_n(gradient, num_weights_, Number{0});
      return 0.0;
    }
    MiniBatch batch = share_.batch(call.step);
    batch.on_layer_done = &sender_->on_layer_done();
    return evaluator_->value_and_gradient(
        batch, call.weights, call.statistics, gradient,
        planned_pool_ ? *planned_pool_ : pool_);
  }

  void sum(std::span<double> numbers, std::int64_t number) {
    const Span span(distribution_.timeline, "sum", Row::kSend, number,
                    numbers.size_bytes());
    part_.allreduce().sum(numbers);
  }

  double sum_exactly(const Call& call, Number* gradient) {
    share_.choose(call.step, part_.part().first, part_.range().size,
                  part_.part().first);
    RankStatus status = make_status(call);
    const std::int64_t number = call.step.number + 1;
    double scale = 1.0;
    do {
      exact_->clear(scale);
      status.run([&] {
        const Span span(distribution_.timeline, "compute", Row::kCompute,
                        number);
        poll();
        status.set_misfit(!add_leaves(call));
      });
      status.write(exact_->plain());
      const Span span(distribution_.timeline, "wait", Row::kCompute, number);
      sum(exact_->numbers(), number);
      status.check(exact_->plain(), part_.allreduce(), number);
      scale *= distributed::ExactSum::kGrowth;
    } while (RankStatus::has_misfit(exact_->plain()));
    exact_->read(0, gradient_.data(), num_weights_ + 1);
    std::transform(gradient_.begin(), gradient_.end() - 1, gradient,
                   [](double x) { return static_cast<Number>(x); });
    return rescale(call, gradient_.back(),
                   RankStatus::total_weight(exact_->plain()), gradient);
  }

  /// Adds the gradient of each leaf; false where a number does not fit.
  bool add_leaves(const Call& call) {
    double largest = 0.0;
    const Leaves& leaves = *part_.leaves();
    for (Index leaf = 0; leaf < leaves.size(); ++leaf) {
      const Index begin = leaves.begin(leaf);
      share_.choose(call.step, part_.part().first + begin,
                    leaves.begin(leaf + 1) - begin, part_.part().first);
      if (share_.empty()) continue;
      gradient_.back() = evaluator_->value_and_gradient(
          share_.batch(call.step), call.weights, call.statistics,
          leaf_gradient_.data(), pool_);
      std::copy(leaf_gradient_.begin(), leaf_gradient_.end(),
                gradient_.begin());
      largest =
          std::max(largest, exact_->add(0, gradient_.data(), num_weights_ + 1));
    }
    return distributed::ExactSum::fits(largest);
  }

  /// Divides by the weights instead of by the number of the instances.
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

  [[nodiscard]] RankStatus make_status(const Call& call) const {
    using Weights = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
    return RankStatus(part_.range().weight_sum(share_.instances()),
                      Eigen::Map<const Weights>(call.weights, num_weights_));
  }

  void poll() const {
    if (is_stop_requested_ || (is_stopping_ && *is_stopping_)) {
      throw optim::Interrupted();
    }
  }

  const RankInstances& part_;
  const Distribution& distribution_;
  const std::atomic<bool>* is_stopping_;
  ThreadPool& pool_;
  std::unique_ptr<BatchEvaluator<Number>> evaluator_;
  Index num_weights_;
  MiniBatchShare share_;
  bool is_stop_requested_ = false;

  // Of any but a reproducible training:
  std::optional<ThreadPool> planned_pool_;  // instead of pool_
  std::optional<GradientSender<Number>> sender_;
  std::optional<ExchangeTuner> tuner_;  // until it is done

  // Of a reproducible training alone:
  std::vector<double> gradient_;       // and objective, of a leaf
  std::vector<Number> leaf_gradient_;  // [num_weights]
  std::optional<distributed::ExactSum> exact_;
};

}  // namespace mlp
