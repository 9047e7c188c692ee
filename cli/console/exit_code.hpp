// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "../../core/error.hpp"
#include "../../mlp/result/diverged_error.hpp"
#include "usage_error.hpp"

namespace mlp::cli {

/// The exit codes of the program. Scripts depend on these numbers.
enum ExitCode : int {
  kSuccess = 0,
  kInternalFailure = 1,
  kUsageFailure = 2,
  kDataFailure = 3,
  kModelFailure = 4,
  kDiverged = 5,
  kResourceFailure = 6,
  kDeviceFailure = 7,
  kSignalBase = 128  ///< plus the number of the signal
};

/// One exit code: help is made from the table, and the table in
/// docs/command-line.md is compared with it.
struct ExitCodeInfo {
  int code;
  std::string_view name;
  std::string_view meaning;
};

/// The table, in the order of the codes.
inline constexpr auto kExitCodeTable = std::to_array<ExitCodeInfo>({
    {kSuccess, "success", "The command succeeded."},
    {kInternalFailure, "internal", "The program has a bug; please report it."},
    {kUsageFailure, "usage",
     "A flag, an argument or a hyper-parameter is wrong."},
    {kDataFailure, "data",
     "A data file cannot be read, or does not match the model; with --strict, "
     "also: the training has a warning."},
    {kModelFailure, "model", "A model or checkpoint file cannot be used."},
    {kDiverged, "diverged",
     "The objective or the weights are not finite; no model is written."},
    {kResourceFailure, "resources",
     "There is not enough memory, or a file cannot be written."},
    {kDeviceFailure, "device or rank",
     "A device or a part of this build is missing, a rank was lost, or "
     "ranks have different data or options."},
    {kSignalBase + SIGINT, "SIGINT",
     "Ctrl-C stopped the training; its best model is saved if there is one."},
    {kSignalBase + SIGTERM, "SIGTERM",
     "SIGTERM stopped the training; its best model is saved if there is one."},
});

/// The message of a failed allocation. It is a constant, because allocating its
/// text could fail too.
inline constexpr std::string_view kNoMemorySentence =
    "there is not enough memory; close other programs or use less data";

/// The exit code and the message for an exception.
struct Failure {
  ExitCode exit_code = kInternalFailure;
  std::string sentence;
};

/// Returns the exit code and the message for an exception.
[[nodiscard]] inline Failure describe_failure(
    const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const UsageError& error) {
    return {kUsageFailure, error.what()};
  } catch (const ParamError& error) {
    return {kUsageFailure, error.what()};
  } catch (const DataError& error) {
    return {kDataFailure, error.what()};
  } catch (const ShapeError& error) {
    return {kDataFailure, error.what()};
  } catch (const ModelError& error) {
    return {kModelFailure, error.what()};
  } catch (const DivergedError& error) {
    return {kDiverged, error.what()};
  } catch (const ResourceError& error) {
    return {kResourceFailure, error.what()};
  } catch (const DeviceError& error) {
    return {kDeviceFailure, error.what()};
  } catch (const CommunicationError& error) {
    return {kDeviceFailure, error.what()};
  } catch (const NotCompiled& error) {
    return {kDeviceFailure, error.what()};
  } catch (const std::bad_alloc&) {
    return {kResourceFailure, std::string(kNoMemorySentence)};
  } catch (const std::system_error& error) {
    return {kResourceFailure, error.what()};
  } catch (const std::exception& error) {
    return {kInternalFailure, error.what()};
  } catch (...) {
    return {kInternalFailure, "an exception of an unknown type was thrown"};
  }
}

}  // namespace mlp::cli
