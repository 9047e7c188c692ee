// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "nccl_functions.hpp"

#include "../../core/error.hpp"
#include "../runtime/shared_library.hpp"

namespace mlp::cuda {

namespace {

constexpr const char* kAdvice =
    "install NCCL 2.18 or later, for example NVIDIA's package libnccl2, or "
    "use --transport gloo";

/// 22809 is version 2.28.9.
std::string format_version(int version) {
  return std::to_string(version / 10000) + '.' +
         std::to_string(version % 10000 / 100) + '.' +
         std::to_string(version % 100);
}

int version_of(const NcclFunctions& functions) {
  int version = 0;
  return functions.get_version(&version) == NcclResult::kSuccess ? version : 0;
}

}  // namespace

std::string nccl_version(const NcclFunctions& functions) {
  return format_version(version_of(functions));
}

NcclFunctions load_nccl(const std::string& file) {
  const SharedLibrary library("NCCL", {file}, kAdvice);
  NcclFunctions found{};
  library.find("ncclGetVersion", found.get_version);
  const int version = version_of(found);
  if (version < kMinNcclVersion) {
    throw ResourceError(
        library.file(),
        "has version " + format_version(version) + "; " + kAdvice);
  }
  library.find("ncclGetUniqueId", found.get_unique_id);
  library.find("ncclCommInitRankConfig", found.comm_init_rank_config);
  library.find("ncclCommFinalize", found.comm_finalize);
  library.find("ncclCommDestroy", found.comm_destroy);
  library.find("ncclCommAbort", found.comm_abort);
  library.find("ncclCommGetAsyncError", found.comm_get_async_error);
  library.find("ncclAllReduce", found.all_reduce);
  library.find("ncclGetErrorString", found.get_error_string);
  library.find("ncclGetLastError", found.get_last_error);
  return found;
}

}  // namespace mlp::cuda
