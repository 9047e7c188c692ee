// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../cuda/nccl/nccl_allreduce.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <latch>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../cuda/runtime/graph.hpp"
#include "nccl_ranks.hpp"

namespace mlp::cuda {

namespace {

using distributed::Outcome;
using distributed::Stopwatch;

/// Loss is seen within milliseconds; a machine under load takes its time.
constexpr double kAtOnceSeconds = 20.0;

/// Number i of a rank. Small integers are added exactly in every order.
float number_of(std::size_t i, int rank) {
  return static_cast<float>((i * 7 + static_cast<std::size_t>(rank)) % 17) -
         8.0F;
}

template <typename Number>
std::vector<Number> numbers_of(std::size_t size, int rank) {
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < size; ++i) {
    numbers.push_back(static_cast<Number>(number_of(i, rank)));
  }
  return numbers;
}

/// Checks the sums of all ranks.
template <typename Number>
bool is_sum(const std::vector<Number>& sums, int num_ranks) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    float expected = 0.0F;
    for (int r = 0; r < num_ranks; ++r) expected += number_of(i, r);
    if (static_cast<float>(sums[i]) != expected) return false;
  }
  return true;
}

/// Sums numbers of the host of one type.
template <typename Number>
void check_host_sums(NcclAllreduce& group) {
  constexpr std::size_t kMoreThanTheBuffer = 1'100'000;
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{1000}, kMoreThanTheBuffer}) {
    auto numbers = numbers_of<Number>(size, group.rank());
    group.sum(std::span<Number>(numbers));
    if (!is_sum(numbers, group.world_size())) throw Error("wrong sum");
  }
}

template <typename Number>
void check_device_sums(NcclAllreduce& group) {
  constexpr std::size_t kSize = 1000;
  const Stream stream;
  DeviceArray<Number> sums(kSize);
  sums.upload(numbers_of<Number>(kSize, group.rank()), stream);
  group.sum_on_device(sums.data(), kSize, stream.get());
  group.wait(stream.get());
  if (!is_sum(sums.download(stream), group.world_size())) {
    throw Error("wrong sum");
  }
}

/// Waits for a sum that some rank never joins.
void sum_one_number(NcclAllreduce& group) {
  std::vector<double> numbers{1.0};
  group.sum(std::span<double>(numbers));
}

/// Sets NCCL's emulation during a test.
struct Settings {
  ~Settings() {
    cuda_host::nccl_settings().notices_lost_ranks = false;
    cuda_host::nccl_settings().failing_call = nullptr;
  }
};

