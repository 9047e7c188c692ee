// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/csv/csv_parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets::detail {

namespace {

/// "NAME:FIRST LINE:TEXT" for each part; a + in front of those that continue a file.
std::vector<std::string> parts_of(CsvParts& parts) {
  ThreadPool pool(1);
  std::vector<std::string> found;
  while (const FileInPieces* part = parts.next(pool)) {
    const std::string& path = part->source.name;
    found.push_back((part->is_continued ? "+" : "") +
                    path.substr(path.rfind('/') + 1) + ':' +
                    std::to_string(part->pieces.front().first_line) + ':' +
                    std::string(part->text));
  }
  return found;
}

using Parts = std::vector<std::string>;

}  // namespace

TEST_SUITE("datasets/csv/csv_parts") {
  TEST_CASE("cuts files at the ends of lines") {
    const test::ScratchFolder folder;
    CsvParts parts(
        {folder.write("a", "x,y\n1,2\n3,4\n"), folder.write("b", "5,6\n7,8")},
        6);

    CHECK(parts_of(parts) ==
          Parts{"a:1:x,y\n", "+a:2:1,2\n3,4\n", "b:1:5,6\n", "+b:2:7,8"});
    CHECK(parts.sources()[1].lines_before == 3);
    parts.restart();
    CHECK(parts_of(parts).size() == 4);
    CHECK(parts.sources()[1].lines_before == 3);
  }

  TEST_CASE("does not cut a field in quotes") {
    const test::ScratchFolder folder;
    CsvParts parts({folder.write("a", "\"1\n2\n3\",4\n5,6\n")}, 4);

    CHECK(parts_of(parts) == Parts{"a:1:\"1\n2\n3\",4\n", "+a:4:5,6\n"});
  }

  TEST_CASE("takes few rows, and does not cut them in quotes") {
    CHECK(first_rows("1\n2\n3\n", 2) == "1\n2\n");
    CHECK(first_rows("1\n2\n3", 5) == "1\n2\n3");
    CHECK(first_rows("1\n2\n", 0) == "1\n");
    CHECK(first_rows("\"1\n2\"\n3\n", 1) == "\"1\n2\"\n");
    CHECK(first_rows("\"1\n2\"\n3\n", 1, false) == "\"1\n");
    CHECK(first_rows("", 1).empty());
  }

  TEST_CASE("cuts rows of large vectors by their elements") {
    const test::ScratchFolder folder;
    const std::size_t size = CsvParts::kPartElements / 2;
    const std::string row = "(" + std::to_string(size / 2) + ",[],[]);1\n";
    const std::string text = "v;y\n" + row + row + row + row + row;
    const std::vector<TextFile> files{{"a", text}};
    const FolderColumns folders;
    const CsvExpansion expansion(files, folders, {});
    CsvParts parts({folder.write("a", text)}, 1000, &expansion);
    ThreadPool pool(1);
    std::vector<std::size_t> lines;
    while (const FileInPieces* part = parts.next(pool)) {
      lines.push_back(part->pieces.front().first_line);
      CHECK(part->text.size() < 3 * CsvParts::kPartElements + 20 * size);
    }

    CHECK(lines == std::vector<std::size_t>{1, 5});
    parts.restart();
    CHECK(parts.next(pool)->pieces.front().first_line == 1);
  }

  TEST_CASE("finds the last line end that is not in quotes") {
    CHECK(end_outside_quotes("1,2\n3,4") == 4);
    CHECK(end_outside_quotes("1,2") == std::string::npos);
    CHECK(end_outside_quotes("a\n\"b\nc") == 2);
    CHECK(end_outside_quotes("a,\"b\nc\"\nd") == 8);
    CHECK(end_outside_quotes("a,\"b\"\"\nc\"\nd") == 10);
    CHECK(end_outside_quotes("5\" pipe,1\n\"x\ny\",2\n3") == 18);
    CHECK(end_outside_quotes("a, \"b\nc\"\nd") == 9);
  }

  TEST_CASE("refuses a file that changes between two passes") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("a", "x\n1\n");
    CsvParts parts({path});
    parts_of(parts);
    folder.write("a", "y\n1\n2\n");
    parts.restart();

    CHECK(test::thrown_message<DataError>([&] {
            parts_of(parts);
          }).find("a: was changed while it was read") != std::string::npos);
  }

  TEST_CASE("leaves out a byte order mark") {
    const test::ScratchFolder folder;
    CsvParts parts({folder.write("a", "\xEF\xBB\xBFx\n1\n")}, 100);

    CHECK(parts_of(parts) == Parts{"a:1:x\n1\n"});
  }

  TEST_CASE("names the line of a NUL byte in the file") {
    const test::ScratchFolder folder;
    CsvParts parts({folder.write("a", std::string("1\n2\n3\0\n", 8))}, 4);

    const std::string message =
        test::thrown_message<DataError>([&] { parts_of(parts); });

    CHECK(message.find("a:3:2: there is a NUL byte") != std::string::npos);
  }

  TEST_CASE("names a file that is not there") {
    CsvParts parts({PartFile("/none")});

    CHECK(test::thrown_message<DataError>([&] { parts_of(parts); }) ==
          "/none: cannot be opened: No such file or directory");
  }
}

}  // namespace mlp::datasets::detail
