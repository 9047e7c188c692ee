// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Trainings whose vectors stay in the memory of a backend, such as a device.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <variant>

#include "../../core/byte_stream.hpp"
#include "../../core/types.hpp"
#include "../../distributed/device_allreduce.hpp"
#include "../../optim/adam.hpp"
#include "../../optim/gradient_descent/gradient_descent_vectors.hpp"
#include "../../optim/lbfgs/lbfgs_vectors.hpp"
#include "../../optim/sgd.hpp"
#include "../instances/instance_range.hpp"
#include "../network/topology.hpp"
#include "batch_evaluator.hpp"
#include "penalty.hpp"
#include "precision.hpp"

namespace mlp {

/// What a resident training minimises.
struct ResidentObjective {
  Topology topology;

  /// The instances of this rank. With full-batch solvers their weights are those
  /// of the objective. They must outlive the training.
  InstanceRange instances;

  /// Where they begin in the instances of all ranks.
  Index first_instance = 0;

  FrozenLayers frozen;  ///< [num_layers]
  Penalty penalty;

  /// Of a training by mini-batches: the most instances of one on this rank.
  Index max_batch_size = 1;

  Precision precision = Precision::kFloat64;

  /// Asked before each evaluation and each step: true throws optim::Interrupted,
  /// on all ranks. May be empty.
  std::function<bool()> is_stopping = {};

  /// The group of the ranks; null if this rank is alone.
  distributed::DeviceAllreduce* allreduce = nullptr;
};

/// What a mini-batch solver does with a gradient.
using BatchRule = std::variant<optim::SgdOptions, optim::AdamOptions>;

/// A training by mini-batches whose weights and solver stay in the memory of a
/// backend.
class BatchSolver {
 public:
  /// One step, the same on all ranks.
  struct Step {
    std::int64_t number = 0;  ///< counted over all epochs, from 0 on

    /// The mini-batch: positions in the instances of all ranks.
    std::span<const Index> instances;

    std::uint64_t dropout_seed = 0;
    double step_size = 0.0;

    /// The mini-batch, and the instances of the others behind it in its epoch.
    std::span<const Index> rest = {};
  };

  virtual ~BatchSolver() = default;

  /// Sets the weights and the running statistics; the solver begins anew.
  ///
  /// \param weights     [num_weights]
  /// \param statistics  [num_statistics]
  virtual void start(const Vector& weights, const Vector& statistics) = 0;

  /// Evaluates a mini-batch and updates the weights. The work may go on after
  /// the call.
  ///
  /// \throws optim::Interrupted on all ranks if one asked to stop; nothing has
  ///         changed then
  virtual void step(const Step& step) = 0;

  /// Sets the sum to which each step adds the size of its mini-batch times its
  /// loss, the penalty included.
  virtual void set_loss_sum(double sum) = 0;

  /// Returns that sum. Waits for the steps.
  [[nodiscard]] virtual double loss_sum() const = 0;

  /// Copies weights and statistics to the host. Waits for the steps.
  ///
  /// \param[out] weights     [num_weights]
  /// \param[out] statistics  [num_statistics]
  virtual void copy_out(Vector& weights, Vector& statistics) const = 0;

  /// Writes weights, statistics and the state of the solver as the host's
  /// training does: two vectors of its number type, then Sgd::save() or
  /// Adam::save().
  virtual void save(ByteWriter& state) const = 0;

  /// Reads what save() wrote, after start().
  ///
  /// \throws ModelError if the state ends early or is of another training
  virtual void restore(ByteReader& state) = 0;

  /// Returns the number of steps that the state of the solver has made.
  [[nodiscard]] virtual Index num_steps() const = 0;
};

/// Trains in the memory of a backend, such as a device.
class ResidentTraining {
 public:
  virtual ~ResidentTraining() = default;

  /// Makes the vectors of L-BFGS.
  ///
  /// \param objective  copied; its instances and functions must outlive the result
  [[nodiscard]] virtual std::unique_ptr<optim::LbfgsVectors> make_lbfgs_vectors(
      const ResidentObjective& objective, Index history_size) const = 0;

  /// Makes the vectors of gradient descent.
  [[nodiscard]] virtual std::unique_ptr<optim::GradientDescentVectors>
  make_gradient_descent_vectors(const ResidentObjective& objective) const = 0;

  /// Makes a training by mini-batches.
  [[nodiscard]] virtual std::unique_ptr<BatchSolver> make_batch_solver(
      const ResidentObjective& objective, const BatchRule& rule) const = 0;
};

}  // namespace mlp
