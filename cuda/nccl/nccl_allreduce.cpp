// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "nccl_allreduce.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "../../core/error.hpp"
#include "../runtime/cuda_check.hpp"

namespace mlp::cuda {

namespace {

using distributed::Bfloat16;
using distributed::Float16;

/// The memory of the device through which numbers of the host go.
constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

/// How often a wait looks for lost ranks.
constexpr std::chrono::milliseconds kLookInterval{1};

/// The messages that a rank has sent before it left may arrive later.
constexpr std::chrono::milliseconds kGrace{200};

/// How long a group that ends in order waits for NCCL.
constexpr double kFinalizeSeconds = 10.0;

constexpr std::string_view kIdStart = "mlp nccl 1 id\n";

std::string format_id(const std::string& version, const NcclId& id) {
  return std::string(kIdStart) + version + '\n' +
         std::string(id.bytes, sizeof id.bytes);
}

struct VersionAndId {
  std::string version;
  NcclId id{};
};

/// Returns nothing if the bytes are something else.
std::optional<VersionAndId> parse_id(std::string_view bytes) {
  if (!bytes.starts_with(kIdStart)) return std::nullopt;
  bytes.remove_prefix(kIdStart.size());
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos ||
      bytes.size() - end - 1 != sizeof(NcclId)) {
    return std::nullopt;
  }
  VersionAndId parsed;
  parsed.version = bytes.substr(0, end);
  std::memcpy(parsed.id.bytes, bytes.data() + end + 1, sizeof(NcclId));
  return parsed;
}

}  // namespace

NcclAllreduce::NcclAllreduce(const NcclFunctions& functions,
                             distributed::Rendezvous& rendezvous,
                             const NcclOptions& options)
    : functions_(functions),
      options_(options),
      rank_(rendezvous.rank()),
      world_size_(rendezvous.world_size()) {
  check(cudaGetDevice(&device_), "cudaGetDevice");
  if (world_size_ == 1) return;
  peers_.emplace(rendezvous, options.address, options.connect_seconds);
  try {
    connect(rendezvous);
  } catch (const std::exception& error) {
    end_group({rank_, std::string("cannot join: ") + error.what()});
    abandon();
    throw;
  }
}

NcclAllreduce::~NcclAllreduce() {
  if (group_ == nullptr) return;
  try {
    throw_if_ended();
    finish_call(functions_.comm_finalize(group_), "ncclCommFinalize");
    static_cast<void>(functions_.comm_destroy(group_));
    group_ = nullptr;
  } catch (const std::exception&) {
    abandon();  // a group that has ended was aborted already
  }
}

NcclId NcclAllreduce::exchange_id(distributed::Rendezvous& rendezvous) const {
  NcclId own{};
  const NcclResult result =
      rank_ == 0 ? functions_.get_unique_id(&own) : NcclResult::kSuccess;
  const std::string version = nccl_version(functions_);
  const bool has_failed = result != NcclResult::kSuccess;
  const std::string sentence =
      has_failed ? describe(result, "ncclGetUniqueId") : "";
  const std::vector<std::string> texts =
      rendezvous.all_gather(has_failed ? distributed::format_excuse(sentence)
                                       : format_id(version, own));
  if (has_failed) throw CommunicationError(sentence);
  std::vector<VersionAndId> all;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    if (const auto excuse = distributed::parse_excuse(texts[r])) {
      throw CommunicationError(static_cast<int>(r), "cannot join: " + *excuse);
    }
    const auto parsed = parse_id(texts[r]);
    if (!parsed || parsed->version != version) {
      throw CommunicationError(
          static_cast<int>(r),
          "must have NCCL " + version + " as rank " + std::to_string(rank_) +
              " has; got " + (parsed ? parsed->version : "another build") +
              "; install the same version on all machines");
    }
    all.push_back(*parsed);
  }
  return all.front().id;
}

void NcclAllreduce::connect(distributed::Rendezvous& rendezvous) {
  const NcclId id = exchange_id(rendezvous);
  NcclConfig config;
  config.is_blocking = 0;
  const NcclResult result = functions_.comm_init_rank_config(
      &group_, world_size_, id, rank_, &config);
  finish_call(result, "ncclCommInitRankConfig");
}

void NcclAllreduce::sum(std::span<double> numbers) {
  sum_bytes(reinterpret_cast<std::byte*>(numbers.data()), numbers.size(),
            sizeof(double), NcclNumber::kFloat64);
}
void NcclAllreduce::sum(std::span<float> numbers) {
  sum_bytes(reinterpret_cast<std::byte*>(numbers.data()), numbers.size(),
            sizeof(float), NcclNumber::kFloat32);
}
void NcclAllreduce::sum(std::span<Float16> numbers) {
  sum_bytes(reinterpret_cast<std::byte*>(numbers.data()), numbers.size(),
            sizeof(Float16), NcclNumber::kFloat16);
}
void NcclAllreduce::sum(std::span<Bfloat16> numbers) {
  sum_bytes(reinterpret_cast<std::byte*>(numbers.data()), numbers.size(),
            sizeof(Bfloat16), NcclNumber::kBfloat16);
}

/// Sums numbers of the host, in parts of the size of the buffer.
void NcclAllreduce::sum_bytes(std::byte* numbers, std::size_t count,
                              std::size_t number_bytes, NcclNumber number) {
  throw_if_ended();
  if (world_size_ == 1 || count == 0) return;
  check(cudaSetDevice(device_), "cudaSetDevice");
  if (buffer_.empty()) {
    buffer_ = DeviceArray<std::byte>(static_cast<Index>(kBufferBytes));
  }
  const std::size_t part = kBufferBytes / number_bytes;
  for (std::size_t first = 0; first < count; first += part) {
    const std::size_t size = std::min(part, count - first);
    const std::span<std::byte> bytes(numbers + first * number_bytes,
                                     size * number_bytes);
    buffer_.upload(bytes, stream_);
    add_sum(buffer_.data(), size, number, stream_.get());
    // A copy to memory that is not pinned would wait for lost ranks too.
    wait(stream_.get());
    buffer_.download(bytes, stream_);
  }
}

