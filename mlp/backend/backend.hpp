// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../instances/instance_range.hpp"
#include "../instances/leaves.hpp"
#include "../network/topology.hpp"
#include "batch_evaluator.hpp"
#include "precision.hpp"
#include "scoring_plan.hpp"

namespace mlp {

/// The dense arithmetic of one network at one point of the weight space. Networks
/// that compute otherwise in training than in scoring have a BatchEvaluator.
///
/// Thread safety: set_weights() excludes every other call; the others are const
/// and may run at once, each with a workspace of its own.
class Evaluator {
 public:
  /// Scratch memory of one thread. Calls do not allocate once it exists.
  class Workspace {
   public:
    virtual ~Workspace() = default;
  };

  virtual ~Evaluator() = default;

  /// Slices of the instances of bind() begin at multiples of this.
  static constexpr Index kSliceUnit = Leaves::kUnit;

  /// Tells the instances that later calls of add_gradient() take slices of: an
  /// implementation may prepare a form of its own, once. They must stay alive and
  /// as they are.
  ///
  /// \param instances  all of them: first is 0, and that of slices counts here
  virtual void bind(const InstanceRange& instances) {
    static_cast<void>(instances);
  }

  /// Fixes the weights of the calls that follow; they must stay alive.
  ///
  /// \param weights  [topology.num_weights()]
  virtual void set_weights(const double* weights) = 0;

  [[nodiscard]] virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  /// Adds these instances' share of the gradient and returns their share of the
  /// objective: sums over instances of weight times loss.
  ///
  /// \param[in,out] gradient  running sum   [topology.num_weights()]
  /// \cost 2 size (3 S - n0 n1) flops, S = sum of products of adjacent sizes
  virtual double add_gradient(const InstanceRange& instances, double* gradient,
                              Workspace& workspace) const = 0;

  /// True where one gradient that all threads share serves better than one for
  /// each leaf: very large networks. compute_shared_gradient() is called then, and
  /// add_gradient() is not.
  [[nodiscard]] virtual bool shares_gradient() const { return false; }

  /// Computes objective and gradient over all instances of bind(). The bits do
  /// not depend on the threads.
  ///
  /// \param      weights      [topology.num_weights()]
  /// \param[out] gradient     [topology.num_weights()]
  /// \param      poll         called between pieces of the work, from any
  ///                          thread; what it throws leaves the evaluation
  virtual double compute_shared_gradient(const double* weights,
                                         double* gradient, ThreadPool& pool,
                                         const std::function<void()>& poll) {
    static_cast<void>(weights);
    static_cast<void>(gradient);
    static_cast<void>(pool);
    static_cast<void>(poll);
    throw std::logic_error("shares_gradient() is false for this evaluator");
  }

  /// Computes the output of layer k: all that a hidden layer does, of the last
  /// what its loss begins with. Batch normalisation is folded before, and dropout
  /// left out (batch_norm.hpp).
  ///
  /// \param      instances  only features and size are read
  /// \param[out] output     [topology.output_size(k) x size]
  virtual void compute_output(const InstanceRange& instances, Index k,
                              double* output, Workspace& workspace) const = 0;
};

/// An implementation of the dense arithmetic. The reference one is the
/// specification; every other is proved equal to it by a test.
class Backend {
 public:
  virtual ~Backend() = default;

  /// The name that the command line and the documents use.
  [[nodiscard]] virtual const char* name() const = 0;

  /// \param topology   copied
  /// \param precision  what the evaluator computes in; features, weights and
  ///                   results are double precision outside of it
  [[nodiscard]] virtual std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology, Precision precision) const = 0;

  /// Makes an evaluator in double precision.
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology) const {
    return make_evaluator(topology, Precision::kFloat64);
  }

  /// Makes the forward pass with fixed weights.
  ///
  /// \param topology   copied
  /// \param weights    [topology.num_weights()]; not needed afterwards
  /// \param precision  what the plan computes in
  [[nodiscard]] virtual std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const = 0;

  /// Makes the arithmetic of mini-batches.
  ///
  /// \param topology  copied
  /// \param frozen    [topology.num_layers()], or empty
  /// \throws ParamError where the backend has none
  [[nodiscard]] virtual std::unique_ptr<BatchEvaluator<double>>
  make_batch_evaluator(const Topology& topology, const FrozenLayers& frozen,
                       std::type_identity<double> number) const {
    static_cast<void>(topology);
    static_cast<void>(frozen);
    static_cast<void>(number);
    refuse_batches();
  }

  /// Makes it in single precision.
  [[nodiscard]] virtual std::unique_ptr<BatchEvaluator<float>>
  make_batch_evaluator(const Topology& topology, const FrozenLayers& frozen,
                       std::type_identity<float> number) const {
    static_cast<void>(topology);
    static_cast<void>(frozen);
    static_cast<void>(number);
    refuse_batches();
  }

 private:
  [[noreturn]] void refuse_batches() const {
    throw ParamError(
        std::string("solver must be l-bfgs or gd for backend ")
            .append(name())
            .append(", which has no mini-batches; the CPU kernels have them"));
  }
};

}  // namespace mlp
