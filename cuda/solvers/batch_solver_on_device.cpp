// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "batch_solver_on_device.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "../../optim/adam.hpp"
#include "../../optim/objective.hpp"
#include "../../optim/resumable.hpp"
#include "../../optim/sgd.hpp"
#include "../runtime/device_copy.hpp"

namespace mlp::cuda {

namespace {

Index first_size(const BatchRule& rule, Index num_weights) {
  const auto* const sgd = std::get_if<optim::SgdOptions>(&rule);
  return sgd && sgd->momentum == 0.0 ? 0 : num_weights;
}

Index second_size(const BatchRule& rule, Index num_weights) {
  return std::holds_alternative<optim::AdamOptions>(rule) ? num_weights : 0;
}

}  // namespace

template <typename Number>
BatchSolverOnDevice<Number>::BatchSolverOnDevice(BatchProblem<Number> problem,
                                                 const BatchRule& rule)
    : problem_(std::move(problem)),
      rule_(rule),
      penalty_(resident().penalty, num_weights(), *problem_.stream),
      weights_(num_weights()),
      gradient_(num_weights()),
      statistics_(resident().topology.num_statistics()),
      old_statistics_(is_alone() ? 0 : statistics_.size()),
      first_(first_size(rule, num_weights())),
      second_(second_size(rule, num_weights())),
      loss_sum_(1),
      sums_(1),
      numbers_(1),
      positions_(2 * resident().max_batch_size),
      host_sums_(1),
      work_(problem_.objective->is_capturable()) {
  for (Inputs& inputs : inputs_) {
    inputs.positions = PinnedArray<Index>(positions_.size());
    inputs.numbers = PinnedArray<Numbers>(1);
  }
  if (is_alone()) return;
  layer_sums_ = std::make_unique<LayerSums<Number>>(*resident().allreduce,
                                                    resident().topology);
}

template <typename Number>
BatchSolverOnDevice<Number>::~BatchSolverOnDevice() {
  static_cast<void>(cudaStreamSynchronize(problem_.stream->get()));
}

template <typename Number>
void BatchSolverOnDevice<Number>::start(const Vector& weights,
                                        const Vector& statistics) {
  write(weights.template cast<Number>(), weights_);
  write(statistics.template cast<Number>(), statistics_);
  first_.clear(stream());
  second_.clear(stream());
  loss_sum_.clear(stream());
  num_steps_ = 0;
}

template <typename Number>
void BatchSolverOnDevice<Number>::step(const Step& step) {
  const double stop_request = poll();
  choose_share(step);
  copy_inputs(numbers_of(step, stop_request));
  if (is_alone()) {
    run_alone();
  } else {
    resident().allreduce->announce("step", step.number + 1);
    run_with_others();
  }
  ++num_steps_;
}

template <typename Number>
void BatchSolverOnDevice<Number>::set_loss_sum(double sum) {
  copy_to_device(&sum, 1, loss_sum_.data(), stream());
  stream().synchronize();
}

template <typename Number>
double BatchSolverOnDevice<Number>::loss_sum() const {
  return loss_sum_.download(stream())[0];
}

template <typename Number>
void BatchSolverOnDevice<Number>::copy_out(Vector& weights,
                                           Vector& statistics) const {
  weights = read(weights_).template cast<double>();
  statistics = read(statistics_).template cast<double>();
}

template <typename Number>
void BatchSolverOnDevice<Number>::save(ByteWriter& state) const {
  state.write_vector(read(weights_));
  state.write_vector(read(statistics_));
  if (const auto* const options = std::get_if<optim::SgdOptions>(&rule_)) {
    optim::Sgd<Number> rule(num_weights(), *options);
    rule.set_state(num_steps_, read(first_));
    rule.save(state);
  } else {
    optim::Adam<Number> rule(num_weights(),
                             std::get<optim::AdamOptions>(rule_));
    rule.set_state(num_steps_, read(first_), read(second_));
    rule.save(state);
  }
}

template <typename Number>
void BatchSolverOnDevice<Number>::restore(ByteReader& state) {
  write(optim::read_flat<Number>(state, weights_.size()), weights_);
  write(state.read_vector<Flat>(statistics_.size(), "the number of statistics"),
        statistics_);
  if (const auto* const options = std::get_if<optim::SgdOptions>(&rule_)) {
    optim::Sgd<Number> rule(num_weights(), *options);
    rule.restore(state);
    write(rule.velocity(), first_);
    num_steps_ = rule.num_steps();
  } else {
    optim::Adam<Number> rule(num_weights(),
                             std::get<optim::AdamOptions>(rule_));
    rule.restore(state);
    write(rule.mean(), first_);
    write(rule.mean_square(), second_);
    num_steps_ = rule.num_steps();
  }
}

/// Returns what this rank's next step passes as its request to stop.
template <typename Number>
double BatchSolverOnDevice<Number>::poll() const {
  if (!resident().is_stopping || !resident().is_stopping()) return 0.0;
  if (is_alone()) throw optim::Interrupted();
  return 1.0;
}

template <typename Number>
typename BatchSolverOnDevice<Number>::Numbers
BatchSolverOnDevice<Number>::numbers_of(const Step& step,
                                        double stop_request) const {
  Numbers numbers;
  numbers.size = static_cast<double>(step.instances.size());
  numbers.stop_request = stop_request;
  numbers.batch.dropout_seed = step.dropout_seed;
  if (!is_alone()) {
    numbers.batch.divisor = numbers.size;
    numbers.weight = resident().instances.weight_sum(share_.instances);
  }
  numbers.update.step_size = step.step_size;
  if (const auto* const options = std::get_if<optim::AdamOptions>(&rule_)) {
    numbers.update.adam =
        optim::adam_factors(*options, num_steps_ + 1, step.step_size);
  }
  return numbers;
}

template <typename Number>
void BatchSolverOnDevice<Number>::choose_share(const Step& step) {
  share_.instances.clear();
  share_.places.clear();
  if (is_alone()) {
    share_.instances.assign(step.instances.begin(), step.instances.end());
    return;
  }
  const Index first = resident().first_instance;
  for (std::size_t j = 0; j < step.instances.size(); ++j) {
    const Index i = step.instances[j] - first;
    if (i < 0 || i >= resident().instances.size) continue;
    share_.instances.push_back(i);
    share_.places.push_back(static_cast<Index>(j));
  }
}

template <typename Number>
void BatchSolverOnDevice<Number>::copy_inputs(const Numbers& numbers) {
  Inputs& inputs = inputs_[next_inputs_];
  next_inputs_ = 1 - next_inputs_;
  inputs.is_copied.synchronize();
  inputs.numbers[0] = numbers;
  Index* end = std::copy(share_.instances.begin(), share_.instances.end(),
                         inputs.positions.data());
  end = std::copy(share_.places.begin(), share_.places.end(), end);
  copy_to_device(inputs.positions.data(), end - inputs.positions.data(),
                 positions_.data(), stream());
  copy_to_device(inputs.numbers.data(), 1, numbers_.data(), stream());
  inputs.is_copied.record(stream());
}

template <typename Number>
void BatchSolverOnDevice<Number>::run_alone() {
  const auto work = [this] {
    add_evaluation({});
    add_update();
  };
  if (static_cast<Index>(share_.instances.size()) ==
      resident().max_batch_size) {
    work_.run(stream(), work);
  } else {
    work();
  }
}

template <typename Number>
void BatchSolverOnDevice<Number>::run_with_others() {
  copy_on_device(statistics_.data(), statistics_.size(), old_statistics_.data(),
                 stream());
  add_summed_evaluation();
  resident().allreduce->wait(stream().get());
  if (host_sums_[0].stop_requests > 0.0) {
    copy_on_device(old_statistics_.data(), statistics_.size(),
                   statistics_.data(), stream());
    throw optim::Interrupted();
  }
  divide_by_weight(&numbers_.data()->size, sums_.data(), weights_.size(),
                   gradient_.data(), stream().get());
  add_update();
}

template <typename Number>
void BatchSolverOnDevice<Number>::add_evaluation(
    const LayerEnqueued& on_layer) {
  DeviceBatch batch;
  batch.size = static_cast<Index>(share_.instances.size());
  batch.instances = positions_.data();
  if (!share_.places.empty()) batch.places = positions_.data() + batch.size;
  batch.step = &numbers_.data()->batch;
  problem_.objective->add_evaluation(batch, weights_.data(), statistics_.data(),
                                     &sums_.data()->loss, gradient_.data(),
                                     on_layer);
}

/// Adds the evaluation of this rank's share, the sums over the ranks, and their
/// copy to the host.
template <typename Number>
void BatchSolverOnDevice<Number>::add_summed_evaluation() {
  const LayerEnqueued on_layer = layer_sums_->begin(stream(), gradient_.data());
  if (share_.instances.empty()) {
    gradient_.clear(stream());
    sums_.clear(stream());
  } else {
    add_evaluation(on_layer);
  }
  copy_on_device(&numbers_.data()->weight, 1, &sums_.data()->weight, stream());
  copy_on_device(&numbers_.data()->stop_request, 1,
                 &sums_.data()->stop_requests, stream());
  layer_sums_->finish(&sums_.data()->loss, sizeof(BatchSums) / sizeof(double));
  copy_to_host(sums_.data(), 1, host_sums_.data(), stream());
}

template <typename Number>
void BatchSolverOnDevice<Number>::add_update() {
  const cudaStream_t queue = stream().get();
  double* const loss = &sums_.data()->loss;
  penalty_.add(weights_.data(), gradient_.data(), loss);
  add_to_epoch(&numbers_.data()->size, loss, loss_sum_.data(), queue);
  const UpdateVectors<Number> vectors = {weights_.size(), penalty_.kinds(),
                                         &numbers_.data()->update,
                                         gradient_.data(), weights_.data()};
  if (const auto* const sgd = std::get_if<optim::SgdOptions>(&rule_)) {
    update_by_sgd(*sgd, vectors, first_.data(), queue);
  } else {
    update_by_adam(std::get<optim::AdamOptions>(rule_), vectors, first_.data(),
                   second_.data(), queue);
  }
}

template <typename Number>
typename BatchSolverOnDevice<Number>::Flat BatchSolverOnDevice<Number>::read(
    const DeviceArray<Number>& from) const {
  Flat numbers(from.size());
  from.download({numbers.data(), static_cast<std::size_t>(numbers.size())},
                stream());
  return numbers;
}

template <typename Number>
void BatchSolverOnDevice<Number>::write(const Flat& numbers,
                                        DeviceArray<Number>& to) {
  copy_to_device(numbers.data(), numbers.size(), to.data(), stream());
  stream().synchronize();
}

template class BatchSolverOnDevice<double>;
template class BatchSolverOnDevice<float>;

}  // namespace mlp::cuda
