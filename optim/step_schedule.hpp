// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "../core/names.hpp"
#include "../core/number_text.hpp"
#include "../core/types.hpp"

namespace mlp::optim {

/// A schedule of the step size over the epochs of a mini-batch run.
///
/// The step size depends only on the number of the step, so a resumed run has
/// no state to restore. Warm-up multiplies the step size by a factor that grows
/// linearly from near 0 to 1 during the first warmup_epochs. The schedule
/// counts its epochs from the start of the run, warm-up included.
///
/// \source Loshchilov and Hutter 2017, equation 5 without restarts (cosine);
///         Goyal et al. 2017, section 2.2 (warm-up)
struct StepSchedule {
  enum class Shape {
    kConstant,
    kStep,      ///< multiplied by factor after every every_epochs epochs
    kCosine,    ///< half a cosine wave, from 1 to 0 over max_epochs
    kInverse,   ///< divided by 1 + factor epoch
    kPower,     ///< divided by (1 + factor epoch)^exponent after each epoch
    kAdaptive,  ///< multiplied by factor where the loss stalls: see Plateau
  };

  /// An adaptive run ends if the loss stalls with steps of this size.
  static constexpr double kSmallestStep = 1e-6;

  Shape shape = Shape::kConstant;
  Index every_epochs = 1;
  double factor = 1.0;
  double warmup_epochs = 0.0;
  double exponent = 1.0;  ///< of kPower

  bool operator==(const StepSchedule&) const = default;

