// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "openblas_backend.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "../activations/sigmoid.hpp"
#include "../core/error.hpp"
#include "../mlp/backend/apply_loss.hpp"
#include "../mlp/backend/converting_plan.hpp"

namespace mlp::openblas {

namespace {

/// Closes a library that cannot be used and throws.
[[noreturn]] void refuse(void* handle, const std::string& name,
                         const std::string& sentence) {
  ::dlclose(handle);
  throw ResourceError(name, sentence +
                                "; install OpenBLAS, for example Debian's "
                                "package libopenblas0-pthread");
}

/// Looks up a function of the library.
template <typename Function>
void find(void* handle, const std::string& name, const char* symbol,
          Function& function) {
  void* address = ::dlsym(handle, symbol);
  if (address == nullptr) {
    refuse(handle, name, std::string("is not OpenBLAS: it lacks ") + symbol);
  }
  function = reinterpret_cast<Function>(address);
}

template <typename Real>
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

template <typename Real>
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

std::size_t at(Index k) { return static_cast<std::size_t>(k); }

/// A network whose products OpenBLAS computes, one tile of instances at a time. It
/// computes gradients, and outputs with fixed weights.
template <typename Real>
class GemmNetwork final : public SliceEvaluator, public ConvertingPlan {
 public:
  /// \param weights  [num_weights], copied; null if set_weights() sets them
  explicit GemmNetwork(const Topology& topology,
                       const double* weights = nullptr)
      : ConvertingPlan(topology) {
    if (weights == nullptr) return;
    fixed_weights_ = Eigen::Map<const Vector>(weights, topology.num_weights());
    set_weights(fixed_weights_.data());
  }

  /// The slices have the features.
  void bind(const InstanceRange& /*instances*/) override {}

  /// \param weights  [num_weights]; must stay alive in float64
  void set_weights(const double* weights) override {
    if constexpr (kIsDouble) {
      weights_ = weights;
    } else {
      float_weights_ =
          Eigen::Map<const Vector>(weights, topology().num_weights())
              .template cast<Real>();
      weights_ = float_weights_.data();
    }
  }

  [[nodiscard]] std::unique_ptr<Workspace> make_workspace() const override {
    auto scratch = std::make_unique<Scratch>();
    scratch->tile = make_tile();
    scratch->deltas = make_tile().outputs;
    scratch->column.resize(topology().num_classes());
    if (!kIsDouble) scratch->gradient.resize(topology().num_weights());
    return scratch;
  }

  double compute_gradient(const InstanceRange& slice, double* gradient,
                          Workspace& workspace) const override {
    auto& scratch = static_cast<Scratch&>(workspace);
    Real* sum;
    if constexpr (kIsDouble) {
      sum = gradient;
    } else {
      sum = scratch.gradient.data();
    }
    std::fill_n(sum, topology().num_weights(), Real{0});
    double loss = 0.0;
    for (Index first = 0; first < slice.size; first += kTileSize) {
      if (workspace.is_stopping()) break;
      const Index size = std::min(kTileSize, slice.size - first);
      const Real* features = load_features(
          slice.rows(first, size, topology().num_features(), scratch.rows)
              .data(),
          size, scratch.tile);
      forward(features, size, topology().num_layers() - 1, scratch.tile);
      loss += output_delta(slice, first, size, scratch);
      backward(features, size, sum, scratch);
    }
    if (!kIsDouble) {
      Eigen::Map<Vector>(gradient, topology().num_weights()) =
          scratch.gradient.template cast<double>();
    }
    return loss;
  }

  /// \cost allocates the outputs of the layers
  void compute_layer(const double* features, Index size, Index layer,
                     double* output) const override {
    Tile tile = make_tile();
    Eigen::Map<Matrix> result(output, topology().output_size(layer), size);
    for (Index first = 0; first < size; first += kTileSize) {
      const Index count = std::min(kTileSize, size - first);
      const Real* const from = load_features(
          features + first * topology().num_features(), count, tile);
      forward(from, count, layer, tile);
      result.middleCols(first, count) =
          tile.outputs[at(layer)].leftCols(count).template cast<double>();
    }
  }

 private:
  static constexpr bool kIsDouble = std::is_same_v<Real, double>;

  /// Number of instances per product. It is large enough to hide the cost of
  /// repacking the weights, which OpenBLAS does in every call, and small enough
  /// for the L2 cache.
  static constexpr Index kTileSize = 256;

  /// Scratch memory of the forward pass.
  struct Tile {
    std::vector<RealMatrix<Real>> outputs;  ///< of each layer
                                            ///< [output_size x tile]
    RealMatrix<Real> features;  ///< only in float32 [num_features x tile]
  };

  struct Scratch final : Workspace {
    Tile tile;
    std::vector<RealMatrix<Real>> deltas;  ///< d loss / d z
                                           ///< [output_size x tile]
    Matrix rows;                ///< of features that are not in memory as rows
    Vector column;              ///< one instance  [num_classes]
    RealVector<Real> gradient;  ///< only in float32 [num_weights]
  };

  [[nodiscard]] Tile make_tile() const {
    Tile tile;
    for (Index k = 0; k < topology().num_layers(); ++k) {
      tile.outputs.emplace_back(topology().output_size(k), kTileSize);
    }
    if (!kIsDouble) tile.features.resize(topology().num_features(), kTileSize);
    return tile;
  }

