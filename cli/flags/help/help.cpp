// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <cstddef>
#include <string_view>

#include "../../../core/version.hpp"
#include "../../console/exit_code.hpp"
#include "../option_table.hpp"
#include "flag_text.hpp"
#include "help_groups.hpp"

namespace mlp::cli {

namespace {

constexpr std::size_t kPageWidth = 80;
constexpr std::size_t kTextColumn = 30;

/// Breaks a text into lines that start at a column of the page.
std::string wrap(std::string_view text, std::size_t column) {
  std::string page;
  std::size_t used = column;
  while (!text.empty()) {
    const std::size_t length = text.find(' ');
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(length == text.npos ? text.size() : length + 1);
    if (used > column && used + 1 + word.size() > kPageWidth) {
      page += '\n' + std::string(column, ' ');
      used = column;
    }
    if (used > column) page += ' ';
    used += word.size() + (used > column ? 1 : 0);
    page += word;
  }
  return page;
}

/// Formats a term and its description, which is in the right-hand column.
std::string describe_term(std::string term, std::string_view text) {
  term = "  " + term;
  if (term.size() + 2 > kTextColumn) {
    term += '\n' + std::string(kTextColumn, ' ');
  } else {
    term.resize(kTextColumn, ' ');
  }
  return term + wrap(text, kTextColumn) + '\n';
}

/// Formats a flag: its names and its value.
std::string make_term(const OptionInfo& option) {
  std::string term = option.flag();
  if (option.letter != 0) {
    term = std::string{'-', option.letter} + ", " + term;
  }
  return option.is_switch() ? term : term + ' ' + flag_value(option);
}

std::string describe_section(const HelpSection& section, Command command) {
  std::string text(section.title);
  text += '\n';
  for (const OptionInfo* option : section.options) {
    text += describe_term(make_term(*option), flag_sentences(*option, command));
  }
  return text;
}

/// Indents each line of a text.
std::string indent(std::string_view text, std::string_view space = "    ") {
  std::string page(space);
  for (const char letter : text) {
    page += letter;
    if (letter == '\n') page += space;
  }
  return page + '\n';
}

std::string list_exit_codes() {
  std::string text = "EXIT CODES\n";
  for (const ExitCodeInfo& info : kExitCodeTable) {
    text += describe_term(
        std::to_string(info.code).append(" ").append(info.name), info.meaning);
  }
  return text;
}

}  // namespace

std::string name_line(std::string_view sentence) {
  std::string line(sentence.substr(0, sentence.size() - 1));
  line[0] = static_cast<char>(line[0] - 'A' + 'a');
  return line;
}

std::string overview_help() {
  std::string text = "mlp " + std::string(kVersion) +
                     " trains multilayer perceptrons: as Spark ML does with "
                     "--layers,\na good first model without.\n\nExamples:\n";
  for (const CommandInfo& info : kCommandTable) {
    const bool is_first_step =
        (info.command & (kTrain | kPredict | kEvaluate)) != 0;
    if (is_first_step) text += indent(info.example, "  ");
  }
  text += "\nCommands:\n";
  for (const CommandInfo& info : kCommandTable) {
    text += describe_term(info.usage(), info.sentence);
  }
  return text +
         "\nmlp help COMMAND explains the flags and the exit codes of a "
         "command.\n"
         "A flag may be written --max-iter, --maxIter or --max_iter.\n";
}

std::string command_help(const CommandInfo& command) {
  const std::string name = "mlp " + std::string(command.name);
  std::string text = "NAME\n";
  text += indent(name + " - " + name_line(command.sentence));
  text += "SYNOPSIS\n";
  text += indent("mlp " + command.usage() + " [FLAG...]");
  text += "DESCRIPTION\n" + indent(command.description);
  text += "EXAMPLE\n" + indent(command.example);
  for (const HelpSection& section : help_sections(command.command)) {
    text += describe_section(section, command.command);
  }
  return text + list_exit_codes();
}

std::string short_usage() {
  std::string text = "usage: mlp COMMAND ... [FLAG...]\ncommands:";
  for (const CommandInfo& info : kCommandTable) {
    text += ' ' + std::string(info.name);
  }
  return text + "\nmlp --help explains them\n";
}

}  // namespace mlp::cli
