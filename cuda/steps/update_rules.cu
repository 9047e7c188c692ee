// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "../runtime/device_code.hpp"
#include "../runtime/launch.hpp"
#include "update_rules.hpp"

namespace mlp::cuda {

namespace {

template <typename Number>
__global__ void sgd_kernel(optim::SgdOptions options,
                           UpdateVectors<Number> vectors, Number* velocity) {
  const auto step_size = static_cast<Number>(vectors.step->step_size);
  const auto momentum = static_cast<Number>(options.momentum);
  const auto decay = static_cast<Number>(options.weight_decay);
  // The step is along own g + ahead v: v, or g + momentum v with Nesterov's.
  const auto own = static_cast<Number>(options.is_nesterov ? 1.0 : 0.0);
  const Number ahead = options.is_nesterov ? momentum : Number{1};
  for (Index i = first_element(); i < vectors.num_weights;
       i += element_stride()) {
    const WeightKind kind = vectors.kinds[i];
    if (kind == WeightKind::kFixed) continue;
    const Number w = vectors.weights[i];
    Number g = vectors.gradient[i];
    if (kind == WeightKind::kDecays) g += decay * w;
    Number move = g;
    if (velocity) {
      const Number v = momentum * velocity[i] + g;
      velocity[i] = v;
      move = own * g + ahead * v;
    }
    vectors.weights[i] = w - step_size * move;
  }
}

template <typename Number>
__global__ void adam_kernel(optim::AdamOptions options,
                            UpdateVectors<Number> vectors, Number* mean,
                            Number* mean_square) {
  const auto fresh1 = static_cast<Number>(1.0 - options.beta1);
  const auto beta2 = static_cast<Number>(options.beta2);
  const auto fresh2 = static_cast<Number>(1.0 - options.beta2);
  const auto epsilon = static_cast<Number>(options.epsilon);
  const auto length = static_cast<Number>(vectors.step->adam.length);
  const auto root_scale = static_cast<Number>(vectors.step->adam.root_scale);
  const auto kept_if_decays = static_cast<Number>(vectors.step->adam.kept);
  for (Index i = first_element(); i < vectors.num_weights;
       i += element_stride()) {
    const WeightKind kind = vectors.kinds[i];
    if (kind == WeightKind::kFixed) continue;
    const Number g = vectors.gradient[i];
    const Number m = mean[i] + fresh1 * (g - mean[i]);
    const Number v = beta2 * mean_square[i] + fresh2 * (g * g);
    const Number kept =
        kind == WeightKind::kDecays ? kept_if_decays : Number{1};
    mean[i] = m;
    mean_square[i] = v;
    vectors.weights[i] = kept * vectors.weights[i] -
                         length * (m / (root_scale * std::sqrt(v) + epsilon));
  }
}

}  // namespace

template <typename Number>
void update_by_sgd(const optim::SgdOptions& options,
                   const UpdateVectors<Number>& vectors, Number* velocity,
                   cudaStream_t stream) {
  launch(sgd_kernel<Number>, striding_grid(vectors.num_weights), stream,
         options, vectors, velocity);
}

template <typename Number>
void update_by_adam(const optim::AdamOptions& options,
                    const UpdateVectors<Number>& vectors, Number* mean,
                    Number* mean_square, cudaStream_t stream) {
  launch(adam_kernel<Number>, striding_grid(vectors.num_weights), stream,
         options, vectors, mean, mean_square);
}

template void update_by_sgd(const optim::SgdOptions&,
                            const UpdateVectors<double>&, double*,
                            cudaStream_t);
template void update_by_sgd(const optim::SgdOptions&,
                            const UpdateVectors<float>&, float*, cudaStream_t);
template void update_by_adam(const optim::AdamOptions&,
                             const UpdateVectors<double>&, double*, double*,
                             cudaStream_t);
template void update_by_adam(const optim::AdamOptions&,
                             const UpdateVectors<float>&, float*, float*,
                             cudaStream_t);

}  // namespace mlp::cuda
