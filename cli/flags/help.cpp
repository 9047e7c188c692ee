// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <cstddef>
#include <string_view>

#include "../../core/version.hpp"
#include "option_table.hpp"

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

/// A term and what it means, the latter in the right-hand column.
std::string describe_term(std::string term, std::string_view text) {
  term = "  " + term;
  if (term.size() + 2 > kTextColumn) {
    term += '\n' + std::string(kTextColumn, ' ');
  } else {
    term.resize(kTextColumn, ' ');
  }
  return term + wrap(text, kTextColumn) + '\n';
}

/// The words of a list as {a|b}.
std::string describe_choices(std::string_view choices) {
  std::string text(choices);
  for (char& letter : text) {
    if (letter == ' ') letter = '|';
  }
  return text;
}

std::string describe_option(const OptionInfo& option) {
  std::string term = option.flag();
  if (option.letter != 0) {
    term = std::string{'-', option.letter} + ", " + term;
  }
  if (!option.choices.empty()) {
    term += ' ' + describe_choices(option.choices);
  } else if (!option.is_switch()) {
    term += " <" + std::string(option.value) + '>';
  }
  std::string sentence(option.sentence);
  const std::string preset =
      option.param ? option.param->format(Params{}) : std::string();
  if (!preset.empty()) {
    const bool is_quoted = preset.front() == '"';
    sentence += " Default: " +
                (is_quoted ? preset.substr(1, preset.size() - 2) : preset) +
                '.';
  }
  return describe_term(term, sentence);
}

std::string describe_global_options() {
  std::string text;
  for (const OptionInfo& option : kOptionTable) {
    if (option.is_global()) text += describe_option(option);
  }
  return text;
}

/// Indents each line of a text.
std::string indent(std::string_view text) {
  std::string page = "    ";
  for (const char letter : text) {
    page += letter;
    if (letter == '\n') page += "    ";
  }
  return page + '\n';
}

/// The sentence as man's NAME line spells it: no capital, no full stop.
std::string as_name_line(std::string_view sentence) {
  std::string line(sentence.substr(0, sentence.size() - 1));
  line[0] = static_cast<char>(line[0] - 'A' + 'a');
  return line;
}

}  // namespace

std::string overview_help() {
  std::string text = "mlp " + std::string(kVersion) +
                     " trains multilayer perceptrons exactly as Spark ML "
                     "does.\n\nExamples:\n";
  for (const CommandInfo& info : kCommandTable) {
    text += "  " + std::string(info.example) + '\n';
  }
  text += "\nCommands:\n";
  for (const CommandInfo& info : kCommandTable) {
    text += describe_term(info.usage(), info.sentence);
  }
  text += "\nFlags of every command:\n" + describe_global_options();
  text +=
      "\nA flag may be written --max-iter, --maxIter or --max_iter.\n"
      "Exit codes: 0 ok, 1 internal, 2 usage, 3 data, 4 model, 5 diverged,\n"
      "6 resources or a file that cannot be written, 7 device, 130 and 143\n"
      "stopped by a signal.\n";
  return text;
}

std::string command_help(const CommandInfo& command) {
  const std::string name = "mlp " + std::string(command.name);
  std::string text = "NAME\n";
  text += indent(name + " - " + as_name_line(command.sentence));
  text += "SYNOPSIS\n";
  text += indent("mlp " + command.usage() + " [FLAG...]");
  text += "DESCRIPTION\n" + indent(command.description);
  text += "EXAMPLE\n" + indent(command.example);
  std::string own;
  for (const OptionInfo& option : kOptionTable) {
    const bool is_own =
        !option.is_global() && (option.commands & command.command) != 0;
    if (is_own) own += describe_option(option);
  }
  if (!own.empty()) text += "FLAGS\n" + own;
  return text + "FLAGS OF EVERY COMMAND\n" + describe_global_options();
}

std::string short_usage() {
  std::string text = "usage: mlp COMMAND ... [FLAG...]\ncommands:";
  for (const CommandInfo& info : kCommandTable) {
    text += ' ' + std::string(info.name);
  }
  return text + "\nmlp --help explains them\n";
}

}  // namespace mlp::cli