  /// \return [num_features x size], contiguous
  const Real* load_features(const double* features, Index size,
                            Tile& tile) const {
    if constexpr (kIsDouble) {
      return features;
    } else {
      tile.features.leftCols(size) =
          Eigen::Map<const Matrix>(features, topology().num_features(), size)
              .template cast<Real>();
      return tile.features.data();
    }
  }

  /// Computes a = sigmoid(W a + b) layer by layer. The last layer only computes
  /// W a + b.
  void forward(const Real* features, Index size, Index last, Tile& tile) const {
    const Real* input = features;
    for (Index k = 0; k <= last; ++k) {
      auto z = tile.outputs[at(k)].leftCols(size);
      z.colwise() = Eigen::Map<const RealVector<Real>>(
          weights_ + topology().bias_offset(k), z.rows());
      library_.multiply({z.rows(), size, topology().input_size(k)},
                        {weights_ + topology().weight_offset(k)}, {input},
                        Real{1}, z.data());
      if (k + 1 < topology().num_layers()) {
        z = z.unaryExpr([](Real x) { return activations::Sigmoid::value(x); });
      }
      input = z.data();
    }
  }

  /// Computes d loss / d z of the last layer. It computes one instance at a time
  /// in double precision.
  ///
  /// \return sum of weight times loss
  double output_delta(const InstanceRange& slice, Index first, Index size,
                      Scratch& scratch) const {
    double loss = 0.0;
    for (Index j = 0; j < size; ++j) {
      const Index i = first + j;
      scratch.column =
          scratch.tile.outputs.back().col(j).template cast<double>();
      loss +=
          apply_loss(topology().loss_function(), Likelihood::kOfProbabilities,
                     slice, i, slice.weights[i], scratch.column);
      scratch.deltas.back().col(j) = scratch.column.template cast<Real>();
    }
    return loss;
  }

  /// Computes dW += delta a^T, db += delta 1 and delta' = W^T delta (1 - a) a,
  /// from the last layer to the first.
  void backward(const Real* features, Index size, Real* sum,
                Scratch& scratch) const {
    for (Index k = topology().num_layers() - 1; k >= 0; --k) {
      const Index outputs = topology().output_size(k);
      const Index inputs = topology().input_size(k);
      const auto delta = scratch.deltas[at(k)].leftCols(size);
      const Real* input =
          k == 0 ? features : scratch.tile.outputs[at(k - 1)].data();
      Eigen::Map<RealVector<Real>>(sum + topology().bias_offset(k), outputs) +=
          delta.rowwise().sum();
      library_.multiply({outputs, inputs, size}, {delta.data()}, {input, true},
                        Real{1}, sum + topology().weight_offset(k));
      if (k == 0) return;
      auto previous = scratch.deltas[at(k - 1)].leftCols(size);
      library_.multiply({inputs, size, outputs},
                        {weights_ + topology().weight_offset(k), true},
                        {delta.data()}, Real{0}, previous.data());
      previous = previous.binaryExpr(
          scratch.tile.outputs[at(k - 1)].leftCols(size), [](Real d, Real a) {
            return d * activations::Sigmoid::derivative(a);
          });
    }
  }

  const Library& library_ = library();
  const Real* weights_ = nullptr;
  Vector fixed_weights_;            // only of a plan      [num_weights]
  RealVector<Real> float_weights_;  // only in float32     [num_weights]
};

class OpenBlasBackend final : public Backend {
 public:
  [[nodiscard]] const char* name() const override { return "OpenBLAS"; }

  /// \throws ParamError for networks that Spark does not have
  [[nodiscard]] GradientEvaluator make_gradient_evaluator(
      const Topology& topology, Precision precision) const override {
    check(topology, precision);
    if (precision == Precision::kFloat32) {
      return std::make_unique<GemmNetwork<float>>(topology);
    }
    return std::make_unique<GemmNetwork<double>>(topology);
  }

  /// \throws as make_gradient_evaluator()
  [[nodiscard]] std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const override {
    check(topology, precision);
    if (precision == Precision::kFloat32) {
      return std::make_unique<GemmNetwork<float>>(topology, weights);
    }
    return std::make_unique<GemmNetwork<double>>(topology, weights);
  }

 private:
  void check(const Topology& topology, Precision precision) const {
    require(precision);
    if (topology.is_spark()) return;
    throw ParamError(
        "backend OpenBLAS supports only the networks of Spark, with sigmoid "
        "hidden layers and no other options; use the CPU kernels for all "
        "others");
  }
};

}  // namespace

Library::Library(const std::string& name) {
  void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    throw ResourceError(
        std::string("OpenBLAS cannot be loaded: ")
            .append(reason ? reason : name)
            .append("; install it, for example Debian's package "
                    "libopenblas0-pthread, or use another backend"));
  }
  void (*set_num_threads)(int) = nullptr;
  find(handle, name, "cblas_dgemm", std::get<Gemm<double>>(gemm_));
  find(handle, name, "cblas_sgemm", std::get<Gemm<float>>(gemm_));
  find(handle, name, "openblas_set_num_threads", set_num_threads);
  find(handle, name, "openblas_get_corename", get_core_name_);
  find(handle, name, "openblas_get_config", get_config_);
  if (config().find("USE64BITINT") != std::string::npos) {
    refuse(handle, name, "must use 32-bit integers; it uses 64-bit integers");
  }
  set_num_threads(1);
}

const Library& library() {
  static const Library opened;
  return opened;
}

const Backend& backend() {
  static_cast<void>(library());
  static const OpenBlasBackend opened;
  return opened;
}

}  // namespace mlp::openblas
