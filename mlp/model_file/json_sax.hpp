// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/json_text.hpp"
#include "../../core/number_text.hpp"
#include "json_members.hpp"
#include "json_source.hpp"

namespace mlp::detail {

/// Handles the events of nlohmann's parser and stores every value in its
/// destination.
///
/// Input outside of the format is refused at its start: unknown members,
/// members that occur twice, values of another type. So nothing nests deeper than
/// a valid document, 5 levels (32 are allowed), and memory grows only with the
/// bytes read. parse_double() and parse_int() read numbers in any locale.
class ModelJsonSax {
 public:
  /// \param text    the document, for the line and the column of errors
  /// \param file    its name in messages
  /// \param parsed  must outlive this object
  /// \param source  what the parser reads: weights are read from it directly,
  ///                and are empty for the parser. If it is null, all values are
  ///                taken from the events.
  ModelJsonSax(std::string_view text, const std::string& file,
               ParsedModel& parsed, ModelJsonSource* source = nullptr)
      : text_(text), file_(file), parsed_(parsed), source_(source) {}

  bool null() { refuse_value("null"); }

  bool boolean(bool value) {
    const std::string text = value ? "true" : "false";
    if (is_in_array() || !is_param("")) refuse_value(text);
    set_param(text, text);
    return true;
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
    if (is_in_array()) {
      take_item(text);
    } else if (const auto* slot = std::get_if<std::string*>(&pending_)) {
      **slot = std::move(text);
    } else if (const auto* weights = std::get_if<ParsedWeights*>(&pending_)) {
      (*weights)->base64 = std::move(text);
    } else if (is_param("name") || is_param("schedule")) {
      set_param(text, shown_json_string(text));
    } else {
      refuse_value(shown_json_string(text));
    }
    return true;
  }

  bool binary(nlohmann::json::binary_t&) { refuse_value("binary data"); }

  bool start_object(std::size_t) {
    if (is_in_array()) pending_ = add_object(frames_.back().slot);
    if (!std::holds_alternative<ObjectSlot>(pending_)) {
      refuse_value("an object");
    }
    frames_.push_back({pending_, 0, 0});
    return true;
  }

  bool key(std::string& name) {
    Frame& frame = frames_.back();
    const Members members = members_of(std::get<ObjectSlot>(frame.slot));
    std::size_t i = 0;
    while (i < members.size() && members[i].name != name) ++i;
    if (i == members.size()) refuse_unknown(name, members);
    if ((frame.seen >> i & 1) != 0) {
      refuse_object("the member " + shown_json_string(name) +
                    " occurs twice; expected once: remove one of them");
    }
    frame.seen |= std::uint32_t{1} << i;
    frame.position = i;
    pending_ = members[i].slot(parsed_);
    if (const auto* weights = std::get_if<ParsedWeights*>(&pending_)) {
      take_weights(**weights);
    }
    return true;
  }

