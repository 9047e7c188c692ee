// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "nccl_on_host.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_error.hpp"

namespace mlp::cuda_host {

namespace {

using namespace cuda;

/// A sum that some ranks have reached.
struct Sum {
  std::size_t count = 0;
  NcclNumber number = NcclNumber::kFloat64;
  std::vector<std::optional<std::vector<std::byte>>> shares;  ///< by rank
  std::size_t num_taken = 0;
};

/// What the ranks of a group share.
struct Shared {
  explicit Shared(int size) : has_joined(static_cast<std::size_t>(size)) {}

  std::mutex mutex;
  std::vector<bool> has_joined;
  std::map<std::size_t, Sum> sums;  ///< by their number
  bool has_lost_rank = false;

  [[nodiscard]] bool is_complete() const {
    return std::find(has_joined.begin(), has_joined.end(), false) ==
           has_joined.end();
  }
};

std::mutex& all_groups_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// The groups by the bytes of their id.
std::map<std::string, std::shared_ptr<Shared>>& all_groups() {
  static std::map<std::string, std::shared_ptr<Shared>> groups;
  return groups;
}

std::atomic<std::size_t>& live_groups() {
  static std::atomic<std::size_t> count{0};
  return count;
}

/// A rank's part of a group. Work of its device keeps it alive.
struct Member {
  std::shared_ptr<Shared> shared;
  std::size_t rank = 0;
  std::size_t num_sums = 0;  ///< that have begun
  int num_polls_left = 0;    ///< of the call in progress
  bool is_open = true;
};

}  // namespace

}  // namespace mlp::cuda_host

// NCCL declares this type; its content belongs to the library.
struct mlp::cuda::NcclGroupContent {
  std::shared_ptr<mlp::cuda_host::Member> member;
};

namespace mlp::cuda_host {

namespace {

/// Fails once if the settings say so.
bool fails(const char* call) {
  const char* failing = nccl_settings().failing_call;
  if (failing == nullptr || std::string_view(failing) != call) return false;
  return nccl_settings().failing_call.compare_exchange_strong(failing, nullptr);
}

Member& require_open(NcclGroup group) {
  if (group == nullptr || !group->member->is_open) {
    throw KernelError("a group of NCCL is used, but does not exist");
  }
  return *group->member;
}

std::size_t bytes_of(NcclNumber number) {
  switch (number) {
    case NcclNumber::kFloat16:
    case NcclNumber::kBfloat16:
      return 2;
    case NcclNumber::kFloat32:
      return sizeof(float);
    case NcclNumber::kFloat64:
      return sizeof(double);
  }
  throw KernelError("NCCL has no such type of numbers");
}

/// Adds shares in the order of the ranks, and rounds after each addition.
template <typename Number>
void add_shares(const Sum& sum, std::byte* to) {
  std::vector<Number> total(sum.count, Number{0});
  for (const auto& share : sum.shares) {
    std::vector<Number> numbers(sum.count);
    std::memcpy(numbers.data(), share->data(), share->size());
    for (std::size_t i = 0; i < sum.count; ++i) total[i] += numbers[i];
  }
  std::memcpy(to, total.data(), sum.count * sizeof(Number));
}

void add_shares(const Sum& sum, std::byte* to) {
  switch (sum.number) {
    case NcclNumber::kFloat16:
      return add_shares<Eigen::half>(sum, to);
    case NcclNumber::kBfloat16:
      return add_shares<Eigen::bfloat16>(sum, to);
    case NcclNumber::kFloat32:
      return add_shares<float>(sum, to);
    case NcclNumber::kFloat64:
      return add_shares<double>(sum, to);
  }
}

/// The memory of a sum on one device.
struct Buffers {
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t count = 0;
  NcclNumber number = NcclNumber::kFloat64;
};

/// One run of a sum on one device; a graph copies it for each launch.
struct SumAttempt {
  std::shared_ptr<Member> member;
  Buffers buffers;
  std::optional<std::size_t> place;  ///< among the sums of the group

  /// \return true if the sum was taken, or the group has ended
  bool operator()() {
    const std::lock_guard lock(member->shared->mutex);
    if (!member->is_open) return true;
    const DeviceAccess access;
    if (!place) arrive();
    Sum& sum = member->shared->sums.at(*place);
    for (const auto& share : sum.shares) {
      if (!share) return false;
    }
    add_shares(sum, buffers.receive);
    if (++sum.num_taken == sum.shares.size()) {
      member->shared->sums.erase(*place);
    }
    return true;
  }

