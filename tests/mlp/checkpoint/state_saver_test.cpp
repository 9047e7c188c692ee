// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../mlp/checkpoint/state_saver.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace mlp {

namespace {

/// A saver of the text "state", and what it saved.
struct Fixture {
  explicit Fixture(bool is_due = true) {
    checkpoint.is_due = [is_due](Index, bool) { return is_due; };
    checkpoint.write = [this](const std::string& state) {
      states.push_back(state);
    };
  }

  static void write(ByteWriter& writer) { writer.write(std::uint8_t{65}); }

  /// Saves while an exception is on its way.
  template <typename Exception>
  void rescue(bool is_writer, const Exception& exception) {
    try {
      throw exception;
    } catch (...) {
      StateSaver(checkpoint, is_writer).rescue(&Fixture::write);
    }
  }

  CheckpointOptions checkpoint;
  std::vector<std::string> states;
};

}  // namespace

TEST_SUITE("mlp/checkpoint/state_saver") {
  TEST_CASE("saves where it is time to and it is the writer") {
    Fixture due;
    Fixture not_due(false);

    StateSaver(due.checkpoint, true).save_if_due(1, false, &Fixture::write);
    StateSaver(due.checkpoint, false).save_if_due(1, false, &Fixture::write);
    StateSaver(not_due.checkpoint, true).save_if_due(1, false, &Fixture::write);

    CHECK(due.states == std::vector<std::string>{"A"});
    CHECK(not_due.states.empty());
  }

  TEST_CASE("saves nothing where nobody asked") {
    const CheckpointOptions nobody;
    const StateSaver saver(nobody, true);

    CHECK_NOTHROW(saver.save_if_due(1, false, &Fixture::write));
    CHECK_NOTHROW(saver.rescue(&Fixture::write));
  }

  TEST_CASE("rescues on one rank what all ranks gave up") {
    Fixture fixture;

    fixture.rescue(true, std::runtime_error("no memory"));
    fixture.rescue(false, std::runtime_error("no memory"));

    CHECK(fixture.states.size() == 1);
  }

  TEST_CASE("rescues on every rank that lost the others") {
    Fixture fixture;

    fixture.rescue(true, CommunicationError(1, "is lost"));
    fixture.rescue(false, CommunicationError(1, "is lost"));

    CHECK(fixture.states.size() == 2);
  }

  TEST_CASE("keeps quiet where the rescue fails too") {
    Fixture fixture;
    fixture.checkpoint.write = [](const std::string&) {
      throw std::runtime_error("disk full");
    };

    CHECK_NOTHROW(fixture.rescue(true, std::runtime_error("no memory")));
  }
}

}  // namespace mlp