  bool end_object() {
    const Frame& frame = frames_.back();
    const Members members = members_of(std::get<ObjectSlot>(frame.slot));
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].is_required && (frame.seen >> i & 1) == 0) {
        refuse_object("the member \"" + std::string(members[i].name) +
                      "\" is missing; every model has it");
      }
    }
    return end_container();
  }

  bool start_array(std::size_t) {
    if (is_in_array() || !takes_array(pending_)) refuse_value("an array");
    if (const auto* weights = std::get_if<ParsedWeights*>(&pending_)) {
      (*weights)->numbers.emplace();
    }
    frames_.push_back({pending_, 0, 0});
    return true;
  }

  bool end_array() { return end_container(); }

  /// \param offset  bytes read, including the wrong one; one more than the size
  ///                of the text if it ends too early
  bool parse_error(std::size_t offset, const std::string& token,
                   const nlohmann::json::exception& error) {
    constexpr int kNumberOverflow = 406;  // of nlohmann's exception ids
    if (error.id == kNumberOverflow) refuse_value(clipped(with_point(token)));
    if (source_) offset = source_->place_of(offset);
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
    Slot slot;
    std::size_t position;  ///< of the member in the table, or of the item
    std::uint32_t seen;    ///< bit i: member i of the table was read
  };

  /// Adds an object to an array of objects.
  [[nodiscard]] Slot add_object(const Slot& array) const {
    if (const auto* items = std::get_if<std::vector<ParsedInstance>*>(&array)) {
      (*items)->emplace_back();
      return object_of(kInstanceMembers);
    }
    const auto* columns = std::get_if<std::vector<ParsedColumn>*>(&array);
    if (!columns) refuse_value("an object");
    (*columns)->emplace_back();
    return object_of(kColumnMembers);
  }

  void take_weights(ParsedWeights& weights) {
    if (!source_) return;
    auto text = read_weights(source_->rest());
    if (!text) return;
    source_->leave_out(text->first, text->last);
    weights.taken = std::move(text->numbers);
  }

  [[nodiscard]] bool is_in_array() const {
    return !frames_.empty() &&
           !std::holds_alternative<ObjectSlot>(frames_.back().slot);
  }

  /// Returns true if a hyper-parameter with values of this form is pending.
  [[nodiscard]] bool is_param(std::string_view type) const {
    const auto* param = std::get_if<const ParamInfo*>(&pending_);
    return param && (*param)->type == type;
  }

  bool end_container() {
    frames_.pop_back();
    return next_item();
  }

  /// Counts a complete value if it is an item of an array.
  bool next_item() {
    if (is_in_array()) ++frames_.back().position;
    return true;
  }

  /// nlohmann's number texts have the decimal point of the C locale.
  static std::string with_point(const std::string& text) {
    std::string plain;
    for (const char byte : text) {
      const bool is_plain =
          std::string_view("0123456789+-eE").find(byte) != std::string::npos;
      if (is_plain) {
        plain += byte;
      } else if (plain.empty() || plain.back() != '.') {
        plain += '.';
      }
    }
    return plain;
  }

  /// Returns a number's text for a message.
  static std::string clipped(const std::string& text) {
    constexpr std::size_t kMaxBytes = 40;
    return text.size() <= kMaxBytes ? text : text.substr(0, kMaxBytes) + "...";
  }

  bool take_number(const std::string& text) {
    const Slot& slot = is_in_array() ? frames_.back().slot : pending_;
    if (const auto* one = std::get_if<std::int64_t*>(&slot)) {
      **one = require(parse_int(text), text);
      check_version(*one);
    } else if (const auto* number = std::get_if<double*>(&slot)) {
      **number = require(parse_double(text), text);
    } else if (!is_in_array()) {
      const bool is_number =
          is_param("integer") || is_param("number") || is_param("share");
      if (!is_number) refuse_value(clipped(text));
      set_param(text, clipped(text));
    } else if (const auto* integers =
                   std::get_if<std::vector<std::int64_t>*>(&slot)) {
      (*integers)->push_back(require(parse_int(text), text));
    } else if (std::vector<double>* numbers = number_items(slot)) {
      numbers->push_back(require(parse_double(text), text));
    } else {
      refuse_value(clipped(text));
    }
    return next_item();
  }

  /// Returns the destination of an array's numbers, or null if it has none.
  static std::vector<double>* number_items(const Slot& slot) {
    if (const auto* numbers = std::get_if<std::vector<double>*>(&slot)) {
      return *numbers;
    }
    if (const auto* history = std::get_if<ParsedHistory*>(&slot)) {
      return &(*history)->numbers;
    }
    const auto* weights = std::get_if<ParsedWeights*>(&slot);
    return weights ? &*(*weights)->numbers : nullptr;
  }

  template <typename Number>
  Number require(std::optional<Number> number, const std::string& text) {
    if (!number) refuse_value(clipped(text));
    return *number;
  }

  void take_item(std::string& text) {
    const Slot& slot = frames_.back().slot;
    if (const auto* strings = std::get_if<std::vector<std::string>*>(&slot)) {
      (*strings)->push_back(std::move(text));
    } else if (const auto* history = std::get_if<ParsedHistory*>(&slot)) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      double number = std::numeric_limits<double>::quiet_NaN();
      if (text == "Infinity" || text == "-Infinity") {
        number = text.front() == '-' ? -kInfinity : kInfinity;
      } else if (text != "NaN") {
        refuse_value(shown_json_string(text));
      }
      (*history)->numbers.push_back(number);
    } else {
      refuse_value(shown_json_string(text));
    }
    next_item();
  }

  void set_param(std::string_view text, const std::string& shown) {
    const ParamInfo& info = *std::get<const ParamInfo*>(pending_);
    // Files contain the names that are written; other names are for users.
    const bool is_written = info.choices.empty() || info.is_list ||
                            std::find(info.choices.begin(), info.choices.end(),
                                      text) != info.choices.end();
    if (!is_written || !info.parse(parsed_.params, text)) refuse_value(shown);
  }

  /// A later version may give the rest of the file another meaning, so it is
  /// refused immediately.
  void check_version(const std::int64_t* slot) {
    if (slot != &parsed_.format_version || *slot == kSparkFormatVersion ||
        *slot == kModelFormatVersion) {
      return;
    }
    throw ModelError(file_, path(frames_.size()),
                     "must be " + std::to_string(kSparkFormatVersion) + " or " +
                         std::to_string(kModelFormatVersion) + "; got " +
                         std::to_string(*slot) +
                         ": use the version of mlp that wrote the file, or a "
                         "newer one");
  }

  /// Returns the JSON path of the value inside the first num_frames open
  /// values.
  [[nodiscard]] std::string path(std::size_t num_frames) const {
    std::string text = "$";
    for (std::size_t i = 0; i < num_frames; ++i) {
      const Frame& frame = frames_[i];
      if (const auto* object = std::get_if<ObjectSlot>(&frame.slot)) {
        text += '.';
        text += members_of(*object)[frame.position].name;
      } else {
        text += '[' + std::to_string(frame.position) + ']';
      }
    }
    return text;
  }

  [[noreturn]] void refuse_value(const std::string& received) const {
    const std::string expected = is_in_array()
                                     ? expected_item(frames_.back().slot)
                                     : expected_value(pending_);
    throw ModelError(file_, path(frames_.size()),
                     "must be " + expected + "; got " + received);
  }

  [[noreturn]] void refuse_object(const std::string& sentence) const {
    throw ModelError(file_, path(frames_.size() - 1), sentence);
  }

  [[noreturn]] void refuse_unknown(const std::string& name,
                                   Members members) const {
    refuse_object("the member " + shown_json_string(name) +
                  " is unknown to format versions 1 and 2; expected only " +
                  member_names(members));
  }

  std::string_view text_;
  std::string file_;
  ParsedModel& parsed_;
  ModelJsonSource* source_;
  std::vector<Frame> frames_;
  Slot pending_ = object_of(kModelMembers);
};

}  // namespace mlp::detail
