// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_PANELS_BOUND_INPUTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_PANELS_BOUND_INPUTS_INL_HPP
#undef MLP_CPU_PANELS_BOUND_INPUTS_INL_HPP
#else
#define MLP_CPU_PANELS_BOUND_INPUTS_INL_HPP
#endif

#include <cstddef>
#include <memory>

#include "../../mlp/instances/instance_range.hpp"
#include "../../mlp/network/topology.hpp"
#include "../base/nonzeros-inl.hpp"
#include "../base/panels-inl.hpp"
#include "packed_input-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// The instances of an evaluator: packed once, or tile by tile if the copy would be too
/// large or they are in a file.
template <typename T>
class BoundInputs {
 public:
  explicit BoundInputs(const Panels<T>& rows) : rows_(rows) {}

  /// \param instances  all instances
  void bind(const InstanceRange& instances) {
    instances_ = instances;
    const auto num_features = static_cast<Index>(rows_.rows());
    Matrix row;
    is_sparse_ = has_many_zeros(
        [&](std::size_t i) {
          return instances.rows(static_cast<Index>(i), 1, num_features, row)
              .data();
        },
        rows_.rows(), static_cast<std::size_t>(instances.size), kSampledRows);
    packed_ = PackedInputs<T>::pack(instances, rows_, is_sparse_);
    if (packed_) instances_.features = nullptr;
  }

  [[nodiscard]] const InstanceRange& instances() const { return instances_; }

  /// Returns true if at() needs no buffer.
  [[nodiscard]] bool is_packed() const { return packed_ != nullptr; }

  /// Returns the features of a tile.
  ///
  /// \param range   of bind(); begins at a multiple of kTileSize
  /// \param buffer  for instances that are not packed
  const PackedInput<T>& at(const InstanceRange& range, bool skips_zeros,
                           InputBuffer<T>& buffer) const {
    return packed_ ? packed_->at(range.first) : buffer.pack(range, skips_zeros);
  }

  /// Returns true if many features are zero and all weights are finite: zero times
  /// any of them is zero.
  [[nodiscard]] bool may_skip_zeros(const Topology& topology,
                                    const double* weights) const {
    return is_sparse_ && are_finite(weights, static_cast<std::size_t>(
                                                 topology.num_weights()));
  }

 private:
  /// Number of rows that are checked for zeros.
  static constexpr std::size_t kSampledRows = 256;

  Panels<T> rows_;
  InstanceRange instances_;
  std::shared_ptr<const PackedInputs<T>> packed_;
  bool is_sparse_ = false;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
