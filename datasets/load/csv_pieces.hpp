// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../../core/types.hpp"
#include "../csv/csv_options.hpp"
#include "../csv/csv_rows.hpp"
#include "../csv/kept_columns.hpp"
#include "../csv/layout/csv_header.hpp"
#include "../csv/layout/csv_layout.hpp"
#include "../csv/layout/row_names.hpp"
#include "../reading/limits.hpp"
#include "../reading/text_file.hpp"
#include "../reading/text_lines.hpp"
#include "data_format.hpp"
#include "load.hpp"

/// Reads a CSV file in pieces, so that its rows need not be in memory at once.
namespace mlp::datasets {

/// The rows of a CSV file, in pieces that several threads read.
///
/// This is for regular files in which each line is a row of numbers. For all others,
/// and for wrong rows, a function throws DataError or open() returns nothing: load()
/// then reads the file, or says what is wrong.
class CsvPieces {
 public:
  /// Some consecutive rows. A thread uses the same object for all of its pieces.
  class Piece {
   public:
    /// Returns the number of the piece in the file, from 0.
    [[nodiscard]] Index number() const { return number_; }

    /// [num_features x rows of the piece]
    [[nodiscard]] Eigen::Map<const Matrix> features() const {
      return {instances_.data.features.data(), instances_.data.features.rows(),
              num_rows_};
    }

    /// Of these rows.
    [[nodiscard]] const std::vector<KeptColumn>& kept() const { return kept_; }

   private:
    friend class CsvPieces;

    std::string text_;
    detail::CsvInstances instances_;
    std::vector<KeptColumn> kept_;
    Index number_ = 0;
    Index num_rows_ = 0;
  };

  /// Opens a file and reads its first rows.
  ///
  /// \param options      must outlive the result
  /// \param piece_bytes  the size of the text of a piece, at least that of a line
  /// \returns null if the file must be read as a whole, and for small files
  static std::unique_ptr<CsvPieces> open(
      const std::string& path, const CsvOptions& options,
      std::size_t piece_bytes = kPieceBytes) try {
    const bool has_numbers_only =
        options.columns.empty() && !options.one_hot.is_on() &&
        options.missing == MissingRule::kRefuse && options.targets.empty() &&
        options.weight.empty() && options.group.empty() &&
        options.decimal == '.' && !options.missing_texts.given();
    const bool takes_any_label =
        options.label_rule == LabelRule::kAbsent || options.label_as_text;
    if (!has_numbers_only || !takes_any_label || path == "-") return nullptr;
    // To open a pipe and close it again would lose what its writer has written.
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      return nullptr;
    }
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return nullptr;
    std::unique_ptr<CsvPieces> pieces(
        new CsvPieces(path, descriptor, options, piece_bytes));
    return pieces->find_layout() ? std::move(pieces) : nullptr;
  } catch (const DataError&) {
    return nullptr;
  }

  /// Returns an upper limit of the number of pieces.
  [[nodiscard]] Index max_pieces() const {
    return static_cast<Index>(file_bytes_ / piece_bytes_ + 1);
  }

  /// Returns what load() returns, without instances and columns of texts.
  [[nodiscard]] LoadedData description() const {
    LoadedData loaded;
    loaded.dataset.source = path_;
    loaded.guesses = layout_.guesses;
    loaded.delimiter = layout_.dialect.delimiter;
    loaded.has_header = layout_.has_header;
    loaded.kept = detail::read_kept_columns("", layout_, {});
    return loaded;
  }

  /// Reads the next piece. Several threads may call it, each with an own piece.
  ///
  /// \returns false at the end of the file
  /// \throws DataError if the file must be read as a whole, or is wrong
  [[nodiscard]] bool next(Piece& piece) {
    if (!take_text(piece)) return false;
    read_rows(piece);
    return true;
  }

  /// Ends the reading, after next() has returned false.
  ///
  /// \returns the number of rows
  /// \throws DataError as next()
  [[nodiscard]] Index finish() const {
    const bool ends_early =
        first_short_ >= 0 && first_short_ != num_pieces_ - 1;
    if (ends_early || num_rows_ == 0) refuse();
    return num_rows_;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

  /// The first rows decide about the layout: the header looks at so many.
  static constexpr std::size_t kFirstRows = 1002;
  static constexpr std::size_t kMostFirstBytes = std::size_t{64} << 20;

  CsvPieces(std::string path, int descriptor, const CsvOptions& options,
            std::size_t piece_bytes)
      : path_(std::move(path)),
        descriptor_(descriptor),
        guard_(descriptor),
        options_(options),
        piece_bytes_(piece_bytes) {}

  [[noreturn]] void refuse() const {
    throw DataError(path_, "cannot be read in pieces");
  }

  /// \returns false if more than the first rows may decide about the layout
  [[nodiscard]] bool find_layout() {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      return false;
    }
    file_bytes_ = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
    if (file_bytes_ < 2 * piece_bytes_) return false;
    const std::string first = read_first_rows();
    if (first.empty() || !detail::is_plain_csv(path_, first)) return false;
    const std::string_view text = detail::without_byte_order_mark(first);
    layout_ = detail::CsvLayoutFinder(text, path_, options_).find();
    return layout_.num_features == options_.num_expected_features() &&
           is_decided(text);
  }

