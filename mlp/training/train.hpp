// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../optim/summary.hpp"
#include "../instances/training_instances.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "../result/fit_warning.hpp"
#include "fit_options.hpp"

namespace mlp {

/// The result of a training.
struct TrainedWeights {
  Vector weights;     ///< [num_weights]
  Vector statistics;  ///< [num_statistics]
  optim::Summary summary;
  std::vector<FitWarning> warnings = {};
};

/// Returns hyper-parameters with the shuffling that kAuto means: slabs if the features are
/// in a file. Ranks shuffle rows, because some may have a file, and others none, and
/// because one that is left alone goes on with the training of all.
///
/// \param has_ranks  true for ranks of an allreduce, be it one
[[nodiscard]] inline Params with_shuffle(Params params,
                                         const datasets::Dataset& data,
                                         bool has_ranks) {
  if (params.shuffle == Shuffle::kAuto && has_mini_batches(params.solver) &&
      !params.in_order && !has_ranks && data.stored &&
      data.stored->is_in_file()) {
    params.shuffle = Shuffle::kSlabs;
  }
  return params;
}

/// Trains a network by the solver of params, on one rank or on several.
///
/// \param topology  of params
/// \param data      the instances of this rank; their features may be packed
/// \throws DataError, ShapeError for data that do not match; ParamError if the
///         backend lacks what params ask for; ModelError for a state of another
///         training; CommunicationError if a rank is lost
[[nodiscard]] TrainedWeights train(const Topology& topology,
                                   const Params& params,
                                   TrainingInstances& data,
                                   const FitOptions& options);

/// Trains on data of the caller.
[[nodiscard]] inline TrainedWeights train(const Topology& topology,
                                          const Params& params,
                                          const datasets::Dataset& data,
                                          const FitOptions& options) {
  TrainingInstances instances = TrainingInstances::view(data);
  return train(topology, params, instances, options);
}

}  // namespace mlp

#ifndef MLP_COMPILED  // otherwise mlp::compiled defines it
namespace mlp {
inline TrainedWeights train(const Topology&, const Params&, TrainingInstances&,
                            const FitOptions&);
}  // namespace mlp
#include "train.ipp"
#endif
