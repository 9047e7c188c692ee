// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../core/types.hpp"
#include "../../datasets/dataset.hpp"
#include "../../mlp/backend/backend.hpp"
#include "../../mlp/backend/precision.hpp"
#include "../../mlp/network/topology.hpp"
#include "worker.hpp"

namespace mlp::bench {

/// What an evaluation needs, made from the shape alone, so that two processes
/// agree on every bit of it.
struct Problem {
  Topology topology;
  Matrix features;                   // [num_features x num_instances]
  std::vector<std::int32_t> labels;  // [num_instances]
  Vector instance_weights;           // [num_instances]
  Vector weights;                    // [num_weights]

  /// The views a backend reads; valid while this problem lives.
  [[nodiscard]] InstanceRange instances() const;

  /// The same data as a reader would deliver them.
  [[nodiscard]] datasets::Dataset dataset() const;
};

/// Draws dense features, uniform in [0, 1), and labels; weighs the instances as
/// Spark's blocks of 128 do and draws Spark's initial weights.
[[nodiscard]] Problem random_problem(const std::vector<Index>& layers,
                                     Index num_instances);

/// Reads the data that come with the sources: "iris" or "mnist", MNIST's 10,000
/// test rows over 255 in two partitions.
///
/// \throws ParamError for another name
[[nodiscard]] datasets::Dataset stored_dataset(const std::string& name);

/// The problem that a fit of stored data starts with.
[[nodiscard]] Problem stored_problem(const std::string& name);

/// Layers as the comma-separated text of a command line: "784,100,10".
///
/// \throws ParamError where one is no integer >= 1
[[nodiscard]] std::vector<Index> parse_layers(const std::string& text);

/// Reads "f64" or "f32".
///
/// \throws ParamError for another word
[[nodiscard]] Precision parse_precision(const std::string& word);

/// Writes features.npy, labels.npy, instance_weights.npy and weights.npy, for
/// programs in other languages.
///
/// \throws DataError where a file cannot be written
void write_problem(const Problem& problem, const std::string& folder);

/// Writes a random problem for the words LAYERS INSTANCES FOLDER.
void write_problem(const Arguments& arguments);

}  // namespace mlp::bench
