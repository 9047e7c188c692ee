// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/memory/available_memory.hpp"
#include "../../core/names.hpp"
#include "../../core/types.hpp"
#include "../../distributed/allreduce.hpp"
#include "../backend/backend.hpp"
#include "../backend/precision.hpp"
#include "../instances/slices.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"

/// How much memory a training needs, before any of it is allocated.
namespace mlp {

/// The instances of a training, as far as its memory depends on them.
struct TrainingSize {
  Index num_instances = 0;  ///< of this rank

  /// True if a copy of the features replaces the rows.
  bool owns_features = false;

  int num_ranks = 1;  ///< that begin in this process at the same time
};

/// The memory that a training takes in addition to its data, in bytes. Small
/// buffers are left out, so a training takes a little more than this.
struct TrainingMemory {
  double solver = 0.0;     ///< weights, gradients, history or means
  double gradients = 0.0;  ///< of slices and threads, before they are added
  double kernels = 0.0;    ///< packed weights, features and outputs
  double instances = 0.0;  ///< labels and weights of instances

  [[nodiscard]] double total() const {
    return solver + gradients + kernels + instances;
  }
};

namespace detail {

inline constexpr double kDoubleBytes = sizeof(double);

inline double number_bytes(const FitOptions& options) {
  return options.precision != Precision::kFloat64 ? sizeof(float)
                                                  : sizeof(double);
}

/// Vectors of the size of the weights that a solver keeps, in bytes a weight.
inline double solver_bytes_per_weight(const Params& params,
                                      const FitOptions& options) {
  double num_doubles = 1.0;                               // the result
  if (options.validation != nullptr) num_doubles += 1.0;  // the best weights
  switch (params.solver) {
    case Solver::kLbfgs:
      // x, gradient, direction, trial x, trial gradient, and the corrections
      num_doubles += 5.0 + 2.0 * static_cast<double>(std::min(
                                     params.history_size, params.max_iter));
      return num_doubles * kDoubleBytes;
    case Solver::kGradientDescent:
      num_doubles += 3.0;  // gradient, next gradient, previous x
      return num_doubles * kDoubleBytes;
    default:
      break;
  }
  double num_numbers = 4.0;  // weights, gradient, two means
  if (params.solver == Solver::kSgd) {
    num_numbers = params.momentum == 0.0 ? 2.0 : 3.0;
  }
  return num_doubles * kDoubleBytes + num_numbers * number_bytes(options);
}

/// Gradients that are added, over slices and ranks, in bytes a weight.
///
/// \pre a full-batch solver
inline double gradient_bytes_per_weight(const Topology& topology,
                                        const FitOptions& options,
                                        Index num_instances) {
  const distributed::Allreduce* const group = options.distribution.allreduce;
  double num_doubles = 0.0;
  if (options.distribution.is_reproducible) {
    num_doubles += 4.0;  // of a slice, and three numbers of an exact sum
  } else if (group != nullptr && group->world_size() > 1) {
    num_doubles += 1.0;
  }
  if (!options.backend->shares_gradient(topology)) {
    num_doubles += static_cast<double>(
                       Slices::count(num_instances, topology.num_weights())) -
                   1.0;
  }
  return num_doubles * kDoubleBytes;
}

/// What a backend copies in the order of its arithmetic.
inline double packed_bytes(const Topology& topology, const Params& params,
                           const FitOptions& options,
                           const TrainingSize& size) {
  const Index num_instances = size.num_instances;
  const auto num_features = static_cast<double>(topology.num_features());
  const double features = num_features * static_cast<double>(num_instances);
  // For both passes; the first layer has no backward pass.
  double numbers = 2.0 * static_cast<double>(topology.num_weights()) -
                   static_cast<double>(topology.layer_end(0));
  bool copies_features = true;
  if (has_mini_batches(params.solver)) {
    copies_features = options.precision == Precision::kFloat32;
    double num_values = num_features;
    for (Index k = 0; k < topology.num_layers(); ++k) {
      num_values += 2.0 * static_cast<double>(topology.output_size(k));
    }
    numbers += num_values *
               static_cast<double>(std::min(params.batch_size, num_instances));
  }
  copies_features = copies_features && !size.owns_features;
  if (copies_features && may_copy(features * number_bytes(options))) {
    numbers += features;
  }
  return numbers * number_bytes(options);
}

}  // namespace detail

/// Computes the memory that a training takes. It is a lower bound: from 80 % to
/// 100 % of what large trainings take by the CPU kernels.
///
/// It is that of one rank.
[[nodiscard]] inline TrainingMemory training_memory(const Topology& topology,
                                                    const Params& params,
                                                    const FitOptions& options,
                                                    const TrainingSize& size) {
  const auto num_weights = static_cast<double>(topology.num_weights());
  TrainingMemory memory;
  memory.solver =
      num_weights * detail::solver_bytes_per_weight(params, options);
  if (!has_mini_batches(params.solver)) {
    memory.gradients = num_weights * detail::gradient_bytes_per_weight(
                                         topology, options, size.num_instances);
  }
  if (options.backend->packs()) {
    memory.kernels = detail::packed_bytes(topology, params, options, size);
  }
  // A label, and its weight or its place in the order of the mini-batches.
  memory.instances = 12.0 * static_cast<double>(size.num_instances);
  return memory;
}

namespace detail {

/// "31.2 GB of memory (26 GB for l-bfgs, 5.2 GB for the kernels)"
inline std::string describe_memory(const TrainingMemory& memory, double factor,
                                   Solver solver) {
  constexpr double kLeastShare = 0.01;
  std::string parts;
  const auto add = [&](double bytes, std::string_view name) {
    if (bytes < kLeastShare * memory.total()) return;
    if (!parts.empty()) parts += ", ";
    parts += format_bytes(bytes * factor).append(" for ").append(name);
  };
  add(memory.solver,
      std::string("solver ").append(name_in(kSolverNames, solver)));
  add(memory.gradients, "sums of gradients");
  add(memory.kernels, "the kernels");
  add(memory.instances, "labels");
  return format_bytes(memory.total() * factor) + " of memory (" + parts + ')';
}

}  // namespace detail

/// Returns false if a training needs more memory than is left. Small trainings are
/// not checked.
///
/// \param share  of the memory that is left, which the training may take
[[nodiscard]] inline bool has_training_memory(const Topology& topology,
                                              const Params& params,
                                              const FitOptions& options,
                                              const TrainingSize& size,
                                              double share = 1.0) {
  const double needed =
      training_memory(topology, params, options, size).total() * size.num_ranks;
  return needed < kLeastCheckedBytes ||
         needed <= share * available_memory().bytes;
}

/// Refuses a training that needs more memory than is left, before any is
/// allocated. A small training is not checked: it would fail while it allocates.
///
/// \throws ResourceError with both sizes
inline void check_training_memory(const Topology& topology,
                                  const Params& params,
                                  const FitOptions& options,
                                  const TrainingSize& size) {
  const TrainingMemory memory =
      training_memory(topology, params, options, size);
  const double needed = memory.total() * size.num_ranks;
  if (needed < kLeastCheckedBytes) return;
  const AvailableMemory available = available_memory();
  if (needed <= available.bytes) return;
  std::string ranks;
  if (size.num_ranks > 1) {
    ranks = " on " + std::to_string(size.num_ranks) + " ranks";
  }
  throw ResourceError(
      "training" + ranks + " needs " +
      detail::describe_memory(memory, size.num_ranks, params.solver) + "; " +
      format_bytes(available.bytes) + " are available (" + available.limit +
      "); use smaller layers or less data" +
      (has_mini_batches(params.solver)
           ? ", or precision float32"
           : ", a smaller historySize, or solver sgd"));
}

}  // namespace mlp
