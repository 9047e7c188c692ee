// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "device_evaluator.hpp"

#include <array>
#include <span>
#include <utility>

#include "../runtime/device_array.hpp"
#include "batch_objective.hpp"
#include "layered_objective.hpp"
#include "scoring_pass.hpp"

namespace mlp::cuda {

namespace {

/// Lets a caller use the device, and ends the work of a call that throws.
class DeviceUse {
 public:
  explicit DeviceUse(DeviceContext& context)
      : lock_(context.lock()), context_(context) {}
  DeviceUse(const DeviceUse&) = delete;
  DeviceUse& operator=(const DeviceUse&) = delete;
  ~DeviceUse() {
    static_cast<void>(cudaStreamSynchronize(context_.stream().get()));
  }

 private:
  std::unique_lock<std::mutex> lock_;
  DeviceContext& context_;
};

class DeviceEvaluator final : public SharedEvaluator {
 public:
  DeviceEvaluator(const Topology& topology, Precision precision,
                  DeviceContext& context)
      : topology_(topology), precision_(precision), context_(context) {}

  void bind(const InstanceRange& instances) override {
    const DeviceUse use(context_);
    objective_.reset();
    weights_ = {};
    gradient_ = {};
    const Index num_weights = topology_.num_weights();
    const auto own_numbers = static_cast<std::size_t>(2 * num_weights + 1);
    auto objective =
        make_layered_objective(topology_, precision_, instances,
                               own_numbers * sizeof(double), context_);
    weights_ = DeviceArray<double>(num_weights);
    gradient_ = DeviceArray<double>(num_weights + 1);
    objective_ = std::move(objective);
  }

  double compute_gradient(const double* weights, double* gradient,
                          ThreadPool& /*pool*/,
                          const std::function<void()>& poll) override {
    const DeviceUse use(context_);
    const auto num_weights = static_cast<std::size_t>(topology_.num_weights());
    const Stream& stream = context_.stream();
    weights_.upload({weights, num_weights}, stream);
    double* const value = gradient_.data() + num_weights;
    add_pieces(value, poll);
    double result = 0.0;
    copy_to_host(value, 1, &result, stream);
    gradient_.download(std::span<double>(gradient, num_weights), stream);
    poll();
    return result;
  }

 private:
  /// Adds the pieces to the stream. At most two pieces are in the stream at the same
  /// time, so that a request to stop waits for two pieces at most.
  void add_pieces(double* value, const std::function<void()>& poll) {
    std::array<Event, 2> is_done;
    objective_->begin(weights_.data(), value, gradient_.data());
    for (Index piece = 0; piece < objective_->num_pieces(); ++piece) {
      poll();
      Event& mark = is_done[static_cast<std::size_t>(piece % 2)];
      mark.synchronize();
      objective_->add_piece(piece, nullptr);
      mark.record(context_.stream());
    }
  }

  Topology topology_;
  Precision precision_;
  DeviceContext& context_;
  DeviceArray<double> weights_;   // [num_weights]
  DeviceArray<double> gradient_;  // and then the value   [num_weights + 1]
  std::unique_ptr<PiecewiseObjective> objective_;  // of the instances of bind()
};

class DevicePlan final : public ScoringPlan {
 public:
  DevicePlan(const Topology& topology, const double* weights,
             Precision precision, DeviceContext& context)
      : topology_(topology),
        context_(context),
        scoring_(make_scoring_pass(topology, precision, context)) {
    const DeviceUse use(context_);
    scoring_->set_weights(weights);
  }

  void compute_raw(const double* features, Index size,
                   double* raw) const override {
    compute_layer(features, size, topology_.num_layers() - 1, raw);
  }

  void compute_layer(const double* features, Index size, Index layer,
                     double* output) const override {
    const DeviceUse use(context_);
    scoring_->compute(features, size, layer, output, nullptr);
  }

  void compute_raw(const float* features, Index size,
                   float* raw) const override {
    const DeviceUse use(context_);
    scoring_->compute(features, size, topology_.num_layers() - 1, raw, nullptr);
  }

  void compute_raw(const float* features, Index size,
                   double* raw) const override {
    const Matrix wide = Eigen::Map<const Eigen::MatrixXf>(
                            features, topology_.num_features(), size)
                            .cast<double>();
    compute_raw(wide.data(), size, raw);
  }

 private:
  Topology topology_;
  DeviceContext& context_;
  std::unique_ptr<ScoringPass> scoring_;
};

template <typename Number>
class DeviceBatchEvaluator final : public BatchEvaluator<Number> {
 public:
  DeviceBatchEvaluator(const Topology& topology, const FrozenLayers& frozen,
                       Precision precision, DeviceContext& context)
      : topology_(topology), context_(context) {
    settings_.precision = precision;
    settings_.frozen = frozen;
  }

