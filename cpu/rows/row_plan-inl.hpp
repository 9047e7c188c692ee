// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_ROWS_ROW_PLAN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_ROWS_ROW_PLAN_INL_HPP
#undef MLP_CPU_ROWS_ROW_PLAN_INL_HPP
#else
#define MLP_CPU_ROWS_ROW_PLAN_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../mlp/network/topology.hpp"
#include "../base/activation-inl.hpp"
#include "../base/panels-inl.hpp"
#include "../base/scratch.hpp"
#include "../panels/network-inl.hpp"
#include "row_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Scores one row at a time with packed weights.
///
/// The plan stores which panels each kernel computes together. A kernel depends
/// only on the number of their vectors.
template <typename T>
class RowPlan {
 public:
  /// \param network         must stay alive and in place
  /// \param may_skip_zeros  true if the weights of the first layer are finite
  RowPlan(const Network<T>& network, bool may_skip_zeros)
      : num_features_(network.layer(0).inputs().rows()),
        num_classes_(network.layer(network.num_layers() - 1).outputs().rows()),
        widest_(padded(num_features_)),
        may_skip_zeros_(may_skip_zeros && num_features_ >= kFewFeatures) {
    is_single_panel_ = num_features_ <= kSinglePanelWidth;
    for (std::size_t k = 0; k < network.num_layers(); ++k) {
      add_layer(network.layer(k), network.topology(), static_cast<Index>(k));
    }
    if (is_single_panel_) single_panel_layers_.back().is_last = true;
  }

  /// Returns true if every layer is one panel: compute_single_panel() applies.
  [[nodiscard]] bool is_single_panel() const { return is_single_panel_; }

  /// Computes the outputs of the last layer of a small network.
  ///
  /// There is no call, no allocation and little besides the arithmetic, so that
  /// the processor can start one row while it waits for the results of the
  /// last.
  ///
  /// \param      features  [num_features]
  /// \param[out] raw       [num_classes]
  /// \pre    is_single_panel()
  template <typename Number, typename Output>
  HWY_INLINE void compute_single_panel(const Number* features,
                                       Output* raw) const {
    alignas(64) T memory[2][kSinglePanelWidth];
    const T* in = to_plan_numbers(features, memory[0]);
    T* out = memory[1];
    T* other = memory[0];
    const SinglePanelLayer* layer = single_panel_layers_.data();
    for (std::size_t k = 0; !layer->is_last; ++layer, ++k) {
      if (HWY_LIKELY(layer->is_sigmoid)) {
        compute_single_panel_layer<true>(*layer, in, out);
      } else {
        compute_single_panel_layer<false>(*layer, in, out);
        finish_layer(layers_[k], in, out);
      }
      in = out;
      std::swap(out, other);
    }
    compute_single_panel_layer<false>(*layer, in, out);
    for (std::size_t i = 0; i < num_classes_; ++i) {
      raw[i] = static_cast<Output>(out[i]);
      HWY_FENCE;  // prevents a call of memcpy for three numbers
    }
  }

