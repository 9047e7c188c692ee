// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Evaluates the objective and the gradient of a network over all instances.

#include <atomic>
#include <functional>
#include <memory>
#include <variant>

#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../instances/instance_range.hpp"
#include "../instances/slices.hpp"

namespace mlp {

/// Computes the gradient of one slice of the instances at a time, on the thread of
/// the caller.
///
/// Thread safety: no other call may run during bind() and set_weights(). The other
/// calls are const and may run at the same time, each with its own workspace.
class SliceEvaluator {
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

  virtual ~SliceEvaluator() = default;

  /// The first instance of each slice is a multiple of this number.
  static constexpr Index kSliceUnit = Slices::kUnit;

  /// Sets the instances, before any other call.
  ///
  /// An implementation may store a copy in its own layout, which then replaces the
  /// features that a training owns. The instances must stay alive and unchanged.
  ///
  /// \param instances  all instances, with first = 0; first of a slice is its
  ///                   position here
  virtual void bind(const InstanceRange& instances) = 0;

  /// Sets the weights of the next calls; they must stay alive.
  ///
  /// \param weights  [topology.num_weights()]
  virtual void set_weights(const double* weights) = 0;

  [[nodiscard]] virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  /// Computes the gradient of a slice and returns its objective. Both are sums of
  /// weight times loss, zero for no instances.
  ///
  /// \param      slice     of the instances of bind()
  /// \param[out] gradient  [topology.num_weights()]
  /// \cost 2 size (3 S - n0 n1) flops, S = sum of products of adjacent sizes
  virtual double compute_gradient(const InstanceRange& slice, double* gradient,
                                  Workspace& workspace) const = 0;
};

/// Computes the gradient of all instances in one array that all threads share,
/// which is faster for very large networks, and on devices.
class SharedEvaluator {
 public:
  virtual ~SharedEvaluator() = default;

  /// As SliceEvaluator::bind().
  virtual void bind(const InstanceRange& instances) = 0;

  /// Computes objective and gradient over all instances of bind(). The result has
  /// the same bits for every number of threads.
  ///
  /// \param      weights   [topology.num_weights()]
  /// \param[out] gradient  [topology.num_weights()]
  /// \param      poll      called between steps of the work, on any thread; its
  ///                       exceptions end the evaluation
  virtual double compute_gradient(const double* weights, double* gradient,
                                  ThreadPool& pool,
                                  const std::function<void()>& poll) = 0;
};

/// The evaluator of a network; Backend::shares_gradient() says which of the two.
using GradientEvaluator = std::variant<std::unique_ptr<SliceEvaluator>,
                                       std::unique_ptr<SharedEvaluator>>;

}  // namespace mlp
