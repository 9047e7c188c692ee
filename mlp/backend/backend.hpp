// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "../../core/error.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../../optim/vectors/gradient_descent_vectors.hpp"
#include "../../optim/vectors/lbfgs_vectors.hpp"
#include "../instances/instance_range.hpp"
#include "../instances/leaves.hpp"
#include "../network/topology.hpp"
#include "batch_evaluator.hpp"
#include "precision.hpp"
#include "resident_training.hpp"
#include "scoring_plan.hpp"

namespace mlp {

/// Evaluates one network at given weights: outputs, objective and gradient.
///
/// Networks that compute differently in training and in scoring use a
/// BatchEvaluator.
///
/// Thread safety: no other call may run during set_weights(). The other calls
/// are const and may run at the same time, each with its own workspace.
class Evaluator {
 public:
  /// Scratch memory of one thread. After the first call, calls do not allocate.
  class Workspace {
   public:
    virtual ~Workspace() = default;

    /// Lets the calls with this workspace end early when the flag becomes true.
    /// Their results are then undefined.
    ///
    /// \param is_stopping  must outlive this object; may be null
    void set_stop_flag(const std::atomic<bool>* is_stopping) {
      is_stopping_ = is_stopping;
    }

    /// Returns true if the calls may end early. Evaluators ask it before each
    /// tile of instances.
    [[nodiscard]] bool is_stopping() const {
      return is_stopping_ && is_stopping_->load(std::memory_order_relaxed);
    }

   private:
    const std::atomic<bool>* is_stopping_ = nullptr;
  };

  virtual ~Evaluator() = default;

  /// The first instance of each slice passed to compute_gradient() is a multiple
  /// of
  /// this number.
  static constexpr Index kSliceUnit = Leaves::kUnit;

  /// Sets the instances. compute_gradient() receives slices of
  /// them.
  ///
  /// An implementation may store a copy in its own layout. The instances must
  /// stay alive and unchanged.
  ///
  /// \param instances  all instances, with first = 0; first of a slice is its
  ///                   position here
  virtual void bind(const InstanceRange& instances) {
    static_cast<void>(instances);
  }

  /// Sets the weights of the next calls; they must stay alive.
  ///
  /// \param weights  [topology.num_weights()]
  virtual void set_weights(const double* weights) = 0;

  [[nodiscard]] virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  /// Computes the gradient of some instances and returns their objective. Both
  /// are sums of weight times loss, zero for no instances.
  ///
  /// \param[out] gradient  [topology.num_weights()]
  /// \cost 2 size (3 S - n0 n1) flops, S = sum of products of adjacent sizes
  virtual double compute_gradient(const InstanceRange& instances,
                                  double* gradient,
                                  Workspace& workspace) const = 0;

  /// Returns true if all threads should share one gradient, which is faster for
  /// very large networks. The caller then calls compute_shared_gradient()
  /// instead of compute_gradient().
  [[nodiscard]] virtual bool shares_gradient() const { return false; }

  /// Computes objective and gradient over all instances of bind(). The result
  /// has the same bits for every number of threads.
  ///
  /// \param      weights      [topology.num_weights()]
  /// \param[out] gradient     [topology.num_weights()]
  /// \param      poll         called between pieces of work, on any thread; its
  ///                          exceptions end the evaluation
  virtual double compute_shared_gradient(const double* weights,
                                         double* gradient, ThreadPool& pool,
                                         const std::function<void()>& poll) {
    static_cast<void>(weights);
    static_cast<void>(gradient);
    static_cast<void>(pool);
    static_cast<void>(poll);
    throw std::logic_error("shares_gradient() is false for this evaluator");
  }

  /// Computes the output of layer k. For the last layer this is z, the input of
  /// the loss. Batch normalisation must be folded into the weights before, and
  /// dropout is not applied (batch_norm.hpp).
  ///
  /// \param      instances  only features and size are read
  /// \param[out] output     [topology.output_size(k) x size]
  virtual void compute_output(const InstanceRange& instances, Index k,
                              double* output, Workspace& workspace) const = 0;
};

/// An implementation of the dense arithmetic.
///
/// The reference backend is the specification; tests prove the others equal to
/// it.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Returns the name used by the command line and the documentation.
  [[nodiscard]] virtual const char* name() const = 0;

  /// Returns true if evaluators copy weights and features in the order of their
  /// arithmetic, which takes memory.
  [[nodiscard]] virtual bool packs() const { return false; }

  /// Returns true if the backend computes in this precision.
  [[nodiscard]] virtual bool supports(Precision precision) const {
    return is_processor_precision(precision);
  }

  /// Refuses a precision that the backend lacks.
  ///
  /// \throws ParamError naming those that it has
  void require(Precision precision) const {
    if (supports(precision)) return;
    throw ParamError(
        "precision",
        std::string("must be float64 or float32 for backend ")
            .append(name())
            .append("; got ")
            .append(precision_name(precision))
            .append("; tf32 and bf16 need a backend for NVIDIA devices"));
  }

  /// Makes an evaluator.
  ///
  /// \param topology   copied
  /// \param precision  the precision of the computation; features, weights and
  ///                   results are passed in double precision
  [[nodiscard]] virtual std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology, Precision precision) const = 0;

  /// Makes an evaluator in double precision.
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator(
      const Topology& topology) const {
    return make_evaluator(topology, Precision::kFloat64);
  }

  /// Makes a forward pass with fixed weights.
  ///
  /// \param topology   copied
  /// \param weights    [topology.num_weights()]; may be destroyed afterwards
  /// \param precision  the precision of the computation
  [[nodiscard]] virtual std::unique_ptr<ScoringPlan> make_plan(
      const Topology& topology, const double* weights,
      Precision precision) const = 0;

  /// Makes an evaluator of mini-batches in double precision.
  ///
  /// \param topology  copied
  /// \param frozen    [topology.num_layers()], or empty
  /// \throws ParamError if the backend does not support mini-batches
  [[nodiscard]] virtual std::unique_ptr<BatchEvaluator<double>>
  make_batch_evaluator(const Topology& topology, const FrozenLayers& frozen,
                       std::type_identity<double> number) const {
    static_cast<void>(topology);
    static_cast<void>(frozen);
    static_cast<void>(number);
    refuse_batches();
  }

  /// Makes the vectors of L-BFGS in the backend's own memory.
  ///
  /// \param objective  copied; its instances and functions must outlive the result
  /// \return null if the vectors should be the host's, as for backends of the
  ///         processor
  [[nodiscard]] virtual std::unique_ptr<optim::LbfgsVectors> make_lbfgs_vectors(
      const ResidentObjective& objective, Index history_size) const {
    static_cast<void>(objective);
    static_cast<void>(history_size);
    return nullptr;
  }

  /// Makes the vectors of gradient descent in the backend's own memory, or null.
  [[nodiscard]] virtual std::unique_ptr<optim::GradientDescentVectors>
  make_gradient_descent_vectors(const ResidentObjective& objective) const {
    static_cast<void>(objective);
    return nullptr;
  }

  /// Makes a training by mini-batches in the backend's own memory, or null.
  [[nodiscard]] virtual std::unique_ptr<BatchSolver> make_batch_solver(
      const ResidentObjective& objective, const BatchRule& rule) const {
    static_cast<void>(objective);
    static_cast<void>(rule);
    return nullptr;
  }

  /// Makes an evaluator of mini-batches in single precision.
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
        "solver",
        std::string("must be l-bfgs or gd for backend ")
            .append(name())
            .append(
                ", which does not support mini-batches; use the CPU kernels"));
  }
};

}  // namespace mlp
