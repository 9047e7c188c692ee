// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "fixed_network.hpp"

#include "compile_time_network.hpp"

namespace mlp::bench {
namespace {

template <typename T, typename Network>
class Fixed final : public FixedNetwork<T> {
 public:
  explicit Fixed(const double* weights) : network_(weights) {}

  void predict_raw(const T* row, T* scores) const override {
    const auto raw = network_.predict_raw(row);
    for (std::size_t i = 0; i < raw.size(); ++i) scores[i] = raw[i];
  }

 private:
  Network network_;
};

}  // namespace

template <typename T>
std::unique_ptr<FixedNetwork<T>> make_fixed_iris(const double* weights) {
  return std::make_unique<Fixed<T, CompileTimeNetwork<T, 4, 5, 4, 3>>>(weights);
}

template <typename T>
std::unique_ptr<FixedNetwork<T>> make_fixed_mnist(const double* weights) {
  return std::make_unique<Fixed<T, CompileTimeNetwork<T, 784, 100, 10>>>(
      weights);
}

template std::unique_ptr<FixedNetwork<double>> make_fixed_iris(const double*);
template std::unique_ptr<FixedNetwork<float>> make_fixed_iris(const double*);
template std::unique_ptr<FixedNetwork<double>> make_fixed_mnist(const double*);
template std::unique_ptr<FixedNetwork<float>> make_fixed_mnist(const double*);

}  // namespace mlp::bench
