// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// Compares our declarations of NCCL with its header, where that is installed.
#include "../../cuda/nccl/nccl_functions.hpp"

#if __has_include(<nccl.h>)
#include <nccl.h>

namespace mlp::cuda {

namespace {

template <typename Ours, typename Theirs>
constexpr bool is_same(Ours ours, Theirs theirs) {
  return static_cast<long long>(ours) == static_cast<long long>(theirs);
}

static_assert(sizeof(NcclId) == sizeof(ncclUniqueId));
static_assert(sizeof(NcclResult) == sizeof(ncclResult_t));
static_assert(is_same(NcclResult::kUnhandledCudaError, ncclUnhandledCudaError));
static_assert(is_same(NcclResult::kSystemError, ncclSystemError));
static_assert(is_same(NcclResult::kInternalError, ncclInternalError));
static_assert(is_same(NcclResult::kInvalidArgument, ncclInvalidArgument));
static_assert(is_same(NcclResult::kInvalidUsage, ncclInvalidUsage));
static_assert(is_same(NcclResult::kRemoteError, ncclRemoteError));
static_assert(is_same(NcclResult::kInProgress, ncclInProgress));
static_assert(is_same(NcclNumber::kFloat16, ncclFloat16));
static_assert(is_same(NcclNumber::kFloat32, ncclFloat32));
static_assert(is_same(NcclNumber::kFloat64, ncclFloat64));
static_assert(is_same(NcclNumber::kBfloat16, ncclBfloat16));
static_assert(is_same(NcclOperation::kSum, ncclSum));
static_assert(is_same(NcclConfig::kUndefined, NCCL_CONFIG_UNDEF_INT));
static_assert(sizeof(NcclConfig) <= sizeof(ncclConfig_t));
static_assert(offsetof(NcclConfig, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(NcclConfig, version) == offsetof(ncclConfig_t, version));
static_assert(offsetof(NcclConfig, is_blocking) ==
              offsetof(ncclConfig_t, blocking));
static_assert(offsetof(NcclConfig, net_name) ==
              offsetof(ncclConfig_t, netName));
static_assert(offsetof(NcclConfig, split_share) ==
              offsetof(ncclConfig_t, splitShare));

}  // namespace

}  // namespace mlp::cuda
#endif
