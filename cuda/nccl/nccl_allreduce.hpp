// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "../../distributed/device_allreduce.hpp"
#include "../../distributed/peers/peer_watch.hpp"
#include "../runtime/device_array.hpp"
#include "../runtime/stream.hpp"
#include "nccl_functions.hpp"
#include "nccl_options.hpp"

namespace mlp::cuda {

/// A group of ranks that NCCL connects, one device each.
///
/// NCCL alone does not notice every lost rank: a kernel that waits for one waits
/// for ever. So the ranks also have connections by TCP, which end with a rank,
/// and every wait of this class looks at them, at NCCL's own errors and at the
/// clock. If one of them says that a rank is lost, the group is aborted.
///
/// Thread safety: one thread at a time uses it; cancel() may be called from any.
class NcclAllreduce final : public distributed::DeviceAllreduce {
 public:
  /// Connects all ranks. The device of this rank is the current one.
  ///
  /// \param functions   of NCCL; a group of one rank does not use them
  /// \param rendezvous  its all_gather() is called three times by a group of
  ///                    several ranks; it is not used later
  /// \throws CommunicationError if the ranks cannot be connected, or have
  ///         different versions of NCCL
  NcclAllreduce(const NcclFunctions& functions,
                distributed::Rendezvous& rendezvous,
                const NcclOptions& options);
  NcclAllreduce(const NcclAllreduce&) = delete;
  NcclAllreduce& operator=(const NcclAllreduce&) = delete;

  /// \pre no stream has work of the group; graphs with such work are not
  ///      launched any more
  ~NcclAllreduce() override;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return world_size_; }

  void sum(std::span<double> numbers) override;
  void sum(std::span<float> numbers) override;
  void sum(std::span<distributed::Float16> numbers) override;
  void sum(std::span<distributed::Bfloat16> numbers) override;
  using Allreduce::sum;

  void sum_on_device(double* numbers, std::size_t count, void* stream) override;
  void sum_on_device(float* numbers, std::size_t count, void* stream) override;
  void wait(void* stream) override;

  void cancel(const std::string& sentence) noexcept override;

 private:
  using Clock = std::chrono::steady_clock;
  using Departure = distributed::PeerWatch::Departure;

  void connect(distributed::Rendezvous& rendezvous);
  NcclId exchange_id(distributed::Rendezvous& rendezvous) const;
  void sum_bytes(std::byte* numbers, std::size_t count,
                 std::size_t number_bytes, NcclNumber number);
  void add_sum(void* numbers, std::size_t count, NcclNumber number,
               cudaStream_t stream);
  void finish_call(NcclResult result, const char* call);
  void wait_until(const std::function<bool()>& is_done, double seconds,
                  const char* what);
  void look_for_loss();
  void end_group(const Departure& departure) noexcept;
  void end_after(NcclResult failure, const char* call);
  void abandon() noexcept;
  void throw_if_ended();
  [[nodiscard]] std::string describe(NcclResult result, const char* call) const;

  NcclFunctions functions_;
  NcclOptions options_;
  int rank_;
  int world_size_;
  int device_ = 0;
  Stream stream_;  ///< of sums of numbers of the host
  DeviceArray<std::byte> buffer_;
  std::optional<distributed::PeerWatch> peers_;  ///< none for one rank
  NcclGroup group_ = nullptr;                    ///< null for one rank
  std::optional<Departure> departure_;           ///< of a rank, seen in a wait
  Clock::time_point departed_at_;

  std::mutex mutex_;
  std::optional<Departure> end_;  ///< why the group has ended; of mutex_
};

}  // namespace mlp::cuda
