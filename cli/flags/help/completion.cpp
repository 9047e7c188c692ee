// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../console/usage_error.hpp"
#include "../option_table.hpp"
#include "flag_text.hpp"
#include "help.hpp"

namespace mlp::cli {

namespace {

std::string command_names() {
  std::string names;
  for (const CommandInfo& info : kCommandTable) {
    if (!names.empty()) names += ' ';
    names += info.name;
  }
  return names;
}

/// Returns the words that can be a command's arguments; none if they are files.
std::string argument_words(const CommandInfo& info) {
  if (info.command == kCompletion) return join_names(kShellNames, " ");
  return info.command == kHelp ? command_names() : std::string();
}

/// Returns the flags of a command, or the flags of every command if it is null.
std::string flags_of(const CommandInfo* info) {
  std::string flags;
  for (const OptionInfo& option : kOptionTable) {
    const bool belongs =
        info ? (option.commands & info->command) != 0 : option.is_global();
    if (!belongs) continue;
    if (!flags.empty()) flags += ' ';
    flags += option.flag();
  }
  return flags;
}

/// Returns the spellings of a flag as a case label of a shell: --out|-o.
std::string case_label(const OptionInfo& option) {
  std::string label = option.flag();
  if (option.letter != 0) label += std::string("|-") + option.letter;
  return label;
}

/// Returns the bash function that completes the value of a flag, with its
/// arguments.
std::string bash_value(const OptionInfo& option) {
  const std::string choices = " '" + join_names(option.choices, " ") + "'";
  if (!option.choices.empty()) {
    return (option.is_list ? "_mlp_list" : "_mlp_words") + choices;
  }
  if (option.value == "folder") return "_mlp_files -d";
  return takes_file(option) ? "_mlp_files -f" : ":";
}

// Bash splits --flag=value into three words.
constexpr std::string_view kBashStart = R"(# bash completion of mlp
_mlp_words() {
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}
_mlp_list() {
  local before=''
  if [[ $word == *,* ]]; then before=${word%,*},; fi
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "${word##*,}"))
}
_mlp_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}
_mlp() {
  local word=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]}
  local i command='' flags words
  COMPREPLY=()
  if [[ $word == = ]]; then
    word=''
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $flag in
)";

constexpr std::string_view kBashEnd = R"(  esac
  if [[ $word == -* ]]; then
    _mlp_words "$flags"
  elif [[ -n $words ]]; then
    _mlp_words "$words"
  else
    _mlp_files -f
  fi
}
complete -F _mlp mlp
)";

std::string bash_script() {
  std::string values;
  for (const OptionInfo& option : kOptionTable) {
    if (option.is_switch()) continue;
    values += "    " + case_label(option) + ") " + bash_value(option) +
              "; return ;;\n";
  }
  std::string commands;
  for (const CommandInfo& info : kCommandTable) {
    commands += "    " + std::string(info.name) + ") flags='" +
                flags_of(&info) + "'; words='" + argument_words(info) +
                "' ;;\n";
  }
  return std::string(kBashStart) + values +
         "  esac\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case \" " +
         command_names() +
         " \" in *\" ${COMP_WORDS[i]} \"*) command=${COMP_WORDS[i]}; break ;;"
         " esac\n"
         "  done\n"
         "  case $command in\n" +
         commands + "    *) flags='" + flags_of(nullptr) + "'; words='" +
         command_names() + "' ;;\n" + std::string(kBashEnd);
}

/// A sentence in the brackets of zsh's _arguments and in single quotes.
std::string zsh_text(std::string_view sentence) {
  std::string text;
  for (const char letter : sentence) {
    if (letter == '\'') {
      text += "'\\''";
      continue;
    }
    if (letter == '[' || letter == ']' || letter == ':') text += '\\';
    text += letter;
  }
  return text;
}

