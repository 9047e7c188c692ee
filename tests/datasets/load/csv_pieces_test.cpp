// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/csv_pieces.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <memory>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../core/files/atomic_file.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::datasets {

namespace {

using test::ScratchFolder;

constexpr std::size_t kPieceBytes = 40;
constexpr Index kNumRows = 2000;

CsvOptions of_width(Index num_features) {
  CsvOptions options;
  options.num_features = num_features;
  options.label_rule = LabelRule::kAbsent;
  return options;
}

std::string make_rows(const std::string& first = "") {
  std::string text = first;
  for (Index i = 0; i < kNumRows; ++i) {
    text += std::to_string(i) + ',' + std::to_string(i % 7) + ".5\n";
  }
  return text;
}

/// A file of rows, and what its pieces have.
struct File {
  explicit File(const std::string& text, CsvOptions with = of_width(2))
      : path(folder / "rows.csv"), options(std::move(with)) {
    replace_file<DataError>(path, text);
    pieces = CsvPieces::open(path, options, kPieceBytes);
  }

  /// Reads all pieces, in their order.
  Index read() {
    CsvPieces::Piece piece;
    while (pieces->next(piece)) {
      CHECK(piece.number() == num_pieces++);
      for (Index j = 0; j < piece.features().cols(); ++j) {
        rows.emplace_back(piece.features().col(j));
      }
      for (const auto& column : piece.kept()) {
        kept.insert(kept.end(), column.texts.begin(), column.texts.end());
      }
    }
    return pieces->finish();
  }

  /// Reads all pieces, and compares them with what load() reads.
  void check_equal_to_load() {
    const LoadedData loaded = load(path, {options, {}, 1.0, {}});
    REQUIRE(pieces != nullptr);
    CHECK(read() == loaded.dataset.num_instances());
    CHECK(num_pieces > 100);
    REQUIRE(static_cast<Index>(rows.size()) == loaded.dataset.num_instances());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i] == loaded.dataset.features.col(static_cast<Index>(i)));
    }
    if (!kept.empty()) CHECK(kept == loaded.kept.at(0).texts);
    CHECK(pieces->description().has_header == loaded.has_header);
    CHECK(pieces->description().guesses == loaded.guesses);
  }

  ScratchFolder folder;
  std::string path;
  CsvOptions options;
  std::unique_ptr<CsvPieces> pieces;
  std::vector<Vector> rows;
  std::vector<std::string> kept;
  Index num_pieces = 0;
};

}  // namespace

TEST_SUITE("datasets/load/csv_pieces") {
  TEST_CASE("reads the rows that load reads") {
    File(make_rows()).check_equal_to_load();
  }

  TEST_CASE("reads rows behind a header that fills pieces of its own") {
    const std::string name(5 * kPieceBytes, 'n');

    File(make_rows(name + ",b\n")).check_equal_to_load();
  }

  TEST_CASE("opens no pipe, whose writer would lose what it wrote") {
    const ScratchFolder folder;
    const std::string path = folder / "pipe.csv";
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const CsvOptions options = of_width(2);

    CHECK(CsvPieces::open(path, options, kPieceBytes) == nullptr);
  }

  TEST_CASE("leaves the choice of a delimiter behind an open quote to load") {
    CsvOptions options = of_width(2);
    options.header = HeaderRule::kYes;

    CHECK(File(make_rows("a\"x,b\n"), options).pieces == nullptr);
    File(make_rows("a,b\n")).check_equal_to_load();
    File(make_rows("\xEF\xBB\xBF"
                   "a,b\r\n") +
         "7,8")
        .check_equal_to_load();
    File(make_rows() + "\n\n").check_equal_to_load();
  }

  TEST_CASE("reads chosen columns and kept texts") {
    CsvOptions options = of_width(1);
    options.feature_names = {"b"};
    options.kept = {"a"};
    File(make_rows("a,b\n"), options).check_equal_to_load();
  }

  TEST_CASE("leaves out a label of any kind") {
    CsvOptions options = of_width(1);
    options.label = "a";
    options.label_rule = LabelRule::kRequired;
    options.label_as_text = true;
    File(make_rows("a,b\nno number,1\n"), options).check_equal_to_load();
  }

  TEST_CASE("opens no file that needs to be read as a whole") {
    CHECK(File("1,2\n").pieces == nullptr);
    CHECK(File(make_rows("a,b,c\n")).pieces == nullptr);
    CHECK(File(make_rows("\"a\",\"\"\n")).pieces == nullptr);
    CsvOptions missing = of_width(2);
    missing.missing = MissingRule::kDrop;
    CHECK(File(make_rows(), missing).pieces == nullptr);
    const CsvOptions options = of_width(2);
    CHECK(CsvPieces::open("/dev/null", options) == nullptr);
    CHECK(CsvPieces::open("-", options) == nullptr);
    CHECK(CsvPieces::open("/no/such/file.csv", options) == nullptr);
  }

  TEST_CASE("refuses rows that load reads in another way or refuses") {
    for (const std::string rest :
         {"1,x\n", "1\n", "1,2,3\n", "\n1,2\n", "1,\"2\n\"\n", "1,\n"}) {
      CAPTURE(rest);
      File file(make_rows() + rest + make_rows());
      REQUIRE(file.pieces != nullptr);

      CHECK_THROWS_AS(file.read(), DataError);
    }
    File nul(make_rows() + std::string("1,\0002\n", 5) + make_rows());
    CHECK_THROWS_AS(nul.read(), DataError);
  }
}

}  // namespace mlp::datasets
