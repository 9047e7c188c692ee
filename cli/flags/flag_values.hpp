// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "../../core/names.hpp"
#include "../../datasets/csv/csv_options.hpp"

/// The choices of the program's flags, each with the names that users write.
namespace mlp::cli {

// The values of flags that accept one of several names. Those of the
// hyper-parameters are defined in mlp/.

/// How numbers are sent between ranks.
enum class Transport { kNone, kThreads, kGloo, kMpi, kNccl };

inline constexpr auto kTransportNames = std::to_array<Named<Transport>>({
    {Transport::kThreads, "threads"},
    {Transport::kGloo, "gloo"},
    {Transport::kMpi, "mpi"},
    {Transport::kNccl, "nccl"},
});

/// When progress is shown.
enum class ProgressMode { kAuto, kAlways, kNever };

inline constexpr auto kProgressNames = std::to_array<Named<ProgressMode>>({
    {ProgressMode::kAuto, "auto"},
    {ProgressMode::kAlways, "always"},
    {ProgressMode::kNever, "never"},
});

/// A group of columns that predict can write.
enum class OutputColumn {
  kPrediction,
  kProbability,
  kRawPrediction,
  kLower,  ///< of a prediction interval, as kUpper
  kUpper,
  kSet
};

inline constexpr auto kOutputColumnNames = std::to_array<Named<OutputColumn>>({
    {OutputColumn::kPrediction, "prediction"},
    {OutputColumn::kProbability, "probability"},
    {OutputColumn::kRawPrediction, "rawPrediction"},
    {OutputColumn::kLower, "lower"},
    {OutputColumn::kUpper, "upper"},
    {OutputColumn::kSet, "set"},
});

/// How predict writes its table.
enum class OutputFormat { kCsv, kJsonLines };

inline constexpr auto kOutputFormatNames = std::to_array<Named<OutputFormat>>({
    {OutputFormat::kCsv, "csv"},
    {OutputFormat::kJsonLines, "jsonl"},
});

inline constexpr auto kHeaderNames =
    std::to_array<Named<datasets::HeaderRule>>({
        {datasets::HeaderRule::kAuto, "auto"},
        {datasets::HeaderRule::kYes, "yes"},
        {datasets::HeaderRule::kNo, "no"},
    });

/// The decimal separators of numbers.
inline constexpr auto kDecimalNames = std::to_array<Named<char>>({
    {'.', "."},
    {',', ","},
});

/// The backends; choose_backend() returns the one with a name.
inline constexpr std::array<std::string_view, 4> kBackendNames = {
    "auto", "cpu", "openblas", "reference"};

/// The devices; cuda may be followed by a colon and an index.
inline constexpr std::array<std::string_view, 3> kDeviceNames = {"auto", "cpu",
                                                                 "cuda"};

/// The shells that completion_script() knows.
inline constexpr std::array<std::string_view, 3> kShellNames = {"bash", "zsh",
                                                                "fish"};

}  // namespace mlp::cli
