// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../datasets/dataset.hpp"
#include "../network/topology.hpp"
#include "../params/params.hpp"
#include "fit_options.hpp"
#include "trained_weights.hpp"

namespace mlp {

/// Trains a network, by whichever solver.
///
/// \param topology  of params
/// \throws DataError, ShapeError for data that do not fit; ParamError where the
///         backend lacks what params ask for; ModelError for a state to go on from
///         that is of another training
[[nodiscard]] TrainedWeights train(const Topology& topology,
                                   const Params& params,
                                   const datasets::Dataset& data,
                                   const FitOptions& options);

}  // namespace mlp

#ifndef MLP_COMPILED  // else mlp::compiled defines it
namespace mlp {
inline TrainedWeights train(const Topology&, const Params&,
                            const datasets::Dataset&, const FitOptions&);
}  // namespace mlp
#include "train.ipp"
#endif