std::string zsh_option(const OptionInfo& option) {
  std::string tail = '[' + zsh_text(option.sentence) + ']';
  if (!option.is_switch()) {
    tail += ':' + std::string(option.value) + ':';
    const std::string choices = join_names(option.choices, " ");
    if (option.is_list) {
      tail += "_values -s , " + std::string(option.value) + ' ' + choices;
    } else if (!choices.empty()) {
      tail += '(' + choices + ')';
    } else if (option.value == "folder") {
      tail += "_files -/";
    } else if (takes_file(option)) {
      tail += "_files";
    }
  }
  std::string text = "        '" + option.flag() + tail + "'";
  if (option.letter != 0) {
    text += " '-";
    text += option.letter;
    text += tail + "'";
  }
  return text + " \\\n";
}

std::string zsh_script() {
  std::string global_options;
  for (const OptionInfo& option : kOptionTable) {
    if (option.is_global()) global_options += zsh_option(option);
  }
  std::string cases;
  for (const CommandInfo& info : kCommandTable) {
    cases += "    " + std::string(info.name) + ")\n      _arguments \\\n";
    for (const OptionInfo& option : kOptionTable) {
      if ((option.commands & info.command) != 0) cases += zsh_option(option);
    }
    const std::string words = argument_words(info);
    cases += "        '*:argument:" +
             (words.empty() ? "_files" : "(" + words + ")") + "' ;;\n";
  }
  return "#compdef mlp\n"
         "_mlp() {\n"
         "  local i command=''\n"
         "  for ((i = 2; i < CURRENT; i++)); do\n"
         "    case \" " +
         command_names() +
         " \" in *\" ${words[i]} \"*) command=${words[i]}; break ;; esac\n"
         "  done\n"
         "  case $command in\n" +
         cases + "    *)\n      _arguments \\\n" + global_options +
         "        '*:command:(" + command_names() +
         ")' ;;\n"
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _mlp ]]; then _mlp \"$@\"; "
         "else compdef _mlp mlp; fi\n";
}

/// A sentence in fish's single quotes.
std::string fish_text(std::string_view sentence) {
  std::string text = "'";
  for (const char letter : sentence) {
    if (letter == '\'' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "'";
}

std::string fish_option(const OptionInfo& option) {
  std::string commands;
  for (const CommandInfo& info : kCommandTable) {
    if ((option.commands & info.command) == 0) continue;
    commands += ' ' + std::string(info.name);
  }
  std::string text = "complete -c mlp";
  if (!option.is_global()) {
    text += " -n '__fish_seen_subcommand_from" + commands + "'";
  }
  text += " -l " + std::string(option.name);
  if (option.letter != 0) text += std::string(" -s ") + option.letter;
  if (option.is_list) {
    text +=
        " -x -a '(__fish_append , " + join_names(option.choices, " ") + ")'";
  } else if (!option.choices.empty()) {
    text += " -x -a '" + join_names(option.choices, " ") + "'";
  } else if (option.value == "folder") {
    text += " -x -a '(__fish_complete_directories)'";
  } else if (takes_file(option)) {
    text += " -r -F";
  } else if (!option.is_switch()) {
    text += " -x";
  }
  return text + " -d " + fish_text(option.sentence) + '\n';
}

std::string fish_script() {
  std::string script = "# fish completion of mlp\n";
  const std::string names = command_names();
  for (const CommandInfo& info : kCommandTable) {
    const std::string name(info.name);
    script += "complete -c mlp -f -n 'not __fish_seen_subcommand_from " +
              names + "' -a " + name + " -d " + fish_text(info.sentence) + '\n';
    const std::string words = argument_words(info);
    if (words.empty()) continue;
    script += "complete -c mlp -f -n '__fish_seen_subcommand_from " + name +
              "' -a '" + words + "'\n";
  }
  for (const OptionInfo& option : kOptionTable) script += fish_option(option);
  return script;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  throw UsageError("completion: the shell must be " +
                   join_choices(kShellNames) + "; got '" + std::string(shell) +
                   "'");
}

}  // namespace mlp::cli
