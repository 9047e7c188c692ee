// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/backend/batch_evaluator.hpp"

#include <doctest/doctest.h>

#include <array>
#include <type_traits>

namespace mlp {

namespace {

/// One weight w and the loss w x, x the only feature: the least that fits.
template <typename Number>
class LinearEvaluator final : public BatchEvaluator<Number> {
 public:
  void bind(const InstanceRange& instances) override { instances_ = instances; }

  double value_and_gradient(const MiniBatch& batch, const Number* weights,
                            Number*, Number* gradient, ThreadPool&) override {
    double sum = 0.0;
    for (const Index i : batch.instances) sum += instances_.features[i];
    *gradient =
        static_cast<Number>(sum / static_cast<double>(batch.instances.size()));
    return static_cast<double>(*weights * *gradient);
  }

 private:
  InstanceRange instances_;
};

}  // namespace

TEST_SUITE("mlp/backend/batch_evaluator") {
  // The mean of features 4 and 1 is 2.5; times the weight 2 it is 5.
  TEST_CASE_TEMPLATE("takes an implementation of ten lines", Number, double,
                     float) {
    const std::array<double, 3> features{1.0, 2.0, 4.0};
    const std::array<Index, 2> batch{2, 0};
    InstanceRange instances;
    instances.size = 3;
    instances.features = features.data();
    LinearEvaluator<Number> linear;
    BatchEvaluator<Number>& evaluator = linear;
    const Number weight = 2;
    Number gradient = 0;
    ThreadPool pool(1);
    evaluator.bind(instances);

    const double value = evaluator.value_and_gradient({batch}, &weight, nullptr,
                                                      &gradient, pool);

    CHECK(value == 5.0);
    CHECK(gradient == Number(2.5));
  }

  TEST_CASE("lets a pointer to the interface destroy what it points to") {
    CHECK(std::has_virtual_destructor_v<BatchEvaluator<double>>);
    CHECK(std::is_abstract_v<BatchEvaluator<double>>);
  }

  TEST_CASE("freezes no layer unless told to") {
    CHECK(FrozenLayers().empty());
  }
}

}  // namespace mlp
