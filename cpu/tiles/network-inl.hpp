// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

/// Computes the layers of a network of Spark for a tile of instances.
// Included once per instruction set, so the include guard toggles.
#if defined(MLP_CPU_TILES_NETWORK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MLP_CPU_TILES_NETWORK_INL_HPP
#undef MLP_CPU_TILES_NETWORK_INL_HPP
#else
#define MLP_CPU_TILES_NETWORK_INL_HPP
#endif

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../../mlp/network/topology.hpp"
#include "../base/exp-inl.hpp"
#include "../base/nonzeros-inl.hpp"
#include "../base/panel_product-inl.hpp"
#include "../base/panels-inl.hpp"
#include "../base/product-inl.hpp"
#include "packed_layer-inl.hpp"
#include "tile-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mlp::cpu::HWY_NAMESPACE {

/// Panels of inputs per pass over the outputs of a layer. A piece of a panel of
/// weights then stays in the first level cache while all instances use it, and
/// the inputs stay in the second.
constexpr std::size_t kDepthPanels = 17;

/// Bytes of the weights of a layer from which they are prefetched: they leave no
/// room for the tile in a second level cache of 1 MiB.
constexpr std::size_t kLargeLayer = std::size_t{768} << 10;

/// The packed weights of a network, and its products for a tile of instances.
template <typename T>
class Network {
 public:
  Network(const Topology& topology, Passes passes) {
    for (Index k = 0; k < topology.num_layers(); ++k) {
      layers_.emplace_back(topology, k, passes);
    }
  }

  /// Packs the weights of every layer.
  ///
  /// \param weights  [topology.num_weights()]; may be destroyed afterwards
  void set_weights(const double* weights) {
    for (PackedLayer<T>& layer : layers_) {
      for (std::size_t i = 0; i < layer.num_pieces(); ++i) {
        layer.set_weights(weights, i);
      }
    }
  }

  [[nodiscard]] std::size_t num_layers() const { return layers_.size(); }
  [[nodiscard]] const PackedLayer<T>& layer(std::size_t k) const {
    return layers_[k];
  }
  [[nodiscard]] PackedLayer<T>& layer(std::size_t k) { return layers_[k]; }

  /// Computes the outputs of the first num_layers layers. The last layer of the
  /// network computes z, the input of the loss.
  void forward(Tile<T>& tile, std::size_t num_layers, bool has_nonzeros) const {
    for (std::size_t k = 0; k < num_layers; ++k) {
      if (k == 0 && has_nonzeros) {
        multiply_nonzeros(tile);
      } else {
        multiply_layer(k, tile);
      }
      if (k + 1 < layers_.size()) {
        apply_sigmoid(layers_[k].outputs(), tile.size(),
                      tile.outputs[k].data());
      }
    }
  }

  /// Computes delta of layer k - 1 from delta of layer k.
  ///
  /// It is (W^T delta) (1 - a) a.
  void backward(std::size_t k, Tile<T>& tile) const {
    const PackedLayer<T>& layer = layers_[k];
    const Panels<T>& depth = layer.outputs();
    for (std::size_t first = 0; first < depth.count(); first += kDepthPanels) {
      for (std::size_t p = 0; p < layer.inputs().count(); ++p) {
        const std::size_t rows = layer.inputs().rows_of(p);
        const std::size_t begin = first * kPanelRows<T>;
        Product<T> product = {
            std::min(kDepthPanels * kPanelRows<T>, depth.rows() - begin),
            layer.backward(p) +
                begin * layer.inputs().vectors_of(p) * kLanes<T>,
            tile.deltas[k].data() + Panels<T>::offset(first, kTileSize),
            tile.deltas[k - 1].data() + Panels<T>::offset(p, kTileSize),
            nullptr};
        product.ahead =
            next_weights([&](std::size_t next) { return layer.backward(next); },
                         layer.inputs(), p, depth.rows(), begin);
        if (first == 0) {
          multiply_panel<Start::kZero, Over::kUnits>(product, rows,
                                                     tile.size());
        } else {
          multiply_panel<Start::kResult, Over::kUnits>(product, rows,
                                                       tile.size());
        }
      }
    }
    apply_derivative(layer.inputs(), tile.size(), tile.outputs[k - 1].data(),
                     tile.deltas[k - 1].data());
  }

