// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

/// Files of formats that are not read, recognised to be named in messages.
namespace mlp::datasets::detail {

/// A format that is not read.
struct ForeignFormat {
  std::string_view name;  ///< with its article

  /// The command that decompresses a file; empty for other formats.
  std::string_view command;

  /// What else to do; empty if nothing is known.
  std::string_view conversion = {};

  /// Returns what to do, as the end of a message.
  ///
  /// \param source  the name of the file
  [[nodiscard]] std::string advice(const std::string& source) const {
    if (!conversion.empty()) return "; " + std::string(conversion);
    if (command.empty()) return "; convert it";
    return "; decompress it: " + std::string(command) + ' ' + source +
           " writes the data, and - reads them from standard input";
  }
};

/// How the files of a format start and end.
struct FormatMark {
  std::string_view start;
  std::string_view end;  ///< empty if it is not fixed
  ForeignFormat format;
};

/// Formats whose files start in a way that CSV files do not.
inline constexpr auto kFormatMarks = std::to_array<FormatMark>({
    {{"\xFD"
      "7zXZ\0",
      6},
     "",
     {"a file compressed by xz", "xz -dc"}},
    {"\x28\xB5\x2F\xFD", "", {"a file compressed by zstd", "zstd -dc"}},
    {"\x04\x22\x4D\x18", "", {"a file compressed by lz4", "lz4 -dc"}},
    {"BZh", "", {"a file compressed by bzip2", "bzip2 -dc"}},
    {"\x1F\x9D", "", {"a file compressed by compress", "zcat"}},
    {"7z\xBC\xAF\x27\x1C", "", {"a 7z archive", "7z x -so"}},
    {"PAR1", "", {"a Parquet file", ""}},
    {"ARROW1", "", {"an Arrow or Feather file", ""}},
    {"FEA1",
     "FEA1",
     {"a Feather file of version 1", "",
      "write it as version 2, for example with pandas.read_feather and "
      "DataFrame.to_feather"}},
    {"\xFF\xFF\xFF\xFF",
     "",
     {"a stream of Arrow IPC", "",
      "write a file of Arrow IPC instead, for example with "
      "pyarrow.ipc.new_file, or a Parquet file"}},
    {"PK\x03\x04", "", {"a zip archive, such as .npz or .xlsx", ""}},
    {"\xD0\xCF\x11\xE0", "", {"an old Office file, such as .xls", ""}},
    {"\x89HDF", "", {"an HDF5 file", ""}},
});

/// Returns true for the start of a file made by bzip2: a block size from 1 to 9
/// and the mark of a block or of the end. The text "BZh" alone may be a name.
inline bool is_bzip2(std::string_view bytes) {
  constexpr std::string_view kBlock = "1AY&SY";
  constexpr std::string_view kEnd = "\x17\x72\x45\x38\x50\x90";
  if (bytes.size() < 10 || bytes[3] < '1' || bytes[3] > '9') return false;
  const std::string_view mark = bytes.substr(4, 6);
  return mark == kBlock || mark == kEnd;
}

/// Returns true for the start of JSON: an object, or an array of objects, arrays
/// or numbers.
inline bool starts_as_json(std::string_view bytes) {
  const auto skip_spaces = [&] {
    const std::size_t at = bytes.find_first_not_of(" \t\r\n");
    bytes.remove_prefix(std::min(at, bytes.size()));
  };
  skip_spaces();
  if (bytes.empty() || (bytes.front() != '{' && bytes.front() != '[')) {
    return false;
  }
  const bool is_array = bytes.front() == '[';
  bytes.remove_prefix(1);
  skip_spaces();
  if (bytes.empty()) return false;
  const char next = bytes.front();
  if (!is_array) return next == '"' || next == '}';
  return next == '{' || next == '[' || (next >= '0' && next <= '9');
}

/// Returns the format that the bytes of a file show, if it is one of the above.
inline std::optional<ForeignFormat> find_foreign_format(
    std::string_view bytes) {
  const auto matches = [&](const FormatMark& mark) {
    if (bytes.substr(0, mark.start.size()) != mark.start) return false;
    if (mark.start == "BZh") return is_bzip2(bytes);
    return bytes.size() >= mark.end.size() &&
           bytes.substr(bytes.size() - mark.end.size()) == mark.end;
  };
  if (starts_as_json(bytes)) return ForeignFormat{"a JSON file", ""};
  const auto found =
      std::find_if(kFormatMarks.begin(), kFormatMarks.end(), matches);
  return found == kFormatMarks.end() ? std::nullopt
                                     : std::optional(found->format);
}

}  // namespace mlp::datasets::detail
