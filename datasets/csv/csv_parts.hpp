// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/thread_pool.hpp"
#include "../../core/types.hpp"
#include "../reading/limits.hpp"
#include "../reading/source_file.hpp"
#include "../reading/text_file.hpp"
#include "../reading/text_lines.hpp"
#include "expansion/csv_expansion.hpp"
#include "row_parts.hpp"

/// The texts of CSV files that are larger than the memory, one part after another.
namespace mlp::datasets::detail {

/// Returns the position behind the last line end that is not in quotes; npos without one.
///
/// A quote opens where a field begins: behind a separator, a space or a line end. Another
/// one is a part of a text. Two quotes within a field in quotes are one character of it.
[[nodiscard]] inline std::size_t end_outside_quotes(std::string_view text) {
  constexpr std::string_view kBeforeField = ",;\t| \r\n";
  std::size_t end = text.npos;
  std::size_t outside = 0;  // where the text outside of quotes goes on
  while (true) {
    std::size_t quote = text.find('"', outside);
    while (quote != text.npos && quote > 0 &&
           kBeforeField.find(text[quote - 1]) == text.npos) {
      quote = text.find('"', quote + 1);
    }
    const std::size_t line_end =
        text.substr(outside, quote - outside).rfind('\n');
    if (line_end != text.npos) end = outside + line_end + 1;
    if (quote == text.npos) return end;
    std::size_t closing = text.find('"', quote + 1);
    while (closing != text.npos && text.substr(closing + 1, 1) == "\"") {
      closing = text.find('"', closing + 2);
    }
    if (closing == text.npos) return end;
    outside = closing + 1;
  }
}

/// Returns about so many rows at the start of a text that begins with a row, and at least
/// one. A row with line ends in quotes counts as several.
///
/// \param has_quotes  false if quotes are characters as others
[[nodiscard]] inline std::string_view first_rows(std::string_view text,
                                                 std::size_t num_rows,
                                                 bool has_quotes = true) {
  for (std::size_t num_lines = std::max<std::size_t>(1, num_rows);;
       num_lines *= 2) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < num_lines && end < text.size(); ++i) {
      const std::size_t line_end = text.find('\n', end);
      end = line_end == text.npos ? text.size() : line_end + 1;
    }
    if (end == text.size()) return text;
    if (!has_quotes) return text.substr(0, end);
    end = end_outside_quotes(text.substr(0, end));
    if (end != text.npos) return text.substr(0, end);
  }
}

/// A file that is read part by part.
struct PartFile {
  std::string name;  ///< for messages
  std::string path;

  /// A file of its own name.
  PartFile(std::string own_name)  // NOLINT: a path is a file
      : name(std::move(own_name)), path(name) {}
  PartFile(std::string shown, std::string opened)
      : name(std::move(shown)), path(std::move(opened)) {}
};

/// Cuts files into parts that begin with a row, as far as quotes tell: no part ends in a
/// field that has a line end in quotes.
class CsvParts final : public RowParts {
 public:
  static constexpr std::size_t kPartBytes = std::size_t{8} << 20;

  /// Of vectors, in a part.
  static constexpr std::size_t kPartElements = std::size_t{1} << 22;

  /// \param files      regular files in UTF-8, in the order of their rows
  ///                   [at least 1]
  /// \param expansion  of the rows; must outlive this object; null for none
  explicit CsvParts(std::vector<PartFile> files,
                    std::size_t part_bytes = kPartBytes,
                    const CsvExpansion* expansion = nullptr)
      : files_(std::move(files)),
        part_bytes_(part_bytes),
        expansion_(expansion) {}

  /// Reads lines instead of rows: a text whose quotes are no quotes.
  void ignore_quotes() { has_quotes_ = false; }

  ~CsvParts() override { close(); }

  /// Begins with the first file again.
  void restart() override {
    close();
    sources_.clear();
    rest_.clear();
    untaken_ = {};
  }

