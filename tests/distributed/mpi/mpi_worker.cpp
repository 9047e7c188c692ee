// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0

// One rank of the jobs that mpi_jobs.py starts.
//
// Usage: mlp_mpi_worker PLUGIN FOLDER SCENARIO
// Writes FOLDER/lost-RANK where a rank is told that the job ends, and
// FOLDER/done-RANK at its end; exits 1 and says why where a sum is wrong.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/mpi/mpi_allreduce.hpp"

namespace {

using namespace mlp::distributed;

// Much longer than the tests wait.
constexpr auto kLongTime = std::chrono::minutes(5);

void expect(bool is_true, const std::string& sentence) {
  if (!is_true) throw std::runtime_error(sentence);
}

/// A small whole number of a rank at a place, so that all sums of four ranks are
/// exact in every type: at most 4 * 15 of 8 bits.
int number_of(int rank, std::size_t place) {
  return static_cast<int>((place * 7 + static_cast<std::size_t>(rank) * 3) %
                          16);
}

template <typename Number>
void expect_exact_sums(Allreduce& group, std::size_t size) {
  std::vector<Number> numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] =
        static_cast<Number>(static_cast<float>(number_of(group.rank(), i)));
  }

  group.sum(std::span<Number>(numbers));

  for (std::size_t i = 0; i < size; ++i) {
    int sum = 0;
    for (int r = 0; r < group.world_size(); ++r) sum += number_of(r, i);
    expect(static_cast<float>(numbers[i]) == static_cast<float>(sum),
           "the sum at " + std::to_string(i) + " of " + std::to_string(size) +
               " must be " + std::to_string(sum));
  }
}

/// The sums of fractions, which round, as bytes.
template <typename Number>
std::string sum_fractions(Allreduce& group, std::size_t size) {
  std::vector<Number> numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto divisor = static_cast<float>(i % 101) + 3.0F +
                         2.0F * static_cast<float>(group.rank());
    numbers[i] = static_cast<Number>(1.0F / divisor);
  }
  group.sum(std::span<Number>(numbers));
  if (size == 0) return {};
  return {reinterpret_cast<const char*>(numbers.data()), size * sizeof(Number)};
}

template <typename Number>
void check_type(Allreduce& group) {
  constexpr std::size_t kSizes[] = {0, 1, 2, 1000, 300001};
  for (const std::size_t size : kSizes) {
    expect_exact_sums<Number>(group, size);
    const std::string bytes = sum_fractions<Number>(group, size);
    for (const std::string& other : group.all_gather(bytes)) {
      expect(other == bytes, "all ranks must have the same bits");
    }
    expect(sum_fractions<Number>(group, size) == bytes,
           "the same sum must have the same bits twice");
  }
}

/// Texts with zeros in them, of another size on each rank, some without any.
void check_all_gather(Allreduce& group) {
  const auto text_of = [](int rank) {
    std::string text(static_cast<std::size_t>(rank) * 1000, '\0');
    return rank == 0 ? text : text.append("rank ").append(std::to_string(rank));
  };

  const std::vector<std::string> texts =
      group.all_gather(text_of(group.rank()));

  expect(static_cast<int>(texts.size()) == group.world_size(), "a text a rank");
  for (int r = 0; r < group.world_size(); ++r) {
    expect(texts[static_cast<std::size_t>(r)] == text_of(r),
           "the text of rank " + std::to_string(r) + " must arrive");
  }
}

/// Groups live beside each other; MPI ends with the last and does not come back.
void check_groups(std::unique_ptr<Allreduce> first, const MpiOptions& options) {
  auto second = make_mpi_allreduce(options);
  first.reset();
  expect_exact_sums<double>(*second, 10);
  second.reset();
  try {
    first = make_mpi_allreduce(options);
  } catch (const mlp::CommunicationError& error) {
    expect(error.what() ==
               std::string(
                   "MPI must not be finalized yet, because a process cannot "
                   "initialize it twice; use one group for the whole process"),
           error.what());
    return;
  }
  expect(false, "MPI must not begin twice");
}

void run_sums(const MpiOptions& options) {
  auto group = make_mpi_allreduce(options);
  check_type<double>(*group);
  check_type<float>(*group);
  check_type<Float16>(*group);
  check_type<Bfloat16>(*group);
  check_all_gather(*group);
  check_groups(std::move(group), options);
}

/// What the last rank does while the others go on adding.
using Accident = std::function<void(std::unique_ptr<Allreduce>&)>;

void run_accident(const MpiOptions& options, const Accident& accident) {
  std::unique_ptr<Allreduce> group = make_mpi_allreduce(options);
  std::vector<double> numbers(100000, 1.0);
  for (int i = 0;; ++i) {
    if (i == 3 && group->rank() == group->world_size() - 1) accident(group);
    if (!group) return;
    group->sum(std::span<double>(numbers));
  }
}

const std::map<std::string, Accident>& accidents() {
  using Group = std::unique_ptr<Allreduce>;
  static const std::map<std::string, Accident> all{
      {"killed", [](Group&) { ::raise(SIGKILL); }},
      {"silent", [](Group&) { std::this_thread::sleep_for(kLongTime); }},
      {"stopped", [](Group&) { ::raise(SIGSTOP); }},
      {"cancels", [](Group& group) { group->cancel("the disk is full"); }},
      {"leaves", [](Group&) { std::_Exit(0); }},
      {"gives_up", [](Group& group) { group.reset(); }}};
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string folder = std::string(argv[2]) + '/';
  const std::string scenario = argv[3];
  MpiOptions options;
  options.plugin_file = argv[1];
  // The ranks know their number only once the group is there.
  const std::string name = std::to_string(::getpid());
  options.on_lost = [&](const std::string& sentence) {
    std::ofstream(folder + "lost-" + name) << sentence;
  };
  try {
    if (scenario == "sums") {
      run_sums(options);
    } else {
      options.deadline_seconds = scenario == "killed" ? 60.0 : 1.0;
      run_accident(options, accidents().at(scenario));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mlp_mpi_worker: %s\n", error.what());
    return 1;
  }
  std::ofstream(folder + "done-" + name) << scenario;
  return 0;
}
