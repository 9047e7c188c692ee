// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "../../core/types.hpp"
#include "../params/params.hpp"
#include "json_members.hpp"
#include "weights_cut.hpp"

namespace mlp::detail {

/// Formats the position of a byte as ":line:column", both 1-based.
[[nodiscard]] inline std::string text_position(std::string_view text,
                                               std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return ':' + std::to_string(line) + ':' + std::to_string(at - line_start + 1);
}

/// Formats a byte for a message: 'x', or byte 0xC3.
[[nodiscard]] inline std::string shown_byte(char byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  const auto code = static_cast<unsigned char>(byte);
  if (code >= 0x20 && code < 0x7F) return std::string("'") + byte + '\'';
  return std::string("byte 0x") + kDigits[code >> 4] + kDigits[code & 15];
}

/// Empties a value from its ends. The destructor of nlohmann's json allocates for each
/// array and object that is not empty, and would end a program that has no memory.
inline void clear_json(nlohmann::json& json) noexcept {
  if (!json.is_structured()) return;
  for (nlohmann::json& member : json) clear_json(member);
  json.clear();
}

/// A model file's values, of the right types but otherwise unchecked.
struct ParsedModel {
  ParsedModel() = default;
  ParsedModel(ParsedModel&&) = default;
  ParsedModel& operator=(ParsedModel&&) = default;
  ~ParsedModel() { clear_json(root); }

  nlohmann::json root;  ///< without the hyper-parameters in params
  Params params;        ///< the hyper-parameters that are not lists

  /// The weights if WeightsCut could read them; those in root are then empty.
  std::optional<Vector> weights;
};

/// Handles the events of nlohmann's parser and stores every value.
///
/// Input outside of the format is refused at its start: unknown members,
/// members that occur twice, values of another type. So nothing nests deeper than
/// a valid document, 5 levels, and memory grows only with the bytes read.
/// parse_double() and parse_int() read numbers in any locale.
class ModelJsonSax {
 public:
  /// \param text    the document, for the line and the column of errors
  /// \param file    its name in messages
  /// \param parsed  must outlive this object
  /// \param cut     the weights that the parser does not see; may be null
  ModelJsonSax(std::string_view text, const std::string& file,
               ParsedModel& parsed, const WeightsCut* cut = nullptr)
      : text_(text), file_(file), parsed_(parsed), cut_(cut) {}

  bool null() { refuse("null"); }

  bool boolean(bool value) {
    const std::string text = value ? "true" : "false";
    return set_param({""}, text, text);
  }

  bool number_integer(std::int64_t value) {
    return take_number(std::to_string(value));
  }

  bool number_unsigned(std::uint64_t value) {
    return take_number(std::to_string(value));
  }

  bool number_float(double, const std::string& token) {
    return take_number(with_point(token));
  }

  bool string(std::string& text) {
    const bool is_item = is_in_array();
    switch (member_->type) {
      case JsonType::kParam:
        return set_param({"name", "schedule"}, text, shown_json_string(text));
      case JsonType::kString:
        if (member_->is_array == is_item) return store(std::move(text));
        break;
      case JsonType::kWeights:
        if (!is_item) return store(std::move(text));
        break;
      case JsonType::kEntry:
        if (is_item) return take_entry(text);
        break;
      default:
        break;
    }
    refuse(shown_json_string(text));
  }

  bool binary(nlohmann::json::binary_t&) { refuse("binary data"); }

  bool start_object(std::size_t) {
    if (member_->type != JsonType::kObject ||
        member_->is_array != is_in_array()) {
      refuse("an object");
    }
    return open(nlohmann::json::object(), false);
  }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    const Members members = frame.member->members;
    const Member* const found =
        std::find_if(members.begin(), members.end(),
                     [&](const Member& member) { return member.name == name; });
    if (found == members.end()) refuse_unknown(name, members);
    const std::uint64_t bit = std::uint64_t{1} << (found - members.begin());
    if ((frame.seen & bit) != 0) {
      refuse_object("the member " + shown_json_string(name) +
                    " occurs twice; expected once: remove one of them");
    }
    frame.seen |= bit;
    member_ = found;
    return true;
  }

  bool end_object() {
    const Frame& frame = frames_.back();
    std::uint64_t bit = 1;
    for (const Member& member : frame.member->members) {
      if (member.is_required && (frame.seen & bit) == 0) {
        refuse_object("the member \"" + std::string(member.name) +
                      "\" is missing; every model has it");
      }
      bit <<= 1;
    }
    return close();
  }

  bool start_array(std::size_t) {
    if (!member_->is_array || is_in_array()) refuse("an array");
    return open(nlohmann::json::array(), true);
  }

  bool end_array() { return close(); }

  /// \param offset  bytes read, including the wrong one; one more than the size
  ///                of the text if it ends too early
  bool parse_error(std::size_t offset, const std::string& token,
                   const nlohmann::json::exception& error) {
    constexpr int kNumberOverflow = 406;  // of nlohmann's exception ids
    if (error.id == kNumberOverflow) refuse(clipped(with_point(token)));
    if (cut_ && offset > cut_->first) offset += cut_->last - cut_->first;
    if (offset > text_.size()) {
      throw ModelError(file_ + text_position(text_, text_.size()),
                       "the JSON text ends too early; the file is incomplete: "
                       "write it again");
    }
    const std::size_t at = offset == 0 ? 0 : offset - 1;
    throw ModelError(file_ + text_position(text_, at),
                     "the JSON text is malformed at " + shown_byte(text_[at]) +
                         "; write the file again");
  }

