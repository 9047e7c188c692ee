// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/gloo/gloo_allreduce.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <latch>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../distributed/rendezvous/rank_identity.hpp"
#include "../ranks.hpp"
#include "gloo_of_build.hpp"

namespace mlp::distributed {

namespace {

/// Loss is seen within milliseconds; a machine under load takes its time.
constexpr double kAtOnceSeconds = 1.0;

constexpr std::array<std::size_t, 5> kSizes{1, 2, 5, 1000, 300001};

using Work = std::function<void(Allreduce&)>;

/// Connects ranks by Gloo and gives each one to work.
///
/// \param adjust  changes the options of one rank
std::vector<Outcome> join(
    int num_ranks, const std::function<void(int rank, GlooOptions&)>& adjust,
    const Work& work = [](Allreduce&) {}) {
  Meeting meeting(num_ranks);
  return outcomes_of_ranks(num_ranks, [&](int rank) {
    ThreadRendezvous rendezvous(meeting, rank, num_ranks);
    GlooOptions options = options_of_build();
    adjust(rank, options);
    work(*make_gloo_allreduce(rendezvous, options));
  });
}

std::vector<Outcome> with_group(int num_ranks, const GlooOptions& options,
                                const Work& work) {
  return join(
      num_ranks, [&](int, GlooOptions& own) { own = options; }, work);
}

/// Small integers, which every type and every order adds exactly.
template <class Number>
std::vector<Number> integers(std::size_t size, int rank) {
  std::vector<Number> numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] = static_cast<Number>(
        static_cast<float>((i * 7 + static_cast<std::size_t>(rank)) % 17) -
        8.0f);
  }
  return numbers;
}

template <class Number>
std::string check_integers(int num_ranks) {
  return sentences(
      with_group(num_ranks, options_of_build(), [&](Allreduce& group) {
        for (const std::size_t size : kSizes) {
          std::vector<Number> sums = integers<Number>(size, group.rank());
          group.sum(std::span<Number>(sums));
          std::vector<float> expected(size);
          for (int r = 0; r < num_ranks; ++r) {
            const std::vector<Number> part = integers<Number>(size, r);
            for (std::size_t i = 0; i < size; ++i) {
              expected[i] += static_cast<float>(part[i]);
            }
          }
          for (std::size_t i = 0; i < size; ++i) {
            if (static_cast<float>(sums[i]) != expected[i]) {
              throw Error("number " + std::to_string(i) + " of " +
                          std::to_string(size) + " is wrong");
            }
          }
        }
      }));
}

/// The bits of a sum of thirds, by rank.
std::vector<std::string> sum_of_thirds(int num_ranks) {
  std::vector<std::string> bits(static_cast<std::size_t>(num_ranks));
  const auto outcomes =
      with_group(num_ranks, options_of_build(), [&](Allreduce& group) {
        std::vector<double> numbers(100'003);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          numbers[i] = static_cast<double>(i + 1) / (3.0 + group.rank());
        }
        group.sum(std::span<double>(numbers));
        bits[static_cast<std::size_t>(group.rank())].assign(
            reinterpret_cast<const char*>(numbers.data()),
            numbers.size() * sizeof(double));
      });
  REQUIRE(sentences(outcomes) == "");
  return bits;
}

/// A rendezvous of two ranks that believe each other on another machine.
class ElsewhereRendezvous final : public Rendezvous {
 public:
  ElsewhereRendezvous(Meeting& meeting, int rank)
      : meeting_(meeting), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int world_size() const override { return 2; }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    std::vector<std::string> texts = meeting_.gather(rank_, text);
    for (std::size_t r = 0; r < texts.size(); ++r) {
      auto identity = parse_identity(texts[r], static_cast<int>(r));
      if (!identity) throw Error("no identity");
      identity->machine += std::to_string(r);
      identity->route_address = "";
      texts[r] = format_identity(*identity);
    }
    return texts;
  }

 private:
  Meeting& meeting_;
  int rank_;
};

/// A rendezvous of two that fails.
class NoRendezvous final : public Rendezvous {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int world_size() const override { return 2; }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& /*text*/) override {
    throw ResourceError("the folder is gone");
  }
};

