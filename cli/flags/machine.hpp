// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asks the system for the processor's name, its cores and its huge pages.

#include <string>
#include <string_view>

namespace mlp::cli {

/// The files of the kernel that describe the cores and the huge pages.
inline constexpr std::string_view kCoresFolder = "/sys/devices/system/cpu";
inline constexpr std::string_view kHugePagesFile =
    "/sys/kernel/mm/transparent_hugepage/enabled";

/// The value of a text that the system does not provide.
inline constexpr std::string_view kUnknown = "unknown";

// These functions return kUnknown or 0 if the system does not provide a value.

/// Returns the name that the processor reports.
[[nodiscard]] std::string processor_name();

/// Counts the cores. A core may run several threads at once.
[[nodiscard]] int count_cores();

/// Counts the threads that the machine runs at once.
[[nodiscard]] int count_hardware_threads();

/// Counts the threads that this process may use, which taskset can limit; at
/// least 1.
[[nodiscard]] int count_usable_threads();

/// Returns when the system uses huge pages: always, madvise or never.
[[nodiscard]] std::string huge_page_policy();

}  // namespace mlp::cli