  /// Adds the share of a tile to dW, for a panel of inputs and one of outputs.
  ///
  /// \param[in,out] sum    dW^T   [kPanelRows x outputs of the panel], columns
  ///                       kPanelRows apart
  /// \param         ahead  prefetched, because the next tile reads it
  void add_weight_gradient(std::size_t k, std::size_t input_panel,
                           std::size_t output_panel, const Tile<T>& tile,
                           bool has_nonzeros, T* sum,
                           const Ahead& ahead = {}) const {
    const Panels<T>& inputs = layers_[k].inputs();
    const Panels<T>& outputs = layers_[k].outputs();
    const Product<T> product = {
        tile.size(),
        tile.input_of(k) + Panels<T>::offset(input_panel, kTileSize),
        tile.deltas[k].data() + Panels<T>::offset(output_panel, kTileSize),
        sum,
        nullptr,
        ahead};
    const std::size_t columns = outputs.rows_of(output_panel);
    if (k == 0 && has_nonzeros) {
      ahead.fetch_all();
      multiply_listed<Start::kResult, Over::kInstances>(
          product, inputs.vectors_of(input_panel),
          tile.input->nonzeros.instances(input_panel),
          tile.input->nonzeros.num_instances(input_panel), columns);
    } else {
      multiply_panel<Start::kResult, Over::kInstances>(
          product, inputs.rows_of(input_panel), columns);
    }
  }

  /// Adds the share of a tile to db, for one panel: its deltas in the order of
  /// the instances.
  ///
  /// \param[in,out] sum  [kPanelRows]
  void add_bias_gradient(std::size_t k, std::size_t output_panel,
                         const Tile<T>& tile, T* sum) const {
    const Tag<T> d;
    const std::size_t vectors = layers_[k].outputs().vectors_of(output_panel);
    for (std::size_t v = 0; v < vectors; ++v) {
      const T* column = tile.deltas[k].data() +
                        Panels<T>::offset(output_panel, kTileSize) +
                        v * kLanes<T>;
      auto total = hn::Load(d, sum + v * kLanes<T>);
      for (std::size_t j = 0; j < tile.size(); ++j) {
        total = hn::Add(total, hn::Load(d, column + j * kPanelRows<T>));
      }
      hn::Store(total, d, sum + v * kLanes<T>);
    }
  }

 private:
  /// Computes W X + b in passes over the panels of outputs, each pass with
  /// kDepthPanels panels of inputs.
  void multiply_layer(std::size_t k, Tile<T>& tile) const {
    const PackedLayer<T>& layer = layers_[k];
    const Panels<T>& depth = layer.inputs();
    for (std::size_t first = 0; first < depth.count(); first += kDepthPanels) {
      for (std::size_t p = 0; p < layer.outputs().count(); ++p) {
        const std::size_t rows = layer.outputs().rows_of(p);
        const std::size_t begin = first * kPanelRows<T>;
        Product<T> product = forward_product(k, p, tile);
        product.depth =
            std::min(kDepthPanels * kPanelRows<T>, depth.rows() - begin);
        product.a += begin * layer.outputs().vectors_of(p) * kLanes<T>;
        const bool is_over_rows = k == 0 && tile.input->rows;
        if (is_over_rows) {
          product.b = tile.input->rows + begin;
          product.row_stride = depth.rows();
        } else {
          product.b += Panels<T>::offset(first, kTileSize);
        }
        product.ahead =
            next_weights([&](std::size_t next) { return layer.forward(next); },
                         layer.outputs(), p, depth.rows(), begin);
        if (k == 0 && !tile.ahead.is_empty()) {
          // The shares are proportional to the arithmetic that hides them.
          const std::size_t units = layer.outputs().rows();
          const std::size_t done =
              begin * units + p * kPanelRows<T> * product.depth;
          product.ahead = tile.ahead.share(done, done + rows * product.depth,
                                           units * depth.rows());
        }
        if (is_over_rows) {
          multiply_piece<Over::kRows>(product, rows, tile.size(), first);
        } else {
          multiply_piece<Over::kUnits>(product, rows, tile.size(), first);
        }
      }
    }
  }

