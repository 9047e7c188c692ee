// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>

#include "../../../core/error.hpp"
#include "../../../distributed/gloo/gloo_allreduce.hpp"
#include "../../../distributed/rendezvous/handshake.hpp"
#include "../ranks.hpp"
#include "gloo_of_build.hpp"

namespace mlp::distributed {

namespace {

GlooOptions with_secret(const std::string& secret) {
  GlooOptions options = options_of_build();
  options.secret = secret;
  return options;
}

std::string refusal_of(const GlooOptions& options) {
  Meeting meeting(2);
  return sentences(outcomes_of_ranks(2, [&](int rank) {
    ThreadRendezvous rendezvous(meeting, rank, 2);
    static_cast<void>(make_gloo_allreduce(rendezvous, options));
  }));
}

}  // namespace

TEST_SUITE("distributed/gloo/gloo_secret") {
  TEST_CASE("meets at the rendezvous once if the ranks share a secret") {
    if (is_skipped()) return;
    GlooOptions options = with_secret(std::string(kSecretBytes, 's'));
    options.address = "127.0.0.1";
    Meeting meeting(2);

    const auto outcomes = outcomes_of_ranks(2, [&](int rank) {
      ThreadRendezvous rendezvous(meeting, rank, 2);
      const auto group = make_gloo_allreduce(rendezvous, options);
      std::array<double, 1> numbers{1.0};
      group->sum(std::span<double>(numbers));
      if (numbers.front() != 2.0) throw Error("a wrong sum");
      if (rendezvous.num_calls() != 1) throw Error("more than one exchange");
    });

    CHECK(sentences(outcomes) == "");
  }

  TEST_CASE("refuses a secret of another length on all ranks at once") {
    GlooOptions options = with_secret("short");
    options.address = "127.0.0.1";

    const std::string sentence = "secret must have 32 bytes; got 5\n";
    CHECK(refusal_of(options) == sentence + sentence);
  }

  TEST_CASE("refuses a secret without an address on all ranks at once") {
    const std::string sentence =
        "address must be given with a secret: the ranks do not tell each other "
        "their machines; got none\n";
    CHECK(refusal_of(with_secret(std::string(kSecretBytes, 's'))) ==
          sentence + sentence);
  }
}

}  // namespace mlp::distributed
