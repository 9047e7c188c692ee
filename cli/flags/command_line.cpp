// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "../../core/number_text.hpp"
#include "../../core/suggestion.hpp"
#include "../console/usage_error.hpp"
#include "foreign_names.hpp"
#include "lenient_value.hpp"

namespace mlp::cli {

namespace {

/// True for -1, -0.5 and -.5, which are values and not flags.
bool is_negative_number(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  const char first = word[1] == '.' && word.size() > 2 ? word[2] : word[1];
  return first >= '0' && first <= '9';
}

/// True for a word that must be a flag. A single dash is a file.
bool is_flag(const std::string& word) {
  return word.size() >= 2 && word[0] == '-' && !is_negative_number(word);
}

/// The first word that names a command, for suggestions; null if none does.
const CommandInfo* guess_command(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (const CommandInfo* info = find_command(word)) return info;
  }
  return nullptr;
}

std::string list_commands() {
  std::string text;
  for (const CommandInfo& info : kCommandTable) {
    if (!text.empty()) text += ", ";
    text += info.name;
  }
  return text;
}

/// Describes the value of a flag in a refusal: the names that it can be, or what
/// it looks like, with an example of a hyper-parameter.
std::string expected_value(const OptionInfo& option) {
  if (!option.choices.empty()) return join_choices(option.choices);
  std::string text(option.value);
  if (option.param != nullptr) {
    text.append(" such as ").append(option.param->example);
  }
  return text;
}

[[noreturn]] void refuse_unknown(const std::string& word,
                                 const CommandInfo* command) {
  const std::string_view hint = foreign_flag_hint(word, command);
  if (!hint.empty()) {
    throw UsageError("unknown flag '" + word + "'; " + std::string(hint));
  }
  Suggestion suggestion(canonical_name(word));
  for (const OptionInfo& option : kOptionTable) {
    if (command && (option.commands & command->command) == 0) continue;
    suggestion.consider(canonical_name(option.name), option.flag());
  }
  std::string sentence = "unknown flag '" + word + "'; ";
  if (!suggestion.best().empty()) {
    sentence += "did you mean " + suggestion.best() + "?";
  } else {
    const std::string program =
        command ? "mlp " + std::string(command->name) : "mlp";
    sentence += program + " --help lists the flags";
  }
  throw UsageError(sentence);
}

/// Takes the value of a flag: behind the flag in one word, or the next word.
///
/// \param attached  empty if there is none
/// \param next      the words behind the flag; the value is removed
std::string take_value(const OptionInfo& info,
                       const std::optional<std::string>& attached,
                       std::deque<std::string>& next) {
  if (info.is_switch()) {
    if (!attached) return "";
    throw UsageError(info.flag() + ": takes no value; got '" + *attached + "'");
  }
  const std::string missing = info.flag() +
                              ": the value is missing; expected " +
                              expected_value(info) + ", got ";
  const bool is_missing = !attached && (next.empty() || is_flag(next.front()));
  if (is_missing) {
    throw UsageError(missing +
                     (next.empty()
                          ? "nothing"
                          : "'" + next.front() + "'; write " + info.flag() +
                                "=VALUE for a value that begins with a dash"));
  }
  const std::string value = attached ? *attached : next.front();
  if (value.empty()) throw UsageError(missing + "''");
  if (!attached) next.pop_front();
  return value;
}

/// True for lists of columns, which may be given in several flags.
bool is_column_list(const OptionInfo& option) {
  return option.name == "features" || option.name == "ignore" ||
         option.name == "keep";
}

void add_option(CommandLine& line, const GivenOption& given) {
  const OptionInfo& info = *given.option;
  const auto before = std::find_if(
      line.options.begin(), line.options.end(),
      [&](const GivenOption& option) { return option.option == &info; });
  if (before == line.options.end()) {
    line.options.push_back(given);
  } else if (is_column_list(info)) {
    before->value += ',' + given.value;
  } else {
    throw UsageError(info.flag() + ": was given twice; give it once");
  }
}

/// Takes a flag and its value from the front of the words.
GivenOption take_flag(std::deque<std::string>& words,
                      const CommandInfo* command) {
  const std::string word = words.front();
  words.pop_front();
  const bool is_long = word[1] == '-';
  const std::size_t name_end = is_long ? word.find('=') : 2;
  const std::string name = word.substr(0, name_end);
  const OptionInfo* const info =
      is_long ? find_option(std::string_view(name).substr(2))
              : find_option(word[1]);
  if (info == nullptr) refuse_unknown(is_long ? name : word, command);
  std::optional<std::string> attached;
  if (name_end < word.size()) {
    attached = word.substr(name_end + (is_long ? 1 : 0));
  }
  const std::string value = take_value(*info, attached, words);
  return {info, info->is_switch() ? value : written_value(*info, value)};
}

const CommandInfo* require_command(const std::string& word) {
  if (const CommandInfo* info = find_command(word)) return info;
  const std::string hint = foreign_command_hint(word);
  if (!hint.empty()) {
    throw UsageError("unknown command '" + word + "'; " + hint);
  }
  Suggestion suggestion(word);
  for (const CommandInfo& info : kCommandTable) {
    suggestion.consider(info.name, std::string(info.name));
  }
  throw UsageError("unknown command '" + word + "'; " +
                   (suggestion.best().empty()
                        ? "expected one of " + list_commands()
                        : "did you mean " + suggestion.best() + "?"));
}

void check_options_belong(const CommandLine& line) {
  for (const GivenOption& given : line.options) {
    if ((given.option->commands & line.command->command) != 0) continue;
    const std::string name(line.command->name);
    std::string hint(foreign_flag_hint(given.option->name, line.command));
    if (hint.empty()) hint = "mlp " + name + " --help lists its flags";
    throw UsageError(given.option->flag() + ": is not a flag of " + name +
                     "; " + hint);
  }
}

/// Explains an argument that stands after a switch, as in --verbose 2.
std::string explain_after_switch(const CommandLine& line,
                                 const std::string& argument) {
  for (std::size_t i = 1; i < line.words.size(); ++i) {
    const std::string& before = line.words[i - 1];
    if (line.words[i] != argument || !is_flag(before)) continue;
    const bool is_letter = before.size() == 2;
    const OptionInfo* option =
        is_letter ? find_option(before.back())
                  : find_option(std::string_view(before).substr(2));
    if (option == nullptr || !option->is_switch()) continue;
    return "; " + option->flag() + " takes no value";
  }
  return "";
}

bool is_data_name(const std::string& file) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {".csv", ".tsv", ".libsvm", ".svm", ".npy", ".gz", "-ubyte", ".parquet",
       ".arrow", ".feather"});
  return std::any_of(
      kEndings.begin(), kEndings.end(),
      [&](std::string_view ending) { return file.ends_with(ending); });
}