  /// Computes the outputs of the last layer of any network. It allocates only
  /// if a layer is wider than kStackWidth.
  template <typename Number, typename Output>
  HWY_NOINLINE void compute(const Number* features, Output* raw) const {
    Scratch<T, 2 * kStackWidth> scratch(2 * widest_);
    T* other = scratch.data();
    T* out = other + widest_;
    const T* in = to_plan_numbers(features, other);
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      if (k > 0 || !may_skip_zeros_ || !compute_sparse_layer(in, out)) {
        const Layer& layer = layers_[k];
        compute_layer<false>(layer, {layer.weights, 0, layer.biases, in,
                                     nullptr, layer.inputs, out});
      }
      if (k + 1 < layers_.size()) finish_layer(layers_[k], in, out);
      in = out;
      std::swap(out, other);
    }
    copy_numbers(in, num_classes_, raw);
  }

 private:
  /// Rows up to this width are stored on the stack.
  static constexpr std::size_t kStackWidth = 1024;

  /// Largest number of features of a small network; a panel of any set fits.
  static constexpr std::size_t kSinglePanelWidth = 64;

  /// With fewer features, zeros are not counted.
  static constexpr std::size_t kFewFeatures = 64;

  /// Panels of a layer that one kernel computes together.
  struct Part {
    std::size_t first_panel;
    std::size_t vectors;
  };

  struct Layer {
    const T* weights;
    const T* projection;  ///< null for none
    const T* biases;
    std::size_t inputs;
    std::size_t vectors;
    HiddenLayer hidden;  ///< unused by the last layer
    std::vector<Part> parts;
  };

  /// A layer that consists of one panel.
  struct SinglePanelLayer {
    const T* weights;
    const T* biases;
    std::uint32_t inputs;
    std::uint16_t vectors;
    bool is_sigmoid;  ///< false if finish_layer() is needed
    bool is_last;
  };

  static std::size_t padded(std::size_t count) {
    return Panels<T>(count).size(1);
  }

  /// Distributes the full panels evenly over kernels. The last kernel also
  /// computes the short panel.
  void add_layer(const PackedLayer<T>& packed, const Topology& topology,
                 Index k) {
    const Panels<T>& rows = packed.outputs();
    const std::size_t vectors = (rows.rows() + kLanes<T> - 1) / kLanes<T>;
    Layer layer{packed.weights(),
                packed.has_projection() ? packed.projection() : nullptr,
                packed.biases(),
                packed.inputs().rows(),
                vectors,
                topology.is_hidden(k) ? topology.hidden(k) : HiddenLayer{},
                {}};
    const std::size_t full = vectors / kPanelVectors;
    const std::size_t parts =
        std::max<std::size_t>((full + kRowPanels - 1) / kRowPanels, 1);
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t begin = full * i / parts;
      const std::size_t end = full * (i + 1) / parts;
      layer.parts.push_back({begin, (end - begin) * kPanelVectors});
    }
    layer.parts.back().vectors += vectors % kPanelVectors;
    widest_ = std::max(widest_, padded(rows.rows()));
    is_single_panel_ = is_single_panel_ && rows.count() == 1;
    single_panel_layers_.push_back(
        {layer.weights, layer.biases, static_cast<std::uint32_t>(layer.inputs),
         static_cast<std::uint16_t>(vectors),
         layer.hidden.activation == Activation{} && !layer.hidden.is_residual,
         false});
    layers_.push_back(std::move(layer));
  }

  template <bool kIsHidden>
  HWY_INLINE static void compute_single_panel_layer(const SinglePanelLayer& l,
                                                    const T* in, T* out) {
    if (l.vectors == 1) {
      HWY_NAMESPACE::compute_single_panel_layer<T, 1, kIsHidden>(
          l.weights, l.biases, in, l.inputs, out);
    } else if (l.vectors == 2) {
      HWY_NAMESPACE::compute_single_panel_layer<T, 2, kIsHidden>(
          l.weights, l.biases, in, l.inputs, out);
    } else {
      HWY_NAMESPACE::compute_single_panel_layer<T, 3, kIsHidden>(
          l.weights, l.biases, in, l.inputs, out);
    }
  }

  /// Computes start + W x from all inputs, or from the size inputs in places.
  ///
  /// \param product  of the first panel; its biases are the biases, or out itself
  template <bool kIsSparse>
  static void compute_layer(const Layer& layer, const RowProduct<T>& product) {
    const std::size_t panel_size = kPanelRows<T> * layer.inputs;
    for (const Part& part : layer.parts) {
      kRowKernels<T, kIsSparse>[part.vectors - 1](
          {product.weights + part.first_panel * panel_size, panel_size,
           product.biases + part.first_panel * kPanelRows<T>, product.x,
           product.places, product.size,
           product.out + part.first_panel * kPanelRows<T>});
    }
  }

  /// Turns z of a hidden layer into y = skip(x) + f(z).
  ///
  /// A function of its own, because its constants and the accumulators of a
  /// product do not fit into the registers together.
  HWY_NOINLINE static void finish_layer(const Layer& layer, const T* in,
                                        T* out) {
    layer.hidden.activation.visit([&](auto f) HWY_ATTR {
      apply_activation<decltype(f)>(out, layer.vectors * kLanes<T>, out);
    });
    if (!layer.hidden.is_residual) return;
    if (layer.projection) {
      compute_layer<false>(
          layer, {layer.projection, 0, out, in, nullptr, layer.inputs, out});
    } else {
      for (std::size_t i = 0; i < layer.inputs; ++i) out[i] += in[i];
    }
  }

  template <typename From, typename To>
  static void copy_numbers(const From* from, std::size_t count, To* to) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  }

  /// Returns the features in precision T: the argument, or a converted copy.
  const T* to_plan_numbers(const T* features, T*) const { return features; }

  template <typename Number>
  const T* to_plan_numbers(const Number* features, T* to) const {
    copy_numbers(features, num_features_, to);
    return to;
  }

  /// Computes z of the first layer without inputs that are 0.
  ///
  /// It does so if at least half of the inputs are 0. The result is exact,
  /// because the weights are finite.
  ///
  /// \return true if z was computed
  bool compute_sparse_layer(const T* in, T* out) const {
    if (2 * count_zeros(in) < num_features_) return false;
    Scratch<std::uint32_t, kStackWidth> places(num_features_);
    std::size_t count = 0;
    for (std::size_t i = 0; i < num_features_; ++i) {
      places.data()[count] = static_cast<std::uint32_t>(i);
      count += in[i] != T{0} ? 1 : 0;
    }
    count = std::max<std::size_t>(count, 1);  // if all are 0, use the last one
    const Layer& layer = layers_.front();
    compute_layer<true>(
        layer, {layer.weights, 0, layer.biases, in, places.data(), count, out});
    return true;
  }

  [[nodiscard]] std::size_t count_zeros(const T* in) const {
    const Tag<T> d;
    std::size_t zeros = 0;
    std::size_t i = 0;
    for (; i + kLanes<T> <= num_features_; i += kLanes<T>) {
      zeros += hn::CountTrue(d, hn::Eq(hn::LoadU(d, in + i), hn::Zero(d)));
    }
    for (; i < num_features_; ++i) zeros += in[i] == T{0} ? 1 : 0;
    return zeros;
  }

  std::size_t num_features_;
  std::size_t num_classes_;
  std::size_t widest_;  ///< largest number of inputs or outputs, padded
  std::vector<Layer> layers_;
  std::vector<SinglePanelLayer> single_panel_layers_;
  bool is_single_panel_ = false;
  bool may_skip_zeros_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
