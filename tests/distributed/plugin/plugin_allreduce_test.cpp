// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/plugin/plugin_allreduce.hpp"

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../thrown_message.hpp"
#include "../ranks.hpp"

namespace mlp::distributed {

namespace {

/// The group of the plugin below, to which a PluginGroup* points.
struct Group {
  PluginHost host{};
  std::string cancelled;
};

/// What the plugin below does and has done.
struct Script {
  bool meets = false;
  bool fails_by_itself = false;
  PluginFailure failure{};
  int num_closed = 0;
  PluginNumber kind{};
  std::string met;
  Group group;
  std::array<PluginPiece, 2> pieces{{{"ab", 2}, {"c", 1}}};
};
Script script;

int open(const PluginHost* host, PluginGroup** group, PluginFailure* failure) {
  *failure = script.failure;
  script.group.host = *host;
  *group = reinterpret_cast<PluginGroup*>(&script.group);
  if (script.meets) {
    const PluginPiece* pieces = nullptr;
    if (host->all_gather(host->object, "x", 1, &pieces) != 0) {
      if (!script.fails_by_itself) failure->cause = PluginCause::kRendezvous;
      return 1;
    }
    for (int r = 0; r < host->world_size; ++r) {
      script.met.append(pieces[r].text, pieces[r].size);
    }
  }
  return failure->sentence[0] == '\0' ? 0 : 1;
}

int sum(PluginGroup*, PluginNumber kind, void*, std::size_t size,
        PluginFailure* failure) {
  script.kind = kind;
  *failure = {PluginCause::kConnection, 1, "left"};
  return size > 3 ? 1 : 0;
}

int all_gather(PluginGroup*, const char*, std::size_t,
               const PluginPiece** pieces, PluginFailure*) {
  *pieces = script.pieces.data();
  return 0;
}

/// A plugin in this program, for the calls that cross the interface.
constexpr Plugin kPlugin{kPluginVersion,
                         nullptr,
                         open,
                         [](const PluginGroup*) { return 0; },
                         [](const PluginGroup*) { return 2; },
                         [](const PluginGroup*) { return "10.0.0.1"; },
                         sum,
                         all_gather,
                         [](PluginGroup* group, const char* text) {
                           reinterpret_cast<Group*>(group)->cancelled = text;
                         },
                         [](PluginGroup*) { ++script.num_closed; }};

/// A rendezvous of two that gives a fixed answer, or throws.
class Answers final : public Rendezvous {
 public:
  explicit Answers(std::vector<std::string> texts) : texts_(std::move(texts)) {}
  [[nodiscard]] int rank() const override { return 1; }
  [[nodiscard]] int world_size() const override { return 2; }
  [[nodiscard]] std::vector<std::string> all_gather(
      const std::string& text) override {
    if (texts_.empty()) throw ResourceError("no folder for " + text);
    return texts_;
  }

 private:
  std::vector<std::string> texts_;
};

/// The sentence of a group that cannot be opened with an answer.
std::string refusal_of(const std::vector<std::string>& texts) {
  script = {};
  script.meets = true;
  Answers answers(texts);
  PluginOptions options;
  options.rendezvous = &answers;
  return test::thrown_message<Error>(
      [&] { const PluginAllreduce group(kPlugin, options); });
}

}  // namespace

TEST_SUITE("distributed/plugin/plugin_allreduce") {
  TEST_CASE("gives the plugin what it was given, and closes once") {
    script = {};
    PluginOptions options;
    options.deadline_seconds = 3;
    options.connect_seconds = 4;
    options.address = "::1";
    {
      PluginAllreduce group(kPlugin, options);
      CHECK(script.group.host.deadline_seconds == 3);
      CHECK(script.group.host.connect_seconds == 4);
      CHECK(std::string(script.group.host.address) == "::1");
      CHECK(group.world_size() == 2);
      CHECK(group.local_address() == "10.0.0.1");
      group.cancel("stop");
      CHECK(script.num_closed == 0);
    }
    CHECK(script.group.cancelled == "stop");
    CHECK(script.num_closed == 1);
  }

  TEST_CASE("names the type of the numbers and throws what the plugin says") {
    script = {};
    PluginAllreduce group(kPlugin, {});
    std::array<float, 3> few{};
    std::array<Bfloat16, 4> many{};

    group.sum(std::span<float>(few));
    CHECK(script.kind == PluginNumber::kFloat);
    CHECK_THROWS_WITH_AS(group.sum(std::span<Bfloat16>(many)), "rank 1: left",
                         CommunicationError);
    CHECK(script.kind == PluginNumber::kBfloat16);
    CHECK(group.all_gather("") == std::vector<std::string>{"ab", "c"});
  }

  TEST_CASE("lets the plugin meet at the rendezvous of the program") {
    CHECK(refusal_of({"one ", "two"}) == "");
    CHECK(script.met == "one two");
    CHECK(script.group.host.rank == 1);
  }

  TEST_CASE("throws what the rendezvous threw, and not what the plugin says") {
    CHECK(refusal_of({}) == "no folder for x");
    CHECK(refusal_of({"one"}) ==
          "the rendezvous must give one text for each of 2 ranks; got 1 texts; "
          "correct it");
    CHECK(script.num_closed == 0);
  }

  TEST_CASE("throws the kind of error that the plugin names") {
    script = {};
    script.failure = {PluginCause::kParam, -1, "must be numeric"};
    CHECK_THROWS_WITH_AS(PluginAllreduce(kPlugin, {}), "must be numeric",
                         ParamError);
    script.failure = {PluginCause::kConnection, -1, "nobody came"};
    CHECK_THROWS_WITH_AS(PluginAllreduce(kPlugin, {}), "nobody came",
                         CommunicationError);
  }

  TEST_CASE("throws the rank's own failure if the rendezvous fails after it") {
    script = {};
    script.meets = true;
    script.fails_by_itself = true;
    script.failure = {PluginCause::kParam, -1, "must be numeric"};
    Answers nobody({});
    PluginOptions options;
    options.rendezvous = &nobody;

    CHECK_THROWS_WITH_AS(PluginAllreduce(kPlugin, options), "must be numeric",
                         ParamError);
  }

  TEST_CASE("tells why the process ends and keeps errors from the plugin") {
    script = {};
    std::string told;
    PluginOptions options;
    options.on_lost = [&told](const std::string& sentence) {
      told = sentence;
      throw Error("not to be seen");
    };
    const PluginAllreduce group(kPlugin, options);

    script.group.host.on_lost(script.group.host.object, "rank 1 is lost");

    CHECK(told == "rank 1 is lost");
  }
}

}  // namespace mlp::distributed
