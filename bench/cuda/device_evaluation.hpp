// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../worker/worker.hpp"

namespace mlp::bench {

/// Makes the task LAYERS INSTANCES f64|f32|tf32|bf16: in turn the rate of a copy,
/// the products of one evaluation by the fastest algorithms of cuBLASLt, one
/// evaluation, and one iteration of L-BFGS with a full history. A sample has the
/// seconds of each.
[[nodiscard]] std::unique_ptr<Task> make_device_evaluation(
    const Arguments& arguments);

/// Prints a line of JSON for each product of LAYERS INSTANCES f64|f32|tf32|bf16:
/// its sizes, and its seconds by the fastest algorithm of cuBLASLt and by mlp.
void print_products(const Arguments& arguments);

/// Runs an evaluation of LAYERS INSTANCES f64|f32|tf32|bf16, and runs it again as a
/// graph, for profilers.
void run_evaluation(const Arguments& arguments);

}  // namespace mlp::bench