 private:
  /// An object or an array that is open.
  struct Frame {
    const Member* member;
    bool is_array;
    nlohmann::json* value;
    std::uint64_t seen = 0;  ///< bit i: member i was read
  };

  [[nodiscard]] bool is_in_array() const {
    return !frames_.empty() && frames_.back().is_array;
  }

  /// Returns the place of the next value.
  [[nodiscard]] nlohmann::json& place() {
    if (frames_.empty()) return parsed_.root;
    nlohmann::json& parent = *frames_.back().value;
    if (is_in_array()) return parent.emplace_back();
    return parent[std::string(member_->name)];
  }

  template <typename Value>
  bool store(Value value) {
    place() = std::move(value);
    return true;
  }

  bool open(nlohmann::json value, bool is_array) {
    nlohmann::json& to = place();
    to = std::move(value);
    frames_.push_back({member_, is_array, &to});
    return true;
  }

  bool close() {
    member_ = frames_.back().member;
    frames_.pop_back();
    return true;
  }

  /// nlohmann's number texts have the decimal point of the C locale, one byte.
  static std::string with_point(std::string text) {
    const auto is_point = [](char byte) {
      return std::string_view("0123456789+-eE").find(byte) == std::string::npos;
    };
    std::replace_if(text.begin(), text.end(), is_point, '.');
    return text;
  }

  /// Returns a number's text for a message.
  static std::string clipped(const std::string& text) {
    constexpr std::size_t kMaxBytes = 40;
    return text.size() <= kMaxBytes ? text : text.substr(0, kMaxBytes) + "...";
  }

  bool take_number(const std::string& text) {
    if (member_->type == JsonType::kParam) {
      return set_param({"integer", "number", "share"}, text, clipped(text));
    }
    if (member_->is_array != is_in_array()) refuse(clipped(text));
    if (member_->type == JsonType::kInteger) {
      const auto integer = parse_int(text);
      if (!integer) refuse(clipped(text));
      check_version(*integer);
      return store(*integer);
    }
    const bool is_number = member_->type == JsonType::kNumber ||
                           member_->type == JsonType::kEntry ||
                           member_->type == JsonType::kWeights;
    const auto number = is_number ? parse_double(text) : std::nullopt;
    if (!number) refuse(clipped(text));
    return store(*number);
  }

  bool take_entry(const std::string& text) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "Infinity") return store(kInfinity);
    if (text == "-Infinity") return store(-kInfinity);
    if (text != "NaN") refuse(shown_json_string(text));
    return store(std::numeric_limits<double>::quiet_NaN());
  }

  /// Sets a hyper-parameter if its values are of one of these types.
  bool set_param(std::initializer_list<std::string_view> types,
                 std::string_view text, const std::string& shown) {
    if (member_->type != JsonType::kParam) refuse(shown);
    const ParamInfo& info = *member_->param;
    // Files contain the names that are written; other names are for users.
    const bool is_written = info.choices.empty() || info.is_list ||
                            std::find(info.choices.begin(), info.choices.end(),
                                      text) != info.choices.end();
    const bool is_of_type =
        std::find(types.begin(), types.end(), info.type) != types.end();
    if (!is_of_type || !is_written || !info.parse(parsed_.params, text)) {
      refuse(shown);
    }
    return true;
  }

  /// A later version may give the rest of the file another meaning, so it is
  /// refused immediately.
  void check_version(std::int64_t version) {
    if (member_->name != "formatVersion" ||
        (version >= kSparkFormatVersion && version <= kEncodingFormatVersion)) {
      return;
    }
    throw ModelError(file_, path(),
                     "must be " + std::to_string(kSparkFormatVersion) + " to " +
                         std::to_string(kEncodingFormatVersion) + "; got " +
                         std::to_string(version) +
                         ": use the version of mlp that wrote the file, or a "
                         "newer one");
  }

  /// Returns the JSON path of the value that comes next.
  [[nodiscard]] std::string path() const {
    std::string text = path_of_open();
    if (frames_.empty() || is_in_array()) return text;
    return text.append(1, '.').append(member_->name);
  }

  /// Returns the JSON path of the last open value, with the number of the next item
  /// if it is an array.
  [[nodiscard]] std::string path_of_open() const {
    std::string text = "$";
    bool is_item = true;  // the document has no name either
    for (const Frame& frame : frames_) {
      if (!is_item) text.append(1, '.').append(frame.member->name);
      is_item = frame.is_array;
      if (!frame.is_array) continue;
      const std::size_t num_open = &frame == &frames_.back() ? 0 : 1;
      text += '[' + std::to_string(frame.value->size() - num_open) + ']';
    }
    return text;
  }

  [[noreturn]] void refuse(const std::string& received) const {
    throw ModelError(file_, path(),
                     "must be " +
                         std::string(member_->expected(is_in_array())) +
                         "; got " + received);
  }

  [[noreturn]] void refuse_object(const std::string& sentence) const {
    throw ModelError(file_, path_of_open(), sentence);
  }

  [[noreturn]] void refuse_unknown(const std::string& name,
                                   Members members) const {
    std::string names;
    for (const Member& member : members) {
      names += (names.empty() ? "" : ", ") + std::string(member.name);
    }
    refuse_object("the member " + shown_json_string(name) +
                  " is unknown to format versions 1 to 3; expected only " +
                  names);
  }

  std::string_view text_;
  std::string file_;
  ParsedModel& parsed_;
  const WeightsCut* cut_;
  std::vector<Frame> frames_;
  const Member* member_ = &kDocument;  ///< of the next value
};

}  // namespace mlp::detail
