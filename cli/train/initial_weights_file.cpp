// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "initial_weights_file.hpp"

#include <algorithm>
#include <cstddef>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/number_text.hpp"
#include "../../datasets/reading/quoted.hpp"
#include "../../mlp/model_json.hpp"

namespace mlp::cli {

namespace {

/// Parses the text of a JSON array of numbers.
class WeightArrayReader {
 public:
  WeightArrayReader(std::string_view text, const std::string& file)
      : text_(text), file_(file) {}

  [[nodiscard]] Vector read() {
    std::vector<double> weights;
    expect('[', "'['");
    if (!skip(']')) {
      do {
        weights.push_back(read_number());
      } while (skip(','));
      expect(']', "',' or ']'");
    }
    skip_spaces();
    if (at_ != text_.size()) refuse("the end of the file");
    return Eigen::Map<const Vector>(weights.data(),
                                    static_cast<Index>(weights.size()));
  }

 private:
  void skip_spaces() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
  }

  /// Skips a letter if it comes next.
  bool skip(char letter) {
    skip_spaces();
    const bool is_next = at_ < text_.size() && text_[at_] == letter;
    at_ += is_next ? 1 : 0;
    return is_next;
  }

  void expect(char letter, const char* expected) {
    if (!skip(letter)) refuse(expected);
  }

  double read_number() {
    skip_spaces();
    const std::size_t end =
        std::min(text_.find_first_of(" \t\r\n,]", at_), text_.size());
    const auto number = parse_double(text_.substr(at_, end - at_));
    if (!number) refuse("a finite number");
    at_ = end;
    return *number;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t line_end = before.rfind('\n');
    const std::size_t column =
        line_end == before.npos ? at_ + 1 : at_ - line_end;
    throw ModelError(
        file_ + ':' + std::to_string(line) + ':' + std::to_string(column),
        "is neither a model nor a JSON array of weights; expected " + expected +
            ", got " + received());
  }

  /// Returns the text at the position of an error, for a message.
  [[nodiscard]] std::string received() const {
    if (at_ == text_.size()) return "the end of the file";
    const std::size_t end = text_.find_first_of(" \t\r\n,]", at_ + 1);
    return datasets::in_quotes(text_.substr(at_, end - at_));
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
};

}  // namespace

Vector parse_weight_array(std::string_view text, const std::string& file) {
  return WeightArrayReader(text, file).read();
}

InitialWeightsFile read_initial_weights_file(const std::string& path) {
  const std::string text = read_file<ModelError>(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') {
    const Model model = from_json(text, path).model;
    if (model.encoder()) {
      throw ModelError(path,
                       "encodes its numbers, so its weights alone belong to no "
                       "features; use --warm-start instead");
    }
    return {model.weights(), model.layers()};
  }
  return {parse_weight_array(text, path), {}};
}

}  // namespace mlp::cli
