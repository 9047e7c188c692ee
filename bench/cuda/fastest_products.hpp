// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>

#include <array>
#include <memory>
#include <type_traits>
#include <vector>

#include "../../cuda/blas/matrix_products.hpp"
#include "../../cuda/runtime/device_array.hpp"
#include "../../cuda/runtime/stream.hpp"
#include "../../mlp/backend/precision.hpp"
#include "device_clock.hpp"
#include "network_products.hpp"

namespace mlp::bench {

/// The matrix products of one evaluation by the fastest algorithms of cuBLASLt, for
/// comparison with an evaluation.
///
/// Each product is timed with every algorithm that the library's heuristic
/// suggests, on random numbers.
class FastestProducts {
 public:
  /// The calls of a timing: the device then does not wait for the host between them.
  static constexpr int kNumCalls = 5;

  /// \throws DeviceError if the device or cuBLASLt fails
  FastestProducts(const std::vector<NetworkProduct>& products,
                  Precision precision);

  /// Runs each product some times in a row, and returns the sum of the seconds of
  /// one time each.
  double seconds();

  /// The seconds of a product by its fastest algorithm, and by the call of mlp.
  struct Comparison {
    NetworkProduct product;
    double fastest = 0.0;
    double ours = 0.0;
  };

  /// Compares each product.
  [[nodiscard]] std::vector<Comparison> compare();

 private:
  /// Destroys objects of cuBLASLt.
  struct Destroy {
    void operator()(cublasLtHandle_t handle) const { cublasLtDestroy(handle); }
    void operator()(cublasLtMatmulDesc_t product) const {
      cublasLtMatmulDescDestroy(product);
    }
    void operator()(cublasLtMatrixLayout_t layout) const {
      cublasLtMatrixLayoutDestroy(layout);
    }
    void operator()(cublasLtMatmulPreference_t preference) const {
      cublasLtMatmulPreferenceDestroy(preference);
    }
  };
  template <typename Handle>
  using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

  /// A product and its fastest algorithm.
  struct Prepared {
    NetworkProduct shape;
    Owned<cublasLtMatmulDesc_t> product;
    std::array<Owned<cublasLtMatrixLayout_t>, 3>
        layouts;  // left, right, result
    cublasLtMatmulAlgo_t algorithm{};
  };

  /// The types of a precision.
  struct Types {
    cudaDataType_t factor;
    cudaDataType_t result;
    cublasComputeType_t compute;
    Index factor_bytes;
    Index result_bytes;
  };

  [[nodiscard]] static Types types_of(Precision precision);
  void allocate(const std::vector<NetworkProduct>& products);
  [[nodiscard]] Prepared prepare(const NetworkProduct& product);
  void choose_algorithm(Prepared& prepared);

  /// Returns the seconds of one of some calls in a row, or a negative number if
  /// the algorithm does not run.
  double time(const Prepared& prepared, const cublasLtMatmulAlgo_t& algorithm,
              int num_calls);

  /// Adds a product to the stream as mlp does.
  void multiply(const NetworkProduct& product);

  Precision precision_;
  Types types_;
  cuda::Stream stream_;
  DeviceClock clock_;
  Owned<cublasLtHandle_t> handle_;
  cuda::DeviceArray<char> workspace_;
  std::array<cuda::DeviceArray<char>, 3> matrices_;  // left, right, result
  std::vector<Prepared> prepared_;
  cuda::MatrixProducts products_;
};

}  // namespace mlp::bench
