// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "../../../core/version.hpp"
#include "../../console/exit_code.hpp"
#include "flag_text.hpp"
#include "help.hpp"
#include "help_groups.hpp"

namespace mlp::cli {

namespace {

/// Writes a text so that troff prints its letters: a dash is not a hyphen, and a
/// line that begins with a dot or a quote is no request.
std::string escape(std::string_view text) {
  std::string escaped;
  bool is_line_start = true;
  for (const char letter : text) {
    if (is_line_start && (letter == '.' || letter == '\'')) escaped += "\\&";
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      escaped += letter;
    }
    is_line_start = letter == '\n';
  }
  return escaped;
}

/// A word in bold, and what follows it in italics.
std::string emphasize(std::string_view word, std::string_view value = {}) {
  std::string text = "\\fB" + escape(word) + "\\fR";
  if (!value.empty()) text += " \\fI" + escape(value) + "\\fR";
  return text;
}

std::string title(std::string_view name) {
  std::string upper;
  for (const char letter : name) {
    const bool is_lower = letter >= 'a' && letter <= 'z';
    upper += is_lower ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  return ".TH \"" + upper + "\" 1 \"\" \"mlp " + std::string(kVersion) +
         "\" \"mlp\"\n";
}

std::string heading(std::string_view text) {
  return ".SH " + std::string(text) + '\n';
}

/// A term and its description below it.
std::string entry(const std::string& term, std::string_view text) {
  return ".TP\n" + term + '\n' + escape(text) + '\n';
}

std::string flag_entry(const OptionInfo& option, Command command) {
  std::string term;
  if (option.letter != 0) {
    term = emphasize(std::string{'-', option.letter}) + ", ";
  }
  return entry(term + emphasize(option.flag(), flag_value(option)),
               flag_sentences(option, command));
}

std::string section_of(const HelpSection& section, Command command) {
  std::string text = heading(section.title);
  for (const OptionInfo* option : section.options) {
    text += flag_entry(*option, command);
  }
  return text;
}

std::string exit_codes() {
  std::string text = heading("EXIT STATUS");
  for (const ExitCodeInfo& info : kExitCodeTable) {
    text += entry(emphasize(std::to_string(info.code)), info.meaning);
  }
  return text;
}

std::string see_also(std::string_view self) {
  std::string text = heading("SEE ALSO");
  if (!self.empty()) text += ".BR mlp (1),\n";
  for (const CommandInfo& info : kCommandTable) {
    if (info.name == self) continue;
    text += ".BR mlp\\-" + std::string(info.name) + " (1),\n";
  }
  text.resize(text.size() - 2);
  return text + '\n';
}

std::string example_block(std::string_view lines) {
  return ".EX\n" + escape(lines) + "\n.EE\n";
}

}  // namespace

std::string man_page(const CommandInfo& command) {
  const std::string name = "mlp-" + std::string(command.name);
  std::string text = title(name);
  text += heading("NAME") + escape(name) + " \\- " +
          escape(name_line(command.sentence)) + '\n';
  text += heading("SYNOPSIS") +
          emphasize("mlp " + std::string(command.name), command.arguments) +
          " [\\fIFLAG\\fR...]\n";
  text += heading("DESCRIPTION") + escape(command.description) + '\n';
  text += heading("EXAMPLE") + example_block(command.example);
  for (const HelpSection& section : help_sections(command.command)) {
    text += section_of(section, command.command);
  }
  return text + exit_codes() + see_also(command.name);
}

std::string man_page() {
  std::string text = title("mlp");
  text += heading("NAME") +
          "mlp \\- trains multilayer perceptrons, as Spark ML does or with a "
          "preset\n";
  text += heading("SYNOPSIS") + emphasize("mlp") +
          " \\fICOMMAND\\fR ... [\\fIFLAG\\fR...]\n";
  text += heading("DESCRIPTION") +
          escape(
              "Each command has a page of its own, such as mlp-train(1). A "
              "flag may be written --max-iter, --maxIter or --max_iter.\n");
  text += heading("COMMANDS");
  for (const CommandInfo& info : kCommandTable) {
    text += entry(emphasize(info.name, info.arguments), info.sentence);
  }
  text += heading("EXAMPLE");
  for (const CommandInfo& info : kCommandTable) {
    text += example_block(info.example);
  }
  for (const HelpSection& section : help_sections(kHelp)) {
    if (section.title != kGlobalFlagsTitle) continue;
    text += section_of(section, kHelp);
  }
  return text + exit_codes() + see_also("");
}

}  // namespace mlp::cli