  void bind(const InstanceRange& instances) override {
    range_ = instances;
    objective_.reset();
  }

  double value_and_gradient(const MiniBatch& batch, const Number* weights,
                            Number* statistics, Number* gradient,
                            ThreadPool& /*pool*/) override {
    const DeviceUse use(context_);
    reserve(static_cast<Index>(batch.instances.size()));
    const Stream& stream = context_.stream();
    const DeviceBatch on_device = upload(batch);
    weights_.upload({weights, size_of(weights_)}, stream);
    statistics_.upload({statistics, size_of(statistics_)}, stream);
    objective_->add_evaluation(on_device, weights_.data(), statistics_.data(),
                               loss_.data(), gradient_.data(), nullptr);
    double loss = 0.0;
    loss_.download(std::span<double>(&loss, 1), stream);
    statistics_.download(std::span<Number>(statistics, size_of(statistics_)),
                         stream);
    gradient_.download(std::span<Number>(gradient, size_of(gradient_)), stream);
    if (batch.on_layer_done) (*batch.on_layer_done)(0);
    return loss;
  }

 private:
  static std::size_t size_of(const DeviceArray<Number>& array) {
    return static_cast<std::size_t>(array.size());
  }

  /// Makes the objective and the arrays, unless there are some for mini-batches of
  /// this size. The memory is planned for the largest one so far.
  void reserve(Index size) {
    if (objective_ && size <= settings_.max_batch_size) return;
    objective_.reset();
    weights_ = {};
    gradient_ = {};
    statistics_ = {};
    instances_ = {};
    places_ = {};
    settings_.max_batch_size = size;
    const Index num_weights = topology_.num_weights();
    const Index num_statistics = topology_.num_statistics();
    settings_.reserved_bytes =
        static_cast<std::size_t>(2 * num_weights + num_statistics) *
            sizeof(Number) +
        static_cast<std::size_t>(2 * size) * sizeof(Index);
    auto objective =
        make_batch_objective<Number>(topology_, settings_, range_, context_);
    weights_ = DeviceArray<Number>(num_weights);
    gradient_ = DeviceArray<Number>(num_weights);
    statistics_ = DeviceArray<Number>(num_statistics);
    instances_ = DeviceArray<Index>(size);
    places_ = DeviceArray<Index>(size);
    step_ = DeviceArray<DeviceBatch::Step>(1);
    loss_ = DeviceArray<double>(1);
    objective_ = std::move(objective);
  }

  DeviceBatch upload(const MiniBatch& batch) {
    const Stream& stream = context_.stream();
    const auto size = static_cast<Index>(batch.instances.size());
    instances_.upload(batch.instances, stream);
    places_.upload(batch.places, stream);
    const DeviceBatch::Step step{batch.dropout_seed, batch.divisor};
    step_.upload({&step, 1}, stream);
    DeviceBatch on_device;
    on_device.size = size;
    on_device.instances = instances_.data();
    on_device.places = batch.places.empty() ? nullptr : places_.data();
    on_device.step = step_.data();
    return on_device;
  }

  Topology topology_;
  DeviceContext& context_;
  InstanceRange range_;  // of bind()
  BatchObjectiveSettings settings_;
  DeviceArray<Number> weights_;            // [num_weights]
  DeviceArray<Number> gradient_;           // [num_weights]
  DeviceArray<Number> statistics_;         // [num_statistics]
  DeviceArray<Index> instances_, places_;  // [of the largest mini-batch]
  DeviceArray<DeviceBatch::Step> step_;    // [1]
  DeviceArray<double> loss_;               // [1]
  std::unique_ptr<DeviceBatchObjective<Number>> objective_;
};

}  // namespace

std::unique_ptr<SharedEvaluator> make_device_evaluator(const Topology& topology,
                                                       Precision precision,
                                                       DeviceContext& context) {
  return std::make_unique<DeviceEvaluator>(topology, precision, context);
}

std::unique_ptr<ScoringPlan> make_device_plan(const Topology& topology,
                                              const double* weights,
                                              Precision precision,
                                              DeviceContext& context) {
  return std::make_unique<DevicePlan>(topology, weights, precision, context);
}

template <typename Number>
std::unique_ptr<BatchEvaluator<Number>> make_device_batch_evaluator(
    const Topology& topology, const FrozenLayers& frozen, Precision precision,
    DeviceContext& context) {
  return std::make_unique<DeviceBatchEvaluator<Number>>(topology, frozen,
                                                        precision, context);
}

template std::unique_ptr<BatchEvaluator<double>> make_device_batch_evaluator(
    const Topology&, const FrozenLayers&, Precision, DeviceContext&);
template std::unique_ptr<BatchEvaluator<float>> make_device_batch_evaluator(
    const Topology&, const FrozenLayers&, Precision, DeviceContext&);

}  // namespace mlp::cuda