void sum_one(Allreduce& group) {
  std::array<double, 1> numbers{1.0};
  group.sum(std::span<double>(numbers));
}

}  // namespace

TEST_SUITE("distributed/gloo/gloo_allreduce") {
  TEST_CASE("adds integers of each type and many sizes exactly") {
    if (is_skipped()) return;

    for (int num_ranks = 1; num_ranks <= 4; ++num_ranks) {
      CAPTURE(num_ranks);
      CHECK(check_integers<double>(num_ranks) == "");
      CHECK(check_integers<float>(num_ranks) == "");
      CHECK(check_integers<Float16>(num_ranks) == "");
      CHECK(check_integers<Bfloat16>(num_ranks) == "");
    }
  }

  TEST_CASE("gives the same bits to all ranks and in each run") {
    if (is_skipped()) return;

    for (const int num_ranks : {2, 3, 4}) {
      const std::vector<std::string> first = sum_of_thirds(num_ranks);
      const std::vector<std::string> second = sum_of_thirds(num_ranks);
      for (const std::string& bits : first) CHECK((bits == first.front()));
      CHECK((first == second));
    }
  }

  TEST_CASE("gathers texts, and meets at the rendezvous twice alone") {
    if (is_skipped()) return;
    Meeting meeting(3);

    const auto outcomes = outcomes_of_ranks(3, [&](int rank) {
      ThreadRendezvous rendezvous(meeting, rank, 3);
      const auto group = make_gloo_allreduce(rendezvous, options_of_build());
      const auto texts = group->all_gather(std::string(1, "abc"[rank]));
      const std::vector<std::string> expected{"a", "b", "c"};
      if (texts != expected) throw Error("texts differ");
      if (rendezvous.num_calls() != 2) throw Error("met more often");
      if (group->local_address() != "127.0.0.1") throw Error("address");
    });

    CHECK(sentences(outcomes) == "");
  }

  TEST_CASE("tells the others at once when a rank leaves") {
    if (is_skipped()) return;
    std::array<double, 3> seconds{};

    const auto outcomes =
        with_group(3, options_of_build(), [&](Allreduce& group) {
          sum_one(group);
          if (group.rank() == 1) return;
          const Stopwatch watch;
          try {
            sum_one(group);
          } catch (const CommunicationError&) {
            seconds[static_cast<std::size_t>(group.rank())] = watch.seconds();
            sum_one(group);  // and every later call throws, too
          }
        });

    CHECK(outcomes[0].to_blame == 1);
    CHECK(outcomes[2].to_blame == 1);
    CHECK(outcomes[0].sentence.find("sum 2 of 1 numbers (8 bytes)") !=
          std::string::npos);
    CHECK(seconds[0] < kAtOnceSeconds);
    CHECK(seconds[2] < kAtOnceSeconds);
  }

  TEST_CASE("ends the wait of all ranks with the sentence of cancel") {
    if (is_skipped()) return;
    std::latch waiting(2);
    const Stopwatch watch;
    double begin = 0;

    const auto outcomes =
        with_group(3, options_of_build(), [&](Allreduce& group) {
          if (group.rank() == 0) {
            waiting.wait();
            begin = watch.seconds();
            group.cancel("the user has stopped the training");
          } else {
            waiting.count_down();
          }
          sum_one(group);
        });

    CHECK(watch.seconds() - begin < kAtOnceSeconds);
    CHECK(outcomes[0].sentence == "rank 0: the user has stopped the training");
    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.is_communication_error);
      CHECK(outcome.to_blame == 0);
      CHECK(outcome.sentence.starts_with(outcomes[0].sentence));
    }
  }

  TEST_CASE("wakes its own thread when another one cancels") {
    if (is_skipped()) return;

    const auto outcomes =
        with_group(2, options_of_build(), [&](Allreduce& group) {
          sum_one(group);
          std::thread other([&group] {
            if (group.rank() == 0) group.cancel("stop");
          });
          try {
            while (true) sum_one(group);
          } catch (const CommunicationError&) {
            other.join();
            throw;
          }
        });

    CHECK(outcomes[0].sentence == "rank 0: stop");
    CHECK(outcomes[1].sentence.starts_with("rank 0: stop; rank 1 was in sum "));
  }

  TEST_CASE("names the rank that never came to a sum, at the deadline") {
    if (is_skipped()) return;
    GlooOptions options = options_of_build();
    options.deadline_seconds = 0.5;
    std::latch done(2);
    std::array<double, 3> seconds{};

    const auto outcomes = with_group(3, options, [&](Allreduce& group) {
      if (group.rank() == 1) return done.wait();
      const Stopwatch watch;
      try {
        sum_one(group);
      } catch (const CommunicationError&) {
        seconds[static_cast<std::size_t>(group.rank())] = watch.seconds();
        done.count_down();
        throw;
      }
    });

    for (const std::size_t rank : {std::size_t{0}, std::size_t{2}}) {
      CHECK(outcomes[rank].to_blame == 1);
      CHECK(outcomes[rank].sentence.starts_with(
          "rank 1: no answer within 0.5 s; rank 0 was in sum 1 of 1 numbers"));
      CHECK(seconds[rank] >= options.deadline_seconds - 0.01);
      CHECK(seconds[rank] < options.deadline_seconds + kAtOnceSeconds);
    }
  }

  TEST_CASE("names the rank that never came after sums that were complete") {
    if (is_skipped()) return;
    GlooOptions options = options_of_build();
    options.deadline_seconds = 0.5;
    std::latch done(1);

    const auto outcomes = with_group(2, options, [&](Allreduce& group) {
      for (int i = 0; i < 3; ++i) sum_one(group);
      if (group.rank() == 1) return done.wait();
      try {
        sum_one(group);
      } catch (const CommunicationError&) {
        done.count_down();
        throw;
      }
    });

    CHECK(outcomes[0].to_blame == 1);
    CHECK(outcomes[0].sentence.starts_with(
        "rank 1: no answer within 0.5 s; rank 0 was in sum 4 of 1 numbers"));
  }

  TEST_CASE("waits for nobody to sum nothing") {
    if (is_skipped()) return;
    CHECK(sentences(with_group(2, options_of_build(), [&](Allreduce& group) {
            if (group.rank() == 0) group.sum(std::span<double>());
            sum_one(group);
          })) == "");
  }

  TEST_CASE("waits until the deadline where ranks sum unequally many") {
    if (is_skipped()) return;
    GlooOptions options = options_of_build();
    options.deadline_seconds = 0.2;

    const auto outcomes = with_group(2, options, [&](Allreduce& group) {
      std::vector<double> numbers(group.rank() == 0 ? 10 : 20000);
      group.sum(std::span<double>(numbers));
    });

    CHECK(outcomes[0].sentence.find("no answer within 0.2 s") !=
          std::string::npos);
    CHECK(outcomes[1].is_communication_error);
  }

  TEST_CASE("refuses numbers of another type with the same count") {
    if (is_skipped()) return;
    GlooOptions options = options_of_build();
    options.deadline_seconds = 0.2;

    const auto outcomes = with_group(2, options, [&](Allreduce& group) {
      std::vector<float> narrow(10, 1.0f);
      std::vector<double> wide(10, 1.0);
      if (group.rank() == 0) group.sum(std::span<float>(narrow));
      if (group.rank() == 1) group.sum(std::span<double>(wide));
    });

    CHECK(outcomes[0].is_communication_error);
    CHECK(outcomes[1].is_communication_error);
  }

  TEST_CASE("refuses addresses that are none, and tells the others") {
    if (is_skipped()) return;

    const auto outcomes = join(2, [](int rank, GlooOptions& options) {
      if (rank == 1) options.address = "no.such.host";
    });

    const std::string sentence =
        "the address of a rank must be the numeric IPv4 or IPv6 address of one "
        "of its interfaces; got \"no.such.host\"; give the one that the other "
        "ranks can reach";
    CHECK(outcomes[1].sentence == sentence);
    CHECK(outcomes[0].sentence == "rank 1: cannot join: " + sentence);
    CHECK(outcomes[0].to_blame == 1);
  }

  TEST_CASE("reports a bad address although no other rank comes") {
    if (is_skipped()) return;
    NoRendezvous nobody;
    GlooOptions options = options_of_build();
    options.address = "no.such.host";

    CHECK_THROWS_AS(make_gloo_allreduce(nobody, options), ParamError);
  }

  TEST_CASE("says at once that no other machine can reach a rank") {
    if (is_skipped()) return;
    Meeting meeting(2);
    const Stopwatch watch;

    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      ElsewhereRendezvous rendezvous(meeting, rank);
      GlooOptions options = options_of_build();
      options.address = rank == 0 ? "10.1.2.3" : "127.1.2.3";
      static_cast<void>(make_gloo_allreduce(rendezvous, options));
    });

    CHECK(watch.seconds() < kAtOnceSeconds);
    for (const Outcome& outcome : outcomes) {
      CHECK(outcome.sentence ==
            "rank 1: must listen at an address that the ranks on other "
            "machines can reach; got a loopback address; give each rank the "
            "address of its machine, by --address or GlooOptions::address");
    }
  }

  TEST_CASE("tells the others at once that it has no plugin") {
    if (is_skipped()) return;

    const auto outcomes = join(3, [](int rank, GlooOptions& options) {
      if (rank == 1) options.plugin_file = "/nowhere/libmlp_gloo.so";
    });

    const std::string sentence =
        "Gloo (there is no file /nowhere/libmlp_gloo.so) is not part of this "
        "build; install Debian's libgloo-dev, "
        "configure with -DMLP_WITH_GLOO=ON and build again";
    CHECK(outcomes[0].sentence == "rank 1: cannot join: " + sentence);
    CHECK(outcomes[1].sentence == sentence);
    CHECK(outcomes[2].sentence == outcomes[0].sentence);
  }

  TEST_CASE("tells the others at once that it cannot listen") {
    if (is_skipped()) return;

    const auto outcomes = join(2, [](int rank, GlooOptions& options) {
      if (rank == 1) options.address = "192.0.2.1";  // no machine has it
    });

    const std::string sentence =
        "this rank cannot listen at 192.0.2.1: Cannot assign requested "
        "address; give the address of one of its interfaces";
    CHECK(outcomes[1].sentence == sentence);
    CHECK(outcomes[0].sentence == "rank 1: cannot join: " + sentence);
  }

  TEST_CASE("passes on what the rendezvous throws") {
    if (is_skipped()) return;
    NoRendezvous rendezvous;

    CHECK_THROWS_WITH_AS(make_gloo_allreduce(rendezvous, options_of_build()),
                         "the folder is gone", ResourceError);
  }

  TEST_CASE("needs no plugin for a group of one") {
    Meeting meeting(1);
    ThreadRendezvous rendezvous(meeting, 0, 1);

    CHECK(make_gloo_allreduce(rendezvous, {})->world_size() == 1);
  }

  TEST_CASE("refuses what is no plugin for Gloo of this version") {
    NoRendezvous rendezvous;
    const auto refuse = [&](const std::string& file) {
      GlooOptions options;
      options.plugin_file = file;
      static_cast<void>(make_gloo_allreduce(rendezvous, options));
    };

    CHECK_THROWS_WITH_AS(refuse(MLP_NO_PLUGIN),
                         (MLP_NO_PLUGIN ": must be a plugin of mlp; it lacks "
                                        "mlp_gloo_plugin; name libmlp_gloo.so"),
                         ResourceError);
    CHECK_THROWS_WITH_AS(
        refuse(MLP_NEWER_PLUGIN),
        (MLP_NEWER_PLUGIN ": must have version 4 of the plugin's interface; it "
                          "has 5; build it with this program"),
        ResourceError);
    CHECK_THROWS_WITH_AS(
        refuse("/nowhere/libmlp_gloo.so"),
        "Gloo (there is no file /nowhere/libmlp_gloo.so) is not part of this "
        "build; install Debian's libgloo-dev, "
        "configure with -DMLP_WITH_GLOO=ON and build again",
        NotCompiled);
  }

  TEST_CASE("probes the plugin of this build") {
    if (is_skipped()) return;

    const PluginProbe probe = probe_gloo(MLP_GLOO_PLUGIN);

    CHECK(probe.refusal == "");
    CHECK(probe.description == "TCP between processes and machines");
  }
}

}  // namespace mlp::distributed