  /// Reads the next part.
  ///
  /// \return null at the end of the last file; valid until the next call
  /// \throws DataError if a file cannot be read, or has a NUL byte or a long line
  [[nodiscard]] const FileInPieces* next(ThreadPool& pool) override {
    while (descriptor_ < 0 || (untaken_.empty() && !take_text())) {
      close();
      if (sources_.size() == files_.size()) return nullptr;
      open(files_[sources_.size()]);
    }
    part_.source = sources_.back();
    part_.is_continued = next_line_ != 1;
    const std::string_view rows = take_rows();
    part_.text = part_.is_continued ? rows : without_byte_order_mark(rows);
    if (expansion_ != nullptr) {
      expanded_ = expansion_->expand(
          {part_.text, part_.source.name, sources_.size() - 1, next_line_});
      part_.text = expanded_;
    }
    part_.pieces = make_pieces(part_.text, part_.source.name, pool,
                               PieceSizes{}.piece_bytes, next_line_);
    next_line_ += count_lines(part_.pieces);
    return &part_;
  }

  /// The files that were opened so far.
  [[nodiscard]] const std::vector<SourceFile>& sources() const override {
    return sources_;
  }

 private:
  void open(const PartFile& file) {
    descriptor_ = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      throw_file_error<DataError>(file.name, "opened", errno);
    }
    check_unchanged(file.name);
    lines_before_ += next_line_ - 1;
    if (sources_.empty()) lines_before_ = 0;
    sources_.push_back({file.name, static_cast<Index>(lines_before_)});
    next_line_ = 1;
    is_at_end_ = false;
  }

  /// Refuses a file that is not that of an earlier pass.
  void check_unchanged(const std::string& name) {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return;
    const Version version{status.st_dev, status.st_ino, status.st_size,
                          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    const std::size_t file = sources_.size();
    if (file == versions_.size()) versions_.push_back(version);
    if (versions_[file] == version) return;
    throw DataError(name,
                    "was changed while it was read; expected the same file in "
                    "each pass; train again");
  }

  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  /// Takes the next rows of the file.
  ///
  /// \return false at its end
  [[nodiscard]] bool take_text() {
    text_.swap(rest_);
    rest_.clear();
    std::size_t end = std::string::npos;
    while (!is_at_end_ && end == std::string::npos) {
      fill(part_bytes_);
      if (!is_at_end_) end = find_end();
    }
    if (end != std::string::npos) {
      rest_.assign(text_, end);
      text_.resize(end);
    }
    untaken_ = text_;
    return !text_.empty();
  }

  /// Takes all rows that were read, or few of them if they have large vectors.
  [[nodiscard]] std::string_view take_rows() {
    std::string_view rows = untaken_;
    const std::size_t num_elements =
        expansion_ == nullptr ? 0 : expansion_->num_elements();
    if (num_elements != 0) {
      rows = first_rows(untaken_, kPartElements / num_elements, has_quotes_);
    }
    untaken_.remove_prefix(rows.size());
    return rows;
  }

  /// Finds the end of the last row of the text. A field in quotes that is never closed is
  /// cut somewhere: its reader reports it.
  [[nodiscard]] std::size_t find_end() const {
    if (!has_quotes_) {
      const std::size_t end = text_.rfind('\n');
      return end == text_.npos ? end : end + 1;
    }
    const std::size_t end = end_outside_quotes(text_);
    if (end != text_.npos) return end;
    if (text_.size() <= part_bytes_ + kMaxLineBytes) return text_.npos;
    const std::size_t line_end = text_.rfind('\n');
    return line_end == text_.npos ? text_.size() : line_end + 1;
  }

  /// Reads some bytes more, or to the end of the file.
  void fill(std::size_t num_bytes) {
    if (is_at_end_) return;
    const std::size_t filled = text_.size();
    text_.resize(filled + num_bytes);
    const std::size_t received = read_full<DataError>(
        descriptor_, sources_.back().name, text_.data() + filled, num_bytes);
    is_at_end_ = received < num_bytes;
    text_.resize(filled + received);
  }

  /// What tells a file from another, and from itself after a change.
  struct Version {
    dev_t device;
    ino_t inode;
    off_t size;
    time_t seconds;
    long nanoseconds;

    friend bool operator==(const Version&, const Version&) = default;
  };

  std::vector<PartFile> files_;
  bool has_quotes_ = true;
  std::size_t part_bytes_;
  std::vector<Version> versions_;  // of the files that were opened before
  std::vector<SourceFile> sources_;
  int descriptor_ = -1;
  bool is_at_end_ = false;
  const CsvExpansion* expansion_;
  std::string text_;
  std::string_view untaken_;  // the rows of text_ that are in no part yet
  std::string expanded_;
  std::string rest_;  // read, but not yet a whole row
  std::size_t lines_before_ = 0;
  std::size_t next_line_ = 1;  // of the file
  FileInPieces part_;
};

}  // namespace mlp::datasets::detail