  /// Computes W X + b of a piece of the inputs for one panel of outputs.
  ///
  /// \param first  the piece: the first one starts with the biases
  template <Over kOver>
  static void multiply_piece(const Product<T>& product, std::size_t rows,
                             std::size_t num_columns, std::size_t first) {
    if (first == 0) {
      multiply_panel<Start::kColumn, kOver>(product, rows, num_columns);
    } else {
      multiply_panel<Start::kResult, kOver>(product, rows, num_columns);
    }
  }

  /// Returns the piece of weights that the next product of a layer reads, if the
  /// layer is too large for the second level cache.
  ///
  /// \param panel  returns the weights of a panel
  /// \param rows   of the results; p is the panel of the current product
  /// \param depth  terms of a sum, in pieces; begin is the first of this product
  template <class Panel>
  [[nodiscard]] static Ahead next_weights(const Panel& panel,
                                          const Panels<T>& rows, std::size_t p,
                                          std::size_t depth,
                                          std::size_t begin) {
    if (rows.size(depth) * sizeof(T) < kLargeLayer) return {};
    constexpr std::size_t kPiece = kDepthPanels * kPanelRows<T>;
    if (++p == rows.count()) {
      p = 0;
      begin += kPiece;
      if (begin >= depth) return {};
    }
    const std::size_t stride = rows.vectors_of(p) * kLanes<T>;
    return {panel(p) + begin * stride,
            std::min(kPiece, depth - begin) * stride};
  }

  /// Computes W X + b of the first layer from the features that are not zero.
  void multiply_nonzeros(Tile<T>& tile) const {
    const Panels<T>& outputs = layers_[0].outputs();
    for (std::size_t p = 0; p < outputs.count(); ++p) {
      const std::size_t vectors = outputs.vectors_of(p);
      Product<T> product = forward_product(0, p, tile);
      for (std::size_t j = 0; j < tile.size(); j += kGroupSize) {
        const std::size_t group = j / kGroupSize;
        multiply_listed<Start::kColumn, Over::kUnits>(
            product, vectors, tile.input->nonzeros.features(group),
            tile.input->nonzeros.num_features(group),
            std::min(kGroupSize, tile.size() - j));
        product.c += kGroupSize * kPanelRows<T>;
      }
    }
  }

  [[nodiscard]] Product<T> forward_product(std::size_t k, std::size_t p,
                                           Tile<T>& tile) const {
    const PackedLayer<T>& layer = layers_[k];
    return {layer.inputs().rows(), layer.forward(p), tile.input_of(k),
            tile.outputs[k].data() + Panels<T>::offset(p, kTileSize),
            layer.biases(p)};
  }

  static void apply_sigmoid(const Panels<T>& rows, std::size_t size, T* z) {
    const Tag<T> d;
    for (std::size_t p = 0; p < rows.count(); ++p) {
      const std::size_t vectors = rows.vectors_of(p);
      T* column = z + Panels<T>::offset(p, kTileSize);
      for (std::size_t j = 0; j < size; ++j, column += kPanelRows<T>) {
        for (std::size_t v = 0; v < vectors; ++v) {
          T* at = column + v * kLanes<T>;
          hn::Store(sigmoid(d, hn::Load(d, at)), d, at);
        }
      }
    }
  }

  /// Computes delta *= (1 - a) a.
  static void apply_derivative(const Panels<T>& rows, std::size_t size,
                               const T* a, T* delta) {
    const Tag<T> d;
    const auto one = hn::Set(d, static_cast<T>(1));
    for (std::size_t p = 0; p < rows.count(); ++p) {
      const std::size_t vectors = rows.vectors_of(p);
      std::size_t at = Panels<T>::offset(p, kTileSize);
      for (std::size_t j = 0; j < size; ++j, at += kPanelRows<T>) {
        for (std::size_t i = at; i < at + vectors * kLanes<T>; i += kLanes<T>) {
          const auto value = hn::Load(d, a + i);
          const auto slope = hn::Mul(hn::Sub(one, value), value);
          hn::Store(hn::Mul(hn::Load(d, delta + i), slope), d, delta + i);
        }
      }
    }
  }

  std::vector<PackedLayer<T>> layers_;
};

}  // namespace mlp::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
