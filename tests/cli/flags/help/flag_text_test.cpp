// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../../cli/flags/help/flag_text.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace mlp::cli {

TEST_SUITE("cli/flags/help/flag_text") {
  TEST_CASE("states the default of every flag with a value") {
    for (const auto& command : kCommandTable) {
      for (const auto& option : kOptionTable) {
        const bool is_its_own = (option.commands & command.command) != 0;
        if (!is_its_own || option.is_switch()) continue;
        const std::string text = flag_sentences(option, command.command);

        CAPTURE(option.name);
        CAPTURE(text);
        const std::size_t place = text.find("Default: ");
        CHECK(place != text.npos);
        CHECK(text.find("Default: ", place + 1) == text.npos);
      }
    }
  }

  TEST_CASE("says off where the default is that nothing is done") {
    for (const char* name : {"reg-param", "dropout", "clip-norm", "clip-value",
                             "label-smoothing", "momentum", "split"}) {
      CAPTURE(name);
      const std::string text = flag_sentences(*find_option(name), cli::kTrain);
      CHECK(text.find("Default: off") != text.npos);
    }
  }

  TEST_CASE("states the allowed values of every hyper-parameter") {
    for (const auto& option : kOptionTable) {
      if (option.param == nullptr || option.is_switch()) continue;
      if (option.value == "file" || !option.choices.empty()) continue;
      if (option.name == "schedule") continue;  // its sentence says it
      // These also take names of classes, which their sentences explain.
      if (option.name == "thresholds" || option.name == "class-weights") {
        continue;
      }
      CAPTURE(option.name);
      const std::string text = flag_sentences(option, cli::kTrain);
      const std::string rule(option.param->interval.substr(1));
      CHECK(text.find(rule + '.') != text.npos);
    }
  }

  TEST_CASE("uses the words of the command") {
    const auto* label = find_option("label");
    const auto* out = find_option("out");

    CHECK(flag_sentences(*label, cli::kPredict)
              .starts_with("A column of DATA that is no feature"));
    CHECK(flag_sentences(*label, cli::kTrain).starts_with("The label column"));
    CHECK(flag_sentences(*out, cli::kTrain) ==
          "The file for the model; - is standard output. Default: the model is "
          "not saved.");
  }

  TEST_CASE("describes only flags that the command has") {
    for (const auto& sentence : kCommandSentences) {
      CAPTURE(sentence.flag);
      const auto* option = find_option(sentence.flag);
      REQUIRE(option != nullptr);
      CHECK((option->commands & sentence.command) != 0);
    }
  }

  TEST_CASE("has one note for a flag") {
    std::set<std::string_view> names;
    for (const auto& note : kFlagNotes) {
      CAPTURE(note.flag);
      CHECK(names.insert(note.flag).second);
    }
  }

  TEST_CASE("shows the names of a value if they are few") {
    CHECK(flag_value(*find_option("wire")) ==
          join_names(kNamesOf<kWireNames>, "|"));
    CHECK(flag_value(*find_option("init")) == "<name>");
    CHECK(flag_value(*find_option("resume")).empty());
  }

  TEST_CASE("tells which values are files") {
    for (const char* name : {"out", "labels", "validation", "warm-start",
                             "initial-weights", "checkpoint", "timeline"}) {
      CAPTURE(name);
      CHECK(takes_file(*find_option(name)));
    }
    CHECK_FALSE(takes_file(*find_option("label")));
    CHECK_FALSE(takes_file(*find_option("rendezvous")));
  }
}

}  // namespace mlp::cli
