// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <climits>
#include <cstddef>
#include <string>

/// The functions of NCCL that mlp calls. The declarations are ours, so that mlp is
/// built without NCCL; tests/cuda_build/nccl_header_check.cpp compares them with those
/// of nccl.h.
namespace mlp::cuda {

/// ncclUniqueId: rank 0 makes it, and every rank needs it to join a group.
struct NcclId {
  char bytes[128];
};

/// A rank's part of a group: ncclComm_t.
using NcclGroup = struct NcclGroupContent*;

/// ncclResult_t
enum class NcclResult : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7
};

/// ncclDataType_t
enum class NcclNumber : int {
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9
};

/// ncclRedOp_t
enum class NcclOperation : int { kSum = 0 };

/// The oldest version whose functions have the meaning used here.
inline constexpr int kMinNcclVersion = 21800;

/// ncclConfig_t of version 2.18. Later versions have more members and accept
/// this one; undefined members have their defaults.
struct NcclConfig {
  static constexpr int kUndefined = INT_MIN;

  std::size_t size = 48;  ///< of this struct, in bytes
  unsigned magic = 0xcafebeef;
  unsigned version = kMinNcclVersion;
  int is_blocking = kUndefined;
  int cga_cluster_size = kUndefined;
  int min_ctas = kUndefined;
  int max_ctas = kUndefined;
  const char* net_name = nullptr;
  int split_share = kUndefined;
  int unused = kUndefined;
};
static_assert(sizeof(NcclConfig) == 48);

/// Pointers to the functions of NCCL, with its names without "nccl".
struct NcclFunctions {
  NcclResult (*get_version)(int* version);
  NcclResult (*get_unique_id)(NcclId* id);
  NcclResult (*comm_init_rank_config)(NcclGroup* group, int num_ranks,
                                      NcclId id, int rank, NcclConfig* config);
  NcclResult (*comm_finalize)(NcclGroup group);
  NcclResult (*comm_destroy)(NcclGroup group);
  NcclResult (*comm_abort)(NcclGroup group);
  NcclResult (*comm_get_async_error)(NcclGroup group, NcclResult* error);
  NcclResult (*all_reduce)(const void* send, void* receive, std::size_t count,
                           NcclNumber number, NcclOperation operation,
                           NcclGroup group, cudaStream_t stream);
  const char* (*get_error_string)(NcclResult result);
  const char* (*get_last_error)(NcclGroup group);
};

/// Formats the version of a library, such as 2.28.9.
[[nodiscard]] std::string nccl_version(const NcclFunctions& functions);

/// Loads NCCL. Its functions stay valid until the process ends.
///
/// \param file  the library, by the rules of dlopen
/// \throws ResourceError if it is not installed, or too old
[[nodiscard]] NcclFunctions load_nccl(const std::string& file = "libnccl.so.2");

}  // namespace mlp::cuda
