// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "partial_sums.hpp"
#include "penalty.hpp"

namespace mlp::cuda {

namespace {

/// The sums that a penalty needs.
constexpr int kNumSums = 2;  // of squares of weights, of squares of elements

template <typename Number>
__device__ Number clip(Number element, Number limit) {
  if (element < -limit) return -limit;
  return element > limit ? limit : element;  // NaN stays NaN
}

template <typename Number>
__global__ void penalty_kernel(PenaltyTerms terms, const WeightKind* kinds,
                               Index num_weights, const Number* weights,
                               Number* gradient, double* partials) {
  double sums[kNumSums] = {};
  const auto factor = static_cast<Number>(terms.reg_param);
  const auto limit = static_cast<Number>(terms.clip_value);
  for (Index i = first_element(); i < num_weights; i += element_stride()) {
    const WeightKind kind = kinds[i];
    Number element = kind == WeightKind::kFixed ? Number{0} : gradient[i];
    if (kind == WeightKind::kDecays && terms.reg_param != 0.0) {
      const Number weight = weights[i];
      element += factor * weight;
      sums[0] += static_cast<double>(weight) * static_cast<double>(weight);
    }
    if (terms.clip_value > 0.0) element = clip(element, limit);
    sums[1] += static_cast<double>(element) * static_cast<double>(element);
    gradient[i] = element;
  }
  store_block_sums(sums, shared_memory<double>(), partials + blockIdx.x,
                   gridDim.x);
}

/// Adds the penalty to the value. Replaces the first sum by the factor that
/// bounds the length of the gradient.
__global__ void penalty_value_kernel(PenaltyTerms terms, Index num_partials,
                                     double* partials, double* value) {
  double* const shared = shared_memory<double>();
  double* const sums = shared + kSumThreads;
  add_partials(partials, num_partials, kNumSums, shared, sums);
  if (threadIdx.x != 0) return;
  if (terms.reg_param != 0.0) *value += terms.reg_param / 2.0 * sums[0];
  constexpr double kNormFloor = 1e-6;
  const double norm = std::sqrt(sums[1]);
  const double scale = terms.clip_norm / (norm + kNormFloor);
  partials[0] = std::isfinite(norm) && scale < 1.0 ? scale : 1.0;
}

template <typename Number>
__global__ void scale_kernel(const double* scale, Index num_elements,
                             Number* elements) {
  const double factor = *scale;
  if (factor == 1.0) return;
  for (Index i = first_element(); i < num_elements; i += element_stride()) {
    elements[i] *= static_cast<Number>(factor);
  }
}

}  // namespace

template <typename Number>
void add_penalty(const PenaltyTerms& terms, std::span<const WeightKind> kinds,
                 const Number* weights, const PenaltyTarget<Number>& target,
                 double* partials, cudaStream_t stream) {
  const auto num_weights = static_cast<Index>(kinds.size());
  launch(penalty_kernel<Number>, partial_grid(num_weights, kNumSums), stream,
         terms, kinds.data(), num_weights, weights, target.gradient, partials);
  launch(penalty_value_kernel,
         {1, kSumThreads, (kSumThreads + kNumSums) * sizeof(double)}, stream,
         terms, num_partials(num_weights), partials, target.value);
  if (terms.clip_norm > 0.0) {
    launch(scale_kernel<Number>, striding_grid(num_weights), stream, partials,
           num_weights, target.gradient);
  }
}

template void add_penalty(const PenaltyTerms&, std::span<const WeightKind>,
                          const double*, const PenaltyTarget<double>&, double*,
                          cudaStream_t);
template void add_penalty(const PenaltyTerms&, std::span<const WeightKind>,
                          const float*, const PenaltyTarget<float>&, double*,
                          cudaStream_t);

}  // namespace mlp::cuda
