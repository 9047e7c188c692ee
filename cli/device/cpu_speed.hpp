// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Measures how fast the CPU evaluates a network.

#include "../../datasets/dataset.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../mlp/model/model.hpp"
#include "../../mlp/params/params.hpp"

namespace mlp::cli {

/// Measures one evaluation of the objective and its gradient on the first
/// instances of a training.
///
/// \param data  its features are used if the network takes them as they are;
///              labels are not
/// \return the seconds per instance
/// \cost   twice the time of up to 4 Gflop per thread
[[nodiscard]] double measure_training(const Backend& backend,
                                      const Topology& topology,
                                      const Params& params, Precision precision,
                                      int num_threads,
                                      const datasets::Dataset& data);

/// Measures the prediction of the first instances.
///
/// \param features  [num_features x num_instances], at least one instance
/// \return the seconds per instance
[[nodiscard]] double measure_scoring(const Backend& backend, const Model& model,
                                     int num_threads, const Matrix& features);

}  // namespace mlp::cli
