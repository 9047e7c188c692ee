// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/meeting_files.hpp"

#include <doctest/doctest.h>

#include <string>

namespace mlp::distributed {

TEST_SUITE("distributed/rendezvous/meeting_files") {
  TEST_CASE("makes another name each time") {
    const std::string name = fresh_name();

    CHECK(is_fresh_name(name));
    CHECK(fresh_name() != name);
  }

  TEST_CASE("accepts no name that could leave a folder") {
    CHECK(is_fresh_name(std::string(32, 'f')));
    CHECK(!is_fresh_name(""));
    CHECK(!is_fresh_name(std::string(31, 'f')));
    CHECK(!is_fresh_name(std::string(33, 'f')));
    CHECK(!is_fresh_name("../" + std::string(29, 'f')));
    CHECK(!is_fresh_name(std::string(31, 'f') + '\0'));
    CHECK(!is_fresh_name(std::string(32, 'F')));
  }

  TEST_CASE("reads the group that it has written") {
    const AnnouncedGroup group{fresh_name(), {fresh_name(), fresh_name()}};

    const auto read = parse_group(format_group(group), 2);

    REQUIRE(read);
    CHECK(read->word == group.word);
    CHECK(read->names == group.names);
  }

  TEST_CASE("reads no group from other bytes") {
    const std::string text =
        format_group({fresh_name(), {fresh_name(), fresh_name()}});

    CHECK(!parse_group(text, 1));
    CHECK(!parse_group(text, 3));
    CHECK(!parse_group(text + '\n', 2));
    CHECK(!parse_group("../x" + text.substr(4), 2));
    for (std::size_t size = 0; size < text.size(); ++size) {
      CHECK(!parse_group(text.substr(0, size), 2));
    }
  }
}

}  // namespace mlp::distributed
