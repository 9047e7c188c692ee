// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asks the system for the processor's name, its cores and its huge pages.

#include <string>

namespace mlp::cli {

// What the machine says of itself; "unknown" or 0 where it does not.

/// Returns the name that the processor gives itself.
[[nodiscard]] std::string processor_name();

/// Counts the cores, each of which may run several threads at once.
[[nodiscard]] int count_cores();

/// Counts the threads that the machine runs at once.
[[nodiscard]] int count_hardware_threads();

/// Counts those that this process may use, by taskset for one; at least 1.
[[nodiscard]] int count_usable_threads();

/// Returns when the system gives huge pages: always, madvise or never.
[[nodiscard]] std::string huge_page_policy();

}  // namespace mlp::cli
