// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "scoring_pass.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>

#include "../instances/memory_plan.hpp"
#include "../kernels/convert.hpp"
#include "../runtime/device_array.hpp"
#include "network_pass.hpp"
#include "visit_precision.hpp"

namespace mlp::cuda {

namespace {

/// Numbers from the host on the device: in the type of the host, and converted to the
/// type of the device.
template <typename Host, typename Device>
struct Converted {
  static constexpr bool kIsSame = std::is_same_v<Host, Device>;

  explicit Converted(Index size) : device(size) {
    if constexpr (!kIsSame) host = DeviceArray<Host>(size);
  }

  DeviceArray<Host> host;  // empty if the types are the same
  DeviceArray<Device> device;
};

template <typename Number, typename Input>
class LayeredScoringPass final : public ScoringPass {
 public:
  LayeredScoringPass(const Topology& topology, Precision precision,
                     DeviceContext& context)
      : topology_(topology), precision_(precision), context_(context) {}

  void set_weights(const double* weights) override {
    if (master_.empty()) master_ = DeviceArray<double>(topology_.num_weights());
    if (!copies_) copies_.emplace(topology_.num_weights());
    master_.upload({weights, static_cast<std::size_t>(master_.size())},
                   stream());
    weights_ = copies_->make(master_.data(), stream());
    stream().synchronize();
  }

  void compute(const double* features, Index size, Index k, double* output,
               const std::function<bool()>& is_stopping) override {
    compute_parts(features, size, k, output, is_stopping);
  }

  void compute(const float* features, Index size, Index k, float* output,
               const std::function<bool()>& is_stopping) override {
    compute_parts(features, size, k, output, is_stopping);
  }

 private:
  using Pass = NetworkPass<Number, Input>;

  /// The inputs and outputs of a call, in a type of the host.
  template <typename Host>
  struct Ports {
    Converted<Host, Input> features;
    DeviceArray<Host> outputs;  // empty if they are no other type
  };

  [[nodiscard]] const Stream& stream() const { return context_.stream(); }

  template <typename Host>
  void compute_parts(const Host* features, Index size, Index k, Host* output,
                     const std::function<bool()>& is_stopping) {
    if (size == 0) return;
    reserve(size);
    Ports<Host>& ports = ports_of<Host>();
    for (Index first = 0; first < size; first += pass_->capacity()) {
      if (is_stopping && is_stopping()) return;
      const Index count = std::min(size - first, pass_->capacity());
      compute_part(features + first * topology_.num_features(), count, k,
                   output + first * topology_.output_size(k), ports);
    }
  }

  template <typename Host>
  void compute_part(const Host* features, Index size, Index k, Host* output,
                    Ports<Host>& ports) {
    const Index num_numbers = size * topology_.num_features();
    const std::span<const Host> numbers(features,
                                        static_cast<std::size_t>(num_numbers));
    if constexpr (std::is_same_v<Host, Input>) {
      ports.features.device.upload(numbers, stream());
    } else {
      ports.features.host.upload(numbers, stream());
      convert(num_numbers, static_cast<const Host*>(ports.features.host.data()),
              1.0, ports.features.device.data(), stream().get());
    }
    pass_->forward(ports.features.device.data(), size, weights_, k, {});
    const Number* const computed = pass_->output(k, size, weights_);
    const Index num_outputs = size * topology_.output_size(k);
    const Host* result = nullptr;
    if constexpr (std::is_same_v<Host, Number>) {
      result = computed;
    } else {
      convert(num_outputs, computed, 1.0, ports.outputs.data(), stream().get());
      result = ports.outputs.data();
    }
    copy_to_host(result, num_outputs, output, stream());
    stream().synchronize();
  }

  /// Makes arrays for a number of instances, or for as many as fit.
  void reserve(Index size) {
    MemoryNeeds needs;
    needs.num_instances = static_cast<Index>(
        std::bit_ceil(static_cast<std::size_t>(std::min(size, kMaxPartSize))));
    if (pass_ && pass_->capacity() >= needs.num_instances) return;
    if (pass_ && is_full_) return;
    needs.num_features = topology_.num_features();
    needs.operand_bytes = sizeof(Input);
    Index width = 0;
    for (const Index units : topology_.layers()) width = std::max(width, units);
    needs.pass_bytes =
        Pass::Arrays::bytes_per_instance(topology_, PassKind::kForward) +
        2 * static_cast<std::size_t>(width) * sizeof(double);
    needs.least_block_size = 1;
    needs.copies_features = true;
    ports_ = {};
    pass_.reset();
    // Parts have no sums in common, so that they may depend on what is free.
    const std::size_t available = context_.bytes().available;
    const MemoryPlan plan = plan_memory(needs, {available, available});
    is_full_ = plan.block_size < needs.num_instances;
    pass_.emplace(topology_, FrozenLayers{}, precision_, PassKind::kForward,
                  plan.block_size, context_.products());
  }

  template <typename Host>
  Ports<Host>& ports_of() {
    auto& ports = std::get<std::optional<Ports<Host>>>(ports_);
    if (ports) return *ports;
    const Index capacity = pass_->capacity();
    ports.emplace(Ports<Host>{
        Converted<Host, Input>(capacity * topology_.num_features()), {}});
    if constexpr (!std::is_same_v<Host, Number>) {
      Index width = 0;
      for (Index k = 0; k < topology_.num_layers(); ++k) {
        width = std::max(width, topology_.output_size(k));
      }
      ports->outputs = DeviceArray<Host>(capacity * width);
    }
    return *ports;
  }

  static constexpr Index kMaxPartSize = 8192;

  Topology topology_;
  Precision precision_;
  DeviceContext& context_;
  DeviceArray<double> master_;  // the weights
  std::optional<WeightCopies<double, Number, Input>> copies_;
  NetworkWeights<Number, Input> weights_;
  std::optional<Pass> pass_;
  bool is_full_ = false;  ///< more instances do not fit
  std::tuple<std::optional<Ports<double>>, std::optional<Ports<float>>> ports_;
};

}  // namespace

std::unique_ptr<ScoringPass> make_scoring_pass(const Topology& topology,
                                               Precision precision,
                                               DeviceContext& context) {
  return visit_precision(
      precision, [&](auto types) -> std::unique_ptr<ScoringPass> {
        using Types = decltype(types);
        return std::make_unique<
            LayeredScoringPass<typename Types::Number, typename Types::Input>>(
            topology, precision, context);
      });
}

}  // namespace mlp::cuda
