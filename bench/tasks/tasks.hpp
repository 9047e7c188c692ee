// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../worker/worker.hpp"

namespace mlp::bench {

// The tasks of mlp_bench, each in the file of its name.
[[nodiscard]] std::unique_ptr<Task> make_fma_peak(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_read_rate(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_evaluation(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_fit(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_epochs(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_optimiser(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_scoring(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_compile_time_scoring(
    const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_reading(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_file_reading(
    const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_model_file(const Arguments& arguments);
[[nodiscard]] std::unique_ptr<Task> make_start_up(const Arguments& arguments);

}  // namespace mlp::bench
