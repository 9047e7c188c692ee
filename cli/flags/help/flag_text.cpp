// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "flag_text.hpp"

#include <algorithm>

#include "../../../mlp/params/param_table.hpp"

namespace mlp::cli {

namespace {

/// True for a flag whose value is one of a few names.
bool takes_one_name(const OptionInfo& option) {
  constexpr std::size_t kMaxNames = 5;
  return !option.choices.empty() && option.choices.size() <= kMaxNames &&
         !option.is_list;
}

const FlagNote* find_note(const OptionInfo& option) {
  const auto found = std::find_if(
      kFlagNotes.begin(), kFlagNotes.end(),
      [&](const FlagNote& note) { return note.flag == option.name; });
  return found == kFlagNotes.end() ? nullptr : &*found;
}

const CommandSentence* find_sentence(const OptionInfo& option,
                                     Command command) {
  const auto found = std::find_if(
      kCommandSentences.begin(), kCommandSentences.end(),
      [&](const CommandSentence& sentence) {
        return sentence.command == command && sentence.flag == option.name;
      });
  return found == kCommandSentences.end() ? nullptr : &*found;
}

/// Returns the default of the hyper-parameter of a flag, without quotes, or an
/// empty text if it has none.
std::string default_of_param(const OptionInfo& option) {
  if (option.param == nullptr || option.is_switch()) return "";
  const std::string preset = option.param->format(Params{});
  return preset.starts_with('"') ? preset.substr(1, preset.size() - 2) : preset;
}

std::string allowed_values(const OptionInfo& option, const FlagNote* note) {
  if (!option.choices.empty()) {
    if (takes_one_name(option)) return "";
    return (option.is_list ? "any of " : "one of ") +
           join_choices(option.choices);
  }
  if (note != nullptr && !note->allowed.empty()) {
    return std::string(note->allowed);
  }
  const bool has_rule =
      option.param != nullptr && !option.is_switch() && option.value != "file";
  return std::string(has_rule ? option.param->interval : std::string_view());
}

}  // namespace

std::string flag_value(const OptionInfo& option) {
  if (option.is_switch()) return "";
  if (takes_one_name(option)) return join_names(option.choices, "|");
  return std::string("<").append(option.value).append(">");
}

std::string flag_sentences(const OptionInfo& option, Command command) {
  const FlagNote* note = find_note(option);
  const CommandSentence* own = find_sentence(option, command);
  std::string text(own != nullptr ? own->sentence : option.sentence);
  std::string allowed = allowed_values(option, note);
  if (!allowed.empty()) {
    const bool is_lower = allowed[0] >= 'a' && allowed[0] <= 'z';
    if (is_lower) allowed[0] = static_cast<char>(allowed[0] - 'a' + 'A');
    text += ' ' + allowed + '.';
  }
  if (text.find("Default: ") != text.npos) return text;
  std::string preset = default_of_param(option);
  if (note != nullptr && !note->preset.empty()) preset = note->preset;
  if (own != nullptr && !own->preset.empty()) preset = own->preset;
  if (!preset.empty()) text += " Default: " + preset + '.';
  return text;
}

bool takes_file(const OptionInfo& option) {
  return option.value.find("file") != option.value.npos ||
         option.value == "model";
}

}  // namespace mlp::cli
