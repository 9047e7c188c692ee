// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <cstddef>
#include <string_view>

#include "../../core/version.hpp"
#include "../console/exit_code.hpp"
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

/// True for a flag whose value is one of a few names.
bool takes_one_name(const OptionInfo& option) {
  constexpr std::size_t kMaxNames = 5;
  return !option.choices.empty() && option.choices.size() <= kMaxNames &&
         !option.is_list;
}

/// Formats a flag: its names and its value. Lists the names that the value can
/// be if they fit into a line.
std::string make_term(const OptionInfo& option) {
  std::string term = option.flag();
  if (option.letter != 0) {
    term = std::string{'-', option.letter} + ", " + term;
  }
  if (option.is_switch()) return term;
  const std::string choices = join_names(option.choices, "|");
  return takes_one_name(option) ? term + ' ' + choices
                                : term + " <" + std::string(option.value) + '>';
}

/// Returns the default of the hyper-parameter of a flag, without quotes, or an
/// empty text if it has none.
std::string default_of(const OptionInfo& option) {
  if (option.param == nullptr) return "";
  const std::string preset = option.param->format(Params{});
  return preset.starts_with('"') ? preset.substr(1, preset.size() - 2) : preset;
}

std::string describe_option(const OptionInfo& option) {
  std::string sentence(option.sentence);
  if (!option.choices.empty() && !takes_one_name(option)) {
    sentence += (option.is_list ? " Any of " : " One of ") +
                join_choices(option.choices) + '.';
  }
  const std::string preset = default_of(option);
  if (!preset.empty()) sentence += " Default: " + preset + '.';
  return describe_term(make_term(option), sentence);
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

/// Formats a sentence as in the NAME line of man: no capital, no full stop.
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
  text += "\nA flag may be written --max-iter, --maxIter or --max_iter.\n";
  text += "\nExit codes:\n";
  for (const ExitCodeInfo& info : kExitCodeTable) {
    text += describe_term(
        std::to_string(info.code).append(" ").append(info.name), info.meaning);
  }
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