TEST_SUITE("cuda/nccl/nccl_allreduce") {
  TEST_CASE("sums numbers of the host of every type over one to four ranks") {
    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      const auto outcomes =
          with_nccl_ranks(num_ranks, {}, [](NcclAllreduce& group) {
            check_host_sums<double>(group);
            check_host_sums<float>(group);
            check_host_sums<distributed::Float16>(group);
            check_host_sums<distributed::Bfloat16>(group);
          });
      CHECK(distributed::sentences(outcomes) == "");
    }
    CHECK(cuda_host::num_live_groups() == 0);
  }

  TEST_CASE("sums numbers of the device as work of a stream") {
    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      const auto outcomes =
          with_nccl_ranks(num_ranks, {}, [](NcclAllreduce& group) {
            check_device_sums<double>(group);
            check_device_sums<float>(group);
          });
      CHECK(distributed::sentences(outcomes) == "");
    }
  }

  TEST_CASE("sums again each time that a graph is launched") {
    constexpr int kNumRanks = 3;
    std::vector<double> results(kNumRanks);
    const auto outcomes =
        with_nccl_ranks(kNumRanks, {}, [&](NcclAllreduce& group) {
          const Stream stream;
          DeviceArray<double> number(1);
          number.upload(std::vector<double>{1.0}, stream);
          stream.synchronize();
          Graph graph;
          graph.capture(stream, [&] {
            group.sum_on_device(number.data(), 1, stream.get());
          });
          for (int i = 0; i < 3; ++i) graph.launch(stream);
          group.wait(stream.get());
          results[static_cast<std::size_t>(group.rank())] =
              number.download(stream).front();
        });

    CHECK(distributed::sentences(outcomes) == "");
    CHECK(results == std::vector<double>{27.0, 27.0, 27.0});
  }

  TEST_CASE("gives every rank the texts of all") {
    const auto outcomes = with_nccl_ranks(
        3, {}, [](NcclAllreduce& group) { distributed::gather_twice(group); });

    CHECK(distributed::sentences(outcomes) == "");
  }

  TEST_CASE("ends all ranks at once if one is lost, and names it") {
    const Stopwatch time;
    const auto outcomes = with_nccl_ranks(4, {}, [](NcclAllreduce& group) {
      sum_one_number(group);
      if (group.rank() != 2) sum_one_number(group);
    });

    for (const int rank : {0, 1, 3}) {
      const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
      CHECK(outcome.sentence == "rank 2: the connection was closed");
      CHECK(outcome.to_blame == 2);
    }
    CHECK(time.seconds() < kAtOnceSeconds);
    CHECK(cuda_host::num_live_groups() == 0);
  }

  TEST_CASE("passes on why a rank leaves, and refuses later sums") {
    const auto outcomes = with_nccl_ranks(3, {}, [](NcclAllreduce& group) {
      if (group.rank() == 1) group.leave(DataError("row 3 is bad"));
      CHECK_THROWS_AS(sum_one_number(group), CommunicationError);
      sum_one_number(group);
    });

    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.sentence == "rank 1: left: row 3 is bad");
    }
  }

  TEST_CASE("stops a wait if another thread cancels") {
    const auto outcomes = with_nccl_ranks(2, {}, [](NcclAllreduce& group) {
      if (group.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(400));
        return;
      }
      std::thread other([&] { group.cancel("was stopped"); });
      try {
        sum_one_number(group);
      } catch (const std::exception&) {
        other.join();
        throw;
      }
      other.join();
    });

    CHECK(outcomes[0].sentence == "rank 0: was stopped");
    CHECK(outcomes[1].sentence == "");
  }

  TEST_CASE("ends at the deadline if a rank hangs") {
    NcclOptions options;
    options.deadline_seconds = 0.3;
    std::latch done(2);
    const auto outcomes =
        with_nccl_ranks(2, options, [&](NcclAllreduce& group) {
          if (group.rank() == 0) {
            CHECK_THROWS_WITH_AS(
                sum_one_number(group),
                "no answer within 0.3 s; rank 0 waited for the "
                "other ranks in the device",
                CommunicationError);
          }
          done.arrive_and_wait();
        });

    CHECK(distributed::sentences(outcomes) == "");
  }

  TEST_CASE("aborts sums that wait in a graph for a lost rank") {
    const auto outcomes = with_nccl_ranks(2, {}, [](NcclAllreduce& group) {
      const Stream stream;
      DeviceArray<float> number(1);
      number.clear(stream);
      Graph graph;
      graph.capture(
          stream, [&] { group.sum_on_device(number.data(), 1, stream.get()); });
      if (group.rank() == 1) return;
      graph.launch(stream);
      group.wait(stream.get());
    });

    CHECK(outcomes[0].sentence == "rank 1: the connection was closed");
  }

  TEST_CASE("names the rank that NCCL itself has lost") {
    const Settings settings;
    cuda_host::nccl_settings().notices_lost_ranks = true;
    const auto outcomes = with_nccl_ranks(2, {}, [](NcclAllreduce& group) {
      if (group.rank() == 1) return group.cancel("has no power");
      sum_one_number(group);
    });

    CHECK(outcomes[0].sentence == "rank 1: has no power");
  }

  TEST_CASE("reports a call of NCCL that fails to all ranks") {
    const Settings settings;
    for (const char* const call : {"ncclCommInitRankConfig", "ncclAllReduce"}) {
      cuda_host::nccl_settings().failing_call = call;

      const auto outcomes = with_nccl_ranks(2, {}, sum_one_number);

      for (const Outcome& outcome : outcomes) {
        const std::string expected =
            std::string("NCCL failed in ") + call + ": internal error";
        CHECK(outcome.sentence.find(expected) != std::string::npos);
        CHECK(outcome.is_communication_error);
      }
    }
  }

  TEST_CASE("reports that no id can be made") {
    const Settings settings;
    cuda_host::nccl_settings().failing_call = "ncclGetUniqueId";

    const auto outcomes = with_nccl_ranks(2, {}, sum_one_number);

    CHECK(outcomes[0].sentence ==
          "NCCL failed in ncclGetUniqueId: unhandled system error");
    CHECK(outcomes[1].sentence ==
          "rank 0: cannot join: NCCL failed in ncclGetUniqueId: unhandled "
          "system error");
  }

  TEST_CASE("refuses ranks with different versions of NCCL") {
    distributed::Meeting meeting(2);
    const auto outcomes = distributed::outcomes_of_ranks(2, [&](int rank) {
      distributed::ThreadRendezvous rendezvous(meeting, rank, 2);
      NcclFunctions functions = cuda_host::nccl_on_host();
      if (rank == 1) {
        functions.get_version = [](int* version) {
          *version = 21800;
          return NcclResult::kSuccess;
        };
      }
      const NcclAllreduce group(functions, rendezvous, {});
    });

    CHECK(outcomes[0].sentence ==
          "rank 1: must have NCCL 2.28.9 as rank 0 has; got 2.18.0; install "
          "the same version on all machines");
    CHECK(outcomes[1].sentence ==
          "rank 0: must have NCCL 2.18.0 as rank 1 has; got 2.28.9; install "
          "the same version on all machines");
  }

  TEST_CASE("does not use NCCL for one rank, and can be cancelled") {
    distributed::Meeting meeting(1);
    distributed::ThreadRendezvous rendezvous(meeting, 0, 1);
    NcclAllreduce group(NcclFunctions{}, rendezvous, {});
    std::vector<double> numbers{3.0};

    group.sum(std::span<double>(numbers));
    group.cancel("is over");

    CHECK(numbers.front() == 3.0);
    CHECK(rendezvous.num_calls() == 0);
    CHECK_THROWS_WITH_AS(group.sum(std::span<double>(numbers)),
                         "rank 0: is over", CommunicationError);
  }
}

}  // namespace

}  // namespace mlp::cuda
