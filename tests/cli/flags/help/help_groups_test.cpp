// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/flags/help/help_groups.hpp"

#include <doctest/doctest.h>

#include <set>

namespace mlp::cli {

TEST_SUITE("cli/flags/help/help_groups") {
  TEST_CASE("has every flag in exactly one group") {
    std::multiset<std::string_view> names;
    for (const auto& group : kHelpGroups) {
      names.insert(group.flags.begin(), group.flags.end());
    }

    for (const auto& option : kOptionTable) {
      CAPTURE(option.name);
      CHECK(names.count(option.name) == (option.is_global() ? 0 : 1));
    }
  }

  TEST_CASE("names no flag that does not exist") {
    for (const auto& group : kHelpGroups) {
      for (const std::string_view name : group.flags) {
        CAPTURE(name);
        CHECK(find_option(name) != nullptr);
      }
    }
  }

  TEST_CASE("shows each flag of a command once and no other flag") {
    for (const auto& command : kCommandTable) {
      std::multiset<const cli::OptionInfo*> shown;
      for (const auto& section : help_sections(command.command)) {
        CHECK_FALSE(section.options.empty());
        CHECK(section.title != cli::kOtherFlagsTitle);
        shown.insert(section.options.begin(), section.options.end());
      }

      for (const auto& option : kOptionTable) {
        CAPTURE(option.name);
        const bool is_its_own = (option.commands & command.command) != 0;
        CHECK(shown.count(&option) == (is_its_own ? 1 : 0));
      }
    }
  }

  TEST_CASE("puts the basics first and the flags of every command last") {
    const auto sections = help_sections(cli::kTrain);

    CHECK(sections.front().title == "BASIC FLAGS");
    CHECK(sections[sections.size() - 2].title == "SEVERAL RANKS");
    CHECK(sections[sections.size() - 3].title ==
          "AS SPARK DIVIDES DATA AND SEEDS");
    CHECK(sections.back().title == cli::kGlobalFlagsTitle);
  }
}

}  // namespace mlp::cli
