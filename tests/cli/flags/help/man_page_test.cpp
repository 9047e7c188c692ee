// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <string>

#include "../../../../cli/flags/help/help.hpp"
#include "../../../../cli/flags/option_table.hpp"
#include "../../run_program.hpp"

using namespace mlp::cli;
using mlp::test::run_program;

namespace {

/// The warnings of groff about a page; none if groff is not installed.
std::string warnings_about(const std::string& page) {
  const mlp::test::ScratchFolder folder;
  const std::string file = folder.write("page.1", page);
  const std::string command =
      "command -v groff >/dev/null || exit 0; groff -man -Tascii -ww -z " +
      file + " 2>&1";
  FILE* groff = ::popen(command.c_str(), "r");
  REQUIRE(groff != nullptr);
  std::string warnings;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), groff) != nullptr) {
    warnings += line.data();
  }
  CHECK(::pclose(groff) == 0);
  return warnings;
}

std::string with_dashes(std::string_view name) {
  std::string text = "\\-\\-";
  for (const char letter : name) {
    text += letter == '-' ? std::string("\\-") : std::string(1, letter);
  }
  return text;
}

}  // namespace

TEST_SUITE("cli/flags/help/man_page") {
  TEST_CASE("writes pages that groff accepts without a warning") {
    CHECK(warnings_about(man_page()) == "");
    for (const auto& command : kCommandTable) {
      CHECK(warnings_about(man_page(command)) == "");
    }
  }

  TEST_CASE("names every flag of a command and no other") {
    for (const auto& command : kCommandTable) {
      const std::string page = man_page(command);

      for (const auto& option : kOptionTable) {
        CAPTURE(option.name);
        const bool is_its_own = (option.commands & command.command) != 0;
        const bool is_shown =
            page.find("\\fB" + with_dashes(option.name) + "\\fR") != page.npos;
        CHECK(is_shown == is_its_own);
      }
    }
  }

  TEST_CASE("has the sections of a man page in their order") {
    for (const auto& command : kCommandTable) {
      const std::string page = man_page(command);
      std::size_t place = 0;

      CHECK(page.starts_with(".TH \"MLP-"));
      for (const char* title :
           {".SH NAME\nmlp\\-", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n",
            ".SH EXAMPLE\n", ".SH FLAGS OF EVERY COMMAND\n",
            ".SH EXIT STATUS\n", ".SH SEE ALSO\n.BR mlp (1),\n"}) {
        CAPTURE(title);
        place = page.find(title, place);
        REQUIRE(place != page.npos);
      }
    }
  }

  TEST_CASE("lists every command on the page of the program") {
    const std::string page = man_page();

    for (const auto& command : kCommandTable) {
      CHECK(page.find("\\fB" + std::string(command.name) + "\\fR") !=
            page.npos);
      CHECK(page.find(".BR mlp\\-" + std::string(command.name) + " (1)") !=
            page.npos);
    }
  }

  TEST_CASE("is printed by help --man") {
    CHECK(run_program({"help", "--man"}).output == man_page());
    for (const auto& command : kCommandTable) {
      const auto page =
          run_program({"help", std::string(command.name), "--man"});

      CHECK(page.exit_code == 0);
      CHECK(page.output == man_page(command));
    }
  }

  TEST_CASE("is built for every command") {
    const std::string list =
        mlp::test::read_bytes(MLP_DATA_DIR "/../cli/CMakeLists.txt");

    std::string names;
    for (const auto& command : kCommandTable) {
      names += (names.empty() ? "" : " ") + std::string(command.name);
    }
    CHECK(list.find(names + ')') != list.npos);
  }
}
