// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// The texts of dates and timestamps of Arrow tables.
namespace mlp::datasets::detail {

/// Returns the quotient, rounded down.
inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// Appends a number of at least so many digits.
inline void append_digits(std::string& text, std::int64_t number,
                          std::size_t num_digits) {
  const std::string digits = std::to_string(number);
  if (digits.size() < num_digits) text.append(num_digits - digits.size(), '0');
  text += digits;
}

/// Appends a date as ISO 8601 writes it, such as 2026-11-28.
///
/// \param days  since 1970-01-01
/// \return false for years that do not have four digits
inline bool append_date(std::string& text, std::int64_t days) {
  constexpr std::int64_t kFirst = -719528;  // 0000-01-01
  constexpr std::int64_t kLast = 2932896;   // 9999-12-31
  if (days < kFirst || days > kLast) return false;
  const std::chrono::year_month_day date(
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days))));
  append_digits(text, static_cast<int>(date.year()), 4);
  text += '-';
  append_digits(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  append_digits(text, static_cast<unsigned>(date.day()), 2);
  return true;
}

/// Appends a timestamp, in UTC if it has a time zone, such as 2026-11-28 12:30:05.250.
/// So does pyarrow write it into CSV files, but for those of other zones.
///
/// \param count         parts of a second since 1970
/// \param num_decimals  of a second: 3 for milliseconds
/// \return as append_date()
inline bool append_time(std::string& text, std::int64_t count,
                        int num_decimals) {
  constexpr std::int64_t kSecondsPerDay = 86400;
  std::int64_t per_second = 1;
  for (int i = 0; i < num_decimals; ++i) per_second *= 10;
  const std::int64_t seconds = floor_divide(count, per_second);
  const std::int64_t days = floor_divide(seconds, kSecondsPerDay);
  if (!append_date(text, days)) return false;
  const std::int64_t of_day = seconds - days * kSecondsPerDay;
  text += ' ';
  append_digits(text, of_day / 3600, 2);
  text += ':';
  append_digits(text, of_day / 60 % 60, 2);
  text += ':';
  append_digits(text, of_day % 60, 2);
  if (num_decimals == 0) return true;
  text += '.';
  std::int64_t parts = count % per_second;
  if (parts < 0) parts += per_second;
  append_digits(text, parts, static_cast<std::size_t>(num_decimals));
  return true;
}

}  // namespace mlp::datasets::detail