  /// Computes the size of one step. kStep and kPower count whole epochs; kCosine
  /// and kInverse also use fractions of an epoch.
  ///
  /// \param base  the step size that the schedule scales
  /// \param step  0-based, counted over the whole run
  /// \pre   step >= 0, steps_per_epoch >= 1, max_epochs >= 1
  [[nodiscard]] double step_size(double base, Index step, Index steps_per_epoch,
                                 Index max_epochs) const {
    const double epoch =
        static_cast<double>(step) / static_cast<double>(steps_per_epoch);
    double size = base;
    if (shape == Shape::kStep) {
      const Index cuts = step / steps_per_epoch / every_epochs;
      size *= std::pow(factor, static_cast<double>(cuts));
    } else if (shape == Shape::kCosine) {
      const double progress =
          std::min(epoch / static_cast<double>(max_epochs), 1.0);
      size *= 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    } else if (shape == Shape::kInverse) {
      size /= 1.0 + factor * epoch;
    } else if (shape == Shape::kPower) {
      const auto whole = static_cast<double>(step / steps_per_epoch);
      size /= std::pow(1.0 + factor * whole, exponent);
    }
    const double warmup_steps =
        warmup_epochs * static_cast<double>(steps_per_epoch);
    const double begun = static_cast<double>(step) + 1.0;
    return begun < warmup_steps ? size * (begun / warmup_steps) : size;
  }
};

/// A shape as users write it.
struct StepShapeText {
  StepSchedule::Shape value;
  std::string_view name;
  std::string_view arguments;  ///< what follows the name
  std::string_view rule;       ///< what the arguments must be
};

inline constexpr auto kStepShapeTexts = std::to_array<StepShapeText>({
    {StepSchedule::Shape::kConstant, "constant", "", ""},
    {StepSchedule::Shape::kStep, "step", ":EPOCHS:FACTOR",
     " with EPOCHS >= 1 and 0 < FACTOR <= 1"},
    {StepSchedule::Shape::kCosine, "cosine", "", ""},
    {StepSchedule::Shape::kInverse, "1/t", ":DECAY", " with DECAY >= 0"},
    {StepSchedule::Shape::kPower, "power", ":EXPONENT:DECAY",
     " with EXPONENT >= 0 and DECAY >= 0"},
    {StepSchedule::Shape::kAdaptive, "adaptive", ":FACTOR",
     " with 0 < FACTOR < 1"},
});

/// Lists the shapes with their arguments.
///
/// \param has_rules  says what the arguments must be
constexpr ConstantText describe_schedules(std::string_view begin,
                                          bool has_rules,
                                          std::string_view end) {
  ConstantText text;
  text.append(begin);
  for (std::size_t i = 0; i < kStepShapeTexts.size(); ++i) {
    const StepShapeText& shape = kStepShapeTexts[i];
    if (i > 0) text.append(i + 1 < kStepShapeTexts.size() ? ", " : " or ");
    text.append(shape.name).append(shape.arguments);
    if (has_rules) text.append(shape.rule);
  }
  return text.append(", each with an optional ,warmup:EPOCHS").append(end);
}

namespace detail {

inline constexpr ConstantText kStepScheduleRule =
    describe_schedules("", true, "");

}  // namespace detail

/// Completes "a schedule must be ...".
inline constexpr std::string_view kStepScheduleInterval =
    detail::kStepScheduleRule.view();

namespace detail {

/// Reads the name of a shape and the colon of its arguments, if it has any.
inline const StepShapeText* take_step_shape(std::string_view& text) {
  for (const StepShapeText& shape : kStepShapeTexts) {
    const std::string_view rest =
        text.substr(std::min(shape.name.size(), text.size()));
    const bool fits =
        shape.arguments.empty() ? rest.empty() : rest.starts_with(':');
    if (!fits || !text.starts_with(shape.name)) continue;
    text = rest.substr(std::min<std::size_t>(1, rest.size()));
    return &shape;
  }
  return nullptr;
}

/// Removes a prefix. Returns false if the text does not start with it.
inline bool skip_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Parses the arguments of a shape but the last, and removes them.
inline bool take_first_arguments(std::string_view& text,
                                 StepSchedule& schedule) {
  using Shape = StepSchedule::Shape;
  if (schedule.shape != Shape::kStep && schedule.shape != Shape::kPower) {
    return true;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view first = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  if (schedule.shape == Shape::kPower) {
    const auto exponent = parse_double(first);
    if (exponent) schedule.exponent = *exponent;
    return exponent && *exponent >= 0.0;
  }
  const auto epochs = parse_int(first);
  if (epochs) schedule.every_epochs = static_cast<Index>(*epochs);
  return epochs && *epochs >= 1;
}

/// Returns true if a shape may have a factor.
inline bool is_factor(StepSchedule::Shape shape, double factor) {
  using Shape = StepSchedule::Shape;
  if (shape == Shape::kStep) return factor > 0.0 && factor <= 1.0;
  if (shape == Shape::kAdaptive) return factor > 0.0 && factor < 1.0;
  return factor >= 0.0;
}

/// Parses the part before the warm-up.
inline std::optional<StepSchedule> parse_step_shape(std::string_view text) {
  const StepShapeText* const shape = take_step_shape(text);
  if (shape == nullptr) return std::nullopt;
  StepSchedule schedule;
  schedule.shape = shape->value;
  if (shape->arguments.empty()) return schedule;
  if (!take_first_arguments(text, schedule)) return std::nullopt;
  const auto factor = parse_double(text);
  if (!factor || !is_factor(schedule.shape, *factor)) return std::nullopt;
  schedule.factor = *factor;
  return schedule;
}

}  // namespace detail

/// Parses a schedule: `constant`, `step:10:0.5`, `cosine` or `1/t:0.1`.
///
/// Each may be followed by a warm-up, as in `cosine,warmup:2`.
/// \return nothing if the text does not match kStepScheduleInterval
[[nodiscard]] inline std::optional<StepSchedule> parse_step_schedule(
    std::string_view text) {
  const std::size_t comma = text.find(',');
  auto schedule = detail::parse_step_shape(text.substr(0, comma));
  if (!schedule || comma == std::string_view::npos) return schedule;
  text.remove_prefix(comma);
  if (!detail::skip_prefix(text, ",warmup:")) return std::nullopt;
  const auto epochs = parse_double(text);
  if (!epochs || *epochs < 0.0) return std::nullopt;
  schedule->warmup_epochs = *epochs;
  return schedule;
}

/// Formats a schedule so that parse_step_schedule() reads it back.
[[nodiscard]] inline std::string format_step_schedule(
    const StepSchedule& schedule) {
  using Shape = StepSchedule::Shape;
  std::string text(name_in(kStepShapeTexts, schedule.shape));
  if (schedule.shape == Shape::kStep) {
    text.append(":").append(std::to_string(schedule.every_epochs));
  }
  if (schedule.shape == Shape::kPower) {
    append_double(text.append(":"), schedule.exponent);
  }
  if (schedule.shape != Shape::kConstant && schedule.shape != Shape::kCosine) {
    append_double(text.append(":"), schedule.factor);
  }
  if (schedule.warmup_epochs > 0.0) {
    text.append(",warmup:");
    append_double(text, schedule.warmup_epochs);
  }
  return text;
}

}  // namespace mlp::optim