/// Refuses - as a model, because only data can come from standard input, and the
/// model behind the data.
void check_model_argument(const CommandLine& line) {
  const CommandInfo& info = *line.command;
  if (!info.has_model()) return;
  const std::string name(info.name);
  const std::string& model = line.arguments[0];
  const std::string& last = line.arguments.back();
  if (model == "-") {
    throw UsageError(name +
                     ": the model must be a file, got '-'; only the data can "
                     "come from standard input: mlp " +
                     name + " MODEL -");
  }
  if (is_data_name(model) && last.ends_with(".json")) {
    const bool is_one = line.arguments.size() == 2;
    throw UsageError(name + ": the model comes first, got '" + model +
                     "'; write mlp " + name + ' ' + last + ' ' + model +
                     (is_one ? "" : " ..."));
  }
}

/// Refuses a number behind a switch, as in --verbose 2, where files may stand.
void check_no_number(const CommandLine& line) {
  for (const std::string& argument : line.arguments) {
    if (!parse_double(argument)) continue;
    const std::string reason = explain_after_switch(line, argument);
    if (reason.empty()) continue;
    throw UsageError("unexpected argument '" + argument + "'; expected mlp " +
                     line.command->usage() + reason);
  }
}

void check_argument_count(const CommandLine& line) {
  const CommandInfo& info = *line.command;
  const std::size_t count = line.arguments.size();
  const std::string usage = "mlp " + info.usage();
  for (const std::string& argument : line.arguments) {
    if (!argument.empty()) continue;
    throw UsageError(std::string(info.name) + ": an argument is empty; write " +
                     usage);
  }
  if (count >= info.min_arguments && count <= info.max_arguments) {
    if (info.max_arguments == kAnyNumber) check_no_number(line);
    return;
  }
  if (count > info.max_arguments) {
    const std::string& argument = line.arguments[info.max_arguments];
    throw UsageError("unexpected argument '" + argument + "'; expected " +
                     usage + explain_after_switch(line, argument));
  }
  throw UsageError(
      std::string(info.name) + ": expected " +
      (info.max_arguments == kAnyNumber ? "at least " : "") +
      std::to_string(info.min_arguments) +
      (info.min_arguments == 1 ? " argument, got " : " arguments, got ") +
      std::to_string(count) + "; write " + usage);
}

}  // namespace

bool CommandLine::has(std::string_view name) const {
  return value(name).has_value();
}

std::vector<std::string> CommandLine::data() const {
  return {arguments.begin() + (command->has_model() ? 1 : 0), arguments.end()};
}

std::optional<std::string> CommandLine::value(std::string_view name) const {
  const auto found = std::find_if(
      options.begin(), options.end(),
      [&](const GivenOption& given) { return given.option->name == name; });
  if (found == options.end()) return std::nullopt;
  return found->value;
}

CommandLine parse_command_line(std::vector<std::string> words) {
  CommandLine line;
  line.words = words;
  const CommandInfo* const command = guess_command(words);
  std::deque<std::string> rest(words.begin(), words.end());
  std::vector<GivenOption> flags;
  std::vector<std::string> plain_words;
  while (!rest.empty() && rest.front() != "--") {
    if (is_flag(rest.front())) {
      flags.push_back(take_flag(rest, command));
    } else {
      plain_words.push_back(rest.front());
      rest.pop_front();
    }
  }
  // Behind "--" there are no flags.
  if (!rest.empty()) rest.pop_front();
  plain_words.insert(plain_words.end(), rest.begin(), rest.end());
  for (const GivenOption& flag : flags) add_option(line, flag);
  if (!plain_words.empty()) {
    line.command = require_command(plain_words.front());
    line.arguments.assign(plain_words.begin() + 1, plain_words.end());
  }
  const bool is_question = line.has("help") || line.has("version");
  if (line.command == nullptr || is_question) return line;
  check_options_belong(line);
  check_argument_count(line);
  check_model_argument(line);
  return line;
}

}  // namespace mlp::cli
