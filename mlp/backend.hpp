// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "../core/types.hpp"
#include "precision.hpp"
#include "topology.hpp"

namespace mlp {

/// A run of consecutive instances, as a backend reads it. Owns nothing.
struct InstanceRange {
  Index size = 0;
  const double* features = nullptr;      ///< [num_features x size]
  const double* weights = nullptr;       ///< of the instances   [size]
  const std::int32_t* labels = nullptr;  ///< kSoftmaxNll: classes   [size]
  const double* targets =
      nullptr;      ///< kSigmoidSquaredError [num_outputs x size]
  Index first = 0;  ///< position of the first one in the whole data
};

/// The dense arithmetic of one network at one point of the weight space.
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

  /// Tells the instances that later calls of add_gradient() take ranges of: an
  /// implementation may prepare a form of its own, once. They must stay alive.
  ///
  /// \param instances  all of them, first = 0
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

  /// Computes the output of layer k: after the sigmoid of a hidden layer, before
  /// the softmax of the last.
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
};

}  // namespace mlp