void NcclAllreduce::sum_on_device(double* numbers, std::size_t count,
                                  void* stream) {
  add_sum(numbers, count, NcclNumber::kFloat64,
          static_cast<cudaStream_t>(stream));
}

void NcclAllreduce::sum_on_device(float* numbers, std::size_t count,
                                  void* stream) {
  add_sum(numbers, count, NcclNumber::kFloat32,
          static_cast<cudaStream_t>(stream));
}

void NcclAllreduce::add_sum(void* numbers, std::size_t count, NcclNumber number,
                            cudaStream_t stream) {
  throw_if_ended();
  if (world_size_ == 1 || count == 0) return;
  finish_call(functions_.all_reduce(numbers, numbers, count, number,
                                    NcclOperation::kSum, group_, stream),
              "ncclAllReduce");
}

/// Waits until NCCL has done a call that does not block.
void NcclAllreduce::finish_call(NcclResult result, const char* call) {
  const auto is_done = [&] {
    if (result == NcclResult::kInProgress) {
      NcclResult state = NcclResult::kSuccess;
      result = functions_.comm_get_async_error(group_, &state);
      if (result == NcclResult::kSuccess) result = state;
    }
    return result != NcclResult::kInProgress;
  };
  const bool ends_group = std::string_view(call) == "ncclCommFinalize";
  wait_until(is_done, ends_group ? kFinalizeSeconds : options_.connect_seconds,
             call);
  if (result == NcclResult::kSuccess) return;
  end_after(result, call);
  throw_if_ended();
}

/// Ends the group after a failure of NCCL. If NCCL has lost a rank, that rank's
/// own connection names it in a moment.
void NcclAllreduce::end_after(NcclResult failure, const char* call) {
  const Departure departure{-1, describe(failure, call)};
  std::this_thread::sleep_for(kGrace);
  if (!departure_) departure_ = peers_->find_departure();
  end_group(departure_ ? *departure_ : departure);
}

void NcclAllreduce::wait(void* stream) {
  const auto handle = static_cast<cudaStream_t>(stream);
  throw_if_ended();
  if (world_size_ == 1) {
    return check(cudaStreamSynchronize(handle), "cudaStreamSynchronize");
  }
  wait_until(
      [&] {
        const cudaError_t error = cudaStreamQuery(handle);
        if (error == cudaErrorNotReady) return false;
        check(error, "cudaStreamQuery");
        return true;
      },
      options_.deadline_seconds, "the device");
}

void NcclAllreduce::wait_until(const std::function<bool()>& is_done,
                               double seconds, const char* what) {
  const Clock::time_point start = Clock::now();
  Clock::time_point next_look = start + kLookInterval;
  while (!is_done()) {
    std::this_thread::yield();
    const Clock::time_point now = Clock::now();
    if (now < next_look) continue;
    next_look = now + kLookInterval;
    look_for_loss();
    if (std::chrono::duration<double>(now - start).count() > seconds) {
      end_group({-1, "no answer within " + distributed::seconds_text(seconds) +
                         " s; rank " + std::to_string(rank_) +
                         " waited for the other ranks in " + what});
      throw_if_ended();
    }
  }
}

/// Ends the group if a rank has left, or NCCL reports an error.
void NcclAllreduce::look_for_loss() {
  throw_if_ended();
  if (!departure_) {
    departure_ = peers_->find_departure();
    departed_at_ = Clock::now();
  }
  if (departure_ && Clock::now() - departed_at_ > kGrace) {
    end_group(*departure_);
  }
  NcclResult state = NcclResult::kSuccess;
  if (group_ && !departure_) {
    const NcclResult result = functions_.comm_get_async_error(group_, &state);
    if (result != NcclResult::kSuccess) state = result;
  }
  if (state != NcclResult::kSuccess && state != NcclResult::kInProgress) {
    end_after(state, "a sum");
  }
  throw_if_ended();
}

void NcclAllreduce::cancel(const std::string& sentence) noexcept {
  try {
    end_group({rank_, sentence});
  } catch (const std::exception&) {
    // The sentence needs memory that is missing. The deadline ends the group.
  }
}

/// Keeps the first reason, and tells it to the other ranks.
void NcclAllreduce::end_group(const Departure& departure) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (end_) return;
    end_ = departure;
    if (peers_) peers_->tell(departure);
  } catch (const std::exception&) {
    // The sentence needs memory that is missing. The deadline ends the group.
  }
}

void NcclAllreduce::abandon() noexcept {
  if (group_) static_cast<void>(functions_.comm_abort(group_));
  group_ = nullptr;
}

/// \throws CommunicationError if the group has ended
void NcclAllreduce::throw_if_ended() {
  std::optional<Departure> end;
  {
    const std::lock_guard lock(mutex_);
    end = end_;
  }
  if (!end) return;
  abandon();
  if (end->rank < 0) throw CommunicationError(end->sentence);
  throw CommunicationError(end->rank, end->sentence);
}

std::string NcclAllreduce::describe(NcclResult result, const char* call) const {
  const std::string last = functions_.get_last_error(group_);
  return std::string("NCCL failed in ") + call + ": " +
         functions_.get_error_string(result) +
         (last.empty() ? "" : ": " + last);
}

}  // namespace mlp::cuda