  /// Reads whole lines from the start of the file.
  ///
  /// \returns an empty text if lines are too long
  [[nodiscard]] std::string read_first_rows() const {
    for (std::size_t size = piece_bytes_; size <= kMostFirstBytes; size *= 4) {
      std::string text(size, '\0');
      const ssize_t received =
          ::pread(descriptor_, text.data(), text.size(), 0);
      if (received < 0) return {};
      text.resize(static_cast<std::size_t>(received));
      const bool is_whole = text.size() < size;
      if (!is_whole) text.resize(text.find_last_of('\n') + 1);
      const detail::LineScan scan = detail::scan_lines(text);
      if (scan.is_suspect) return {};
      if (is_whole || scan.num_lines > kFirstRows) return text;
    }
    return {};
  }

  /// Returns true if no row behind the first ones can change the layout. Rows that
  /// follow may decide if numbers are a header, or what a column without a name is.
  ///
  /// \param text  the first rows
  [[nodiscard]] bool is_decided(std::string_view text) const {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool has_open_quote = std::count(line.begin(), line.end(), '"') % 2;
    if (options_.delimiter == 0 && has_open_quote) return false;
    const std::vector<std::string>& names = layout_.column_names;
    if (layout_.has_trailing_delimiter ||
        std::any_of(names.begin(), names.end(), detail::is_unnamed)) {
      return false;
    }
    if (options_.label_rule == LabelRule::kAbsent ||
        options_.header != HeaderRule::kAuto) {
      return true;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_name = look_of_field(names[i]) == FieldLook::kName;
      if (layout_.slots[i] >= 0 && is_name) return true;
    }
    return false;
  }

  /// Takes the next lines of the file.
  [[nodiscard]] bool take_text(Piece& piece) {
    const std::lock_guard lock(mutex_);
    std::string& text = piece.text_;
    text.swap(rest_);
    rest_.clear();
    std::size_t filled = text.size();
    std::size_t end = std::string::npos;
    while (!is_at_end_ && end == std::string::npos) {
      if (filled > kMaxLineBytes) refuse();
      fill(text, filled + piece_bytes_);
      end = is_at_end_ ? text.size() : text.rfind('\n');
      filled = text.size();
    }
    if (text.empty()) return false;
    if (!is_at_end_) {
      rest_.assign(text, end + 1);
      text.resize(end + 1);
    }
    piece.number_ = num_pieces_++;
    return true;
  }

  /// Reads up to a size, or to the end of the file.
  void fill(std::string& text, std::size_t size) {
    std::size_t filled = text.size();
    text.resize(size);
    while (filled < size && !is_at_end_) {
      const ssize_t received =
          mlp::read_some(descriptor_, &text[filled], size - filled);
      if (received < 0) refuse();
      filled += static_cast<std::size_t>(received);
      is_at_end_ = received == 0;
    }
    text.resize(filled);
  }

  void read_rows(Piece& piece) {
    const bool is_first = piece.number_ == 0;
    const std::string_view text =
        is_first ? detail::without_byte_order_mark(piece.text_) : piece.text_;
    const detail::LineScan scan = detail::scan_lines(text);
    const std::size_t num_headers = is_first && layout_.has_header ? 1 : 0;
    // A row has at least a byte per column, and one after each.
    const auto columns = static_cast<std::size_t>(layout_.num_columns());
    if (scan.is_suspect || scan.num_lines < num_headers ||
        2 * columns * scan.num_lines > text.size() + 1) {
      refuse();
    }
    const auto num_lines = static_cast<Index>(scan.num_lines - num_headers);
    prepare(piece, num_lines);
    detail::CsvRowReader rows(detail::TextPiece{text}, layout_,
                              piece.instances_, 0);
    if (num_headers != 0) rows.skip_record();
    while (rows.read_row()) {
    }
    // Other rows of a column of True and False may have other numbers.
    if (piece.instances_.rules.has_boolean()) refuse();
    // Those who read the file as a whole say how many lines they skip.
    if (rows.num_empty_lines() != 0) refuse();
    piece.num_rows_ = rows.next_row();
    piece.kept_ =
        detail::read_kept_columns(text, layout_, piece.instances_.data.lines);
    count(piece, piece.num_rows_ < num_lines);
  }

  /// Makes room for rows.
  void prepare(Piece& piece, Index num_rows) const {
    detail::CsvInstances& instances = piece.instances_;
    instances.labels_are_texts = true;
    if (instances.data.source.empty()) {
      instances.data.source = path_;
      instances.rules.set(layout_, options_, path_);
    }
    if (instances.rules.is_set()) refuse();
    if (instances.data.features.rows() != layout_.num_features ||
        instances.data.features.cols() < num_rows) {
      resize_anew(instances.data.features, layout_.num_features, num_rows);
    }
    instances.data.lines.clear();
    instances.data.label_texts.clear();
  }

  /// \param is_short  true if lines are no rows, as only the last ones may be
  void count(const Piece& piece, bool is_short) {
    const std::lock_guard lock(mutex_);
    num_rows_ += piece.num_rows_;
    if (!is_short) return;
    first_short_ = first_short_ < 0 ? piece.number_
                                    : std::min(first_short_, piece.number_);
  }

  std::string path_;
  int descriptor_;
  mlp::DescriptorGuard guard_;
  const CsvOptions& options_;
  std::size_t piece_bytes_;
  std::size_t file_bytes_ = 0;
  detail::CsvLayout layout_;

  std::mutex mutex_;  ///< of all below
  std::string rest_;  ///< read, but not yet a whole line
  bool is_at_end_ = false;
  Index num_pieces_ = 0;
  Index num_rows_ = 0;
  Index first_short_ = -1;  ///< the first piece with less rows than lines
};

}  // namespace mlp::datasets
