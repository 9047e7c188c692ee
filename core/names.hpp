// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mlp {

/// A value and the name that users write for it. An array of these next to an
/// enum is the only place that defines its names: messages, help and completion
/// use it, and tests compare the documents with it.
template <typename Value>
struct Named {
  Value value;
  std::string_view name;
};

/// Returns the name of a value, or an empty text if the list lacks it.
template <typename List, typename Value>
[[nodiscard]] constexpr std::string_view name_in(const List& list,
                                                 Value value) {
  for (const auto& known : list) {
    if (known.value == value) return known.name;
  }
  return {};
}

/// Returns the value that has a name, or nothing if the list lacks it.
template <typename Value, std::size_t size>
[[nodiscard]] constexpr std::optional<Value> find_named(
    const std::array<Named<Value>, size>& list, std::string_view name) {
  for (const Named<Value>& known : list) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

namespace detail {

template <typename List>
constexpr auto collect_names(const List& list) {
  std::array<std::string_view, std::tuple_size_v<List>> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = list[i].name;
  return names;
}

}  // namespace detail

/// The names of a list, in its order.
template <const auto& list>
inline constexpr auto kNamesOf = detail::collect_names(list);

/// Appends names as "a, b or c".
///
/// \param[in,out] text       a std::string or a ConstantText
/// \param         separator  between two names
/// \param         last       between the last two names
template <typename Text>
constexpr void append_joined(Text& text,
                             std::span<const std::string_view> names,
                             std::string_view separator = ", ",
                             std::string_view last = " or ") {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text.append(i + 1 < names.size() ? separator : last);
    text.append(names[i]);
  }
}

/// Returns the text "a, b or c" of names.
[[nodiscard]] inline std::string join_choices(
    std::span<const std::string_view> names) {
  std::string text;
  append_joined(text, names);
  return text;
}

/// Returns the names with the same separator between any two.
[[nodiscard]] inline std::string join_names(
    std::span<const std::string_view> names, std::string_view separator) {
  std::string text;
  append_joined(text, names, separator, separator);
  return text;
}

/// A text that is composed while the program is compiled. A text that is too
/// long does not compile; at run time, append() throws std::out_of_range.
class ConstantText {
 public:
  constexpr ConstantText& append(std::string_view text) {
    for (const char letter : text) letters_.at(size_++) = letter;
    return *this;
  }

  constexpr ConstantText& append(std::int64_t number) {
    if (number < 0) append("-");
    const std::int64_t rest = number / 10;
    if (rest != 0) append(rest < 0 ? -rest : rest);
    const std::int64_t digit = number % 10;
    letters_.at(size_++) =
        static_cast<char>('0' + (digit < 0 ? -digit : digit));
    return *this;
  }

  [[nodiscard]] constexpr std::string_view view() const {
    return {letters_.data(), size_};
  }

 private:
  std::array<char, 512> letters_{};
  std::size_t size_ = 0;
};

namespace detail {

constexpr ConstantText make_choices(std::span<const std::string_view> names) {
  ConstantText text;
  append_joined(text, names);
  return text;
}

template <const auto& names>
inline constexpr ConstantText kChoiceText = make_choices(names);

}  // namespace detail

/// The text "a, b or c" of an array of names, made while compiling.
template <const auto& names>
inline constexpr std::string_view kChoices = detail::kChoiceText<names>.view();

}  // namespace mlp