 private:
  void arrive() {
    place = member->num_sums++;
    const std::size_t size = member->shared->has_joined.size();
    const auto [found, is_first] =
        member->shared->sums.try_emplace(*place, Sum{});
    Sum& sum = found->second;
    if (is_first) {
      sum.count = buffers.count;
      sum.number = buffers.number;
      sum.shares.resize(size);
    }
    if (sum.count != buffers.count || sum.number != buffers.number) {
      throw KernelError("rank " + std::to_string(member->rank) + " sums " +
                        std::to_string(buffers.count) +
                        " numbers, another rank " + std::to_string(sum.count) +
                        ", or of another type");
    }
    const std::size_t bytes = buffers.count * bytes_of(buffers.number);
    sum.shares[member->rank].emplace(buffers.send, buffers.send + bytes);
  }
};

NcclResult get_version(int* version) {
  *version = nccl_settings().version;
  return NcclResult::kSuccess;
}

NcclResult get_unique_id(NcclId* id) {
  if (fails("ncclGetUniqueId")) return NcclResult::kSystemError;
  static std::atomic<int> last{0};
  const std::string text = "emulated group " + std::to_string(++last);
  *id = {};
  text.copy(id->bytes, sizeof id->bytes);
  return NcclResult::kSuccess;
}

/// Begins a call that does not block.
NcclResult begin(Member& member) {
  member.num_polls_left = nccl_settings().num_polls;
  return member.num_polls_left > 0 ? NcclResult::kInProgress
                                   : NcclResult::kSuccess;
}

NcclResult comm_init_rank_config(NcclGroup* group, int num_ranks, NcclId id,
                                 int rank, NcclConfig* config) {
  const NcclConfig expected;
  if (config->size != sizeof(NcclConfig) || config->magic != expected.magic ||
      config->version != expected.version || config->is_blocking != 0 ||
      rank < 0 || rank >= num_ranks) {
    return NcclResult::kInvalidArgument;
  }
  if (fails("ncclCommInitRankConfig")) return NcclResult::kInternalError;
  const std::lock_guard lock(all_groups_mutex());
  auto& shared = all_groups()[std::string(id.bytes, sizeof id.bytes)];
  if (!shared) shared = std::make_shared<Shared>(num_ranks);
  const auto place = static_cast<std::size_t>(rank);
  const std::lock_guard shared_lock(shared->mutex);
  if (shared->has_joined.size() != static_cast<std::size_t>(num_ranks) ||
      shared->has_joined[place]) {
    return NcclResult::kInvalidUsage;
  }
  shared->has_joined[place] = true;
  auto member = std::make_shared<Member>();
  member->shared = shared;
  member->rank = place;
  *group = new cuda::NcclGroupContent{member};
  ++live_groups();
  static_cast<void>(begin(*member));
  return NcclResult::kInProgress;
}

NcclResult comm_get_async_error(NcclGroup group, NcclResult* error) {
  Member& member = require_open(group);
  const std::lock_guard lock(member.shared->mutex);
  *error = NcclResult::kSuccess;
  if (member.shared->has_lost_rank && nccl_settings().notices_lost_ranks) {
    *error = NcclResult::kRemoteError;
  } else if (member.num_polls_left > 0 || !member.shared->is_complete()) {
    member.num_polls_left -= member.num_polls_left > 0 ? 1 : 0;
    *error = NcclResult::kInProgress;
  }
  return NcclResult::kSuccess;
}

NcclResult all_reduce(const void* send, void* receive, std::size_t count,
                      NcclNumber number, NcclOperation operation,
                      NcclGroup group, cudaStream_t stream) {
  Member& member = require_open(group);
  if (member.num_polls_left > 0) {
    throw KernelError("NCCL is called while another call is in progress");
  }
  if (operation != NcclOperation::kSum) return NcclResult::kInvalidArgument;
  if (fails("ncclAllReduce")) return NcclResult::kInternalError;
  const std::size_t bytes = count * bytes_of(number);
  check_device_range(send, bytes);
  check_device_range(receive, bytes);
  const Buffers buffers{static_cast<const std::byte*>(send),
                        static_cast<std::byte*>(receive), count, number};
  enqueue_attempt(stream, SumAttempt{group->member, buffers, std::nullopt});
  return begin(member);
}

NcclResult comm_finalize(NcclGroup group) { return begin(require_open(group)); }

NcclResult close(NcclGroup group) {
  Member& member = require_open(group);
  {
    const std::lock_guard lock(member.shared->mutex);
    member.is_open = false;
  }
  delete group;
  --live_groups();
  return NcclResult::kSuccess;
}

NcclResult comm_abort(NcclGroup group) {
  {
    Shared& shared = *require_open(group).shared;
    const std::lock_guard lock(shared.mutex);
    shared.has_lost_rank = true;
  }
  return close(group);
}

const char* get_error_string(NcclResult result) {
  switch (result) {
    case NcclResult::kSuccess:
      return "no error";
    case NcclResult::kUnhandledCudaError:
      return "unhandled cuda error";
    case NcclResult::kSystemError:
      return "unhandled system error";
    case NcclResult::kInternalError:
      return "internal error";
    case NcclResult::kInvalidArgument:
      return "invalid argument";
    case NcclResult::kInvalidUsage:
      return "invalid usage";
    case NcclResult::kRemoteError:
      return "remote process exited or there was a network error";
    case NcclResult::kInProgress:
      return "NCCL operation in progress";
  }
  return "unknown result code";
}

const char* get_last_error(NcclGroup /*group*/) { return ""; }

}  // namespace

NcclSettings& nccl_settings() {
  static NcclSettings settings;
  return settings;
}

cuda::NcclFunctions nccl_on_host() {
  return {get_version,          get_unique_id, comm_init_rank_config,
          comm_finalize,        close,         comm_abort,
          comm_get_async_error, all_reduce,    get_error_string,
          get_last_error};
}

std::size_t num_live_groups() { return live_groups(); }

}  // namespace mlp::cuda_host
