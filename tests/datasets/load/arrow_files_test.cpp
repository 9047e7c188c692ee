// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/arrow_files.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../../datasets/load/load.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets {

namespace {

std::string refusal(const std::string& path, const CsvOptions& csv = {}) {
  LoadOptions options;
  options.csv = csv;
  return test::thrown_message<DataError>([&] { return load(path, options); });
}

}  // namespace

TEST_SUITE("datasets/load/arrow_files") {
  TEST_CASE("without the plugin, a file is refused with what adds it") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("a.parquet", "PAR1 and the rest");
    const auto beside =
        std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string sentence =
        path +
        ": expected CSV, LIBSVM, idx or .npy, got a Parquet file, which a "
        "plugin reads, and there is no file " +
        (beside / "libmlp_arrow.so").string() + " or " +
        (beside.parent_path() / "libexec/mlp/libmlp_arrow.so").string() +
        "; run scripts/install-deps parquet and build again, read the file in "
        "Python with mlp.read_parquet, or convert it";

    CHECK(refusal(path) == sentence);
  }

  TEST_CASE("options about the lines of a text are refused first") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("a.parquet", "PAR1 and the rest");
    CsvOptions options;
    options.delimiter = ';';

    CHECK(refusal(path, options) ==
          path +
              ": a delimiter needs a CSV or TSV file, got a Parquet file; "
              "leave the option out");
  }

  TEST_CASE("files of other formats beside it are refused") {
    const test::ScratchFolder folder;
    const std::string first = folder.write("a.parquet", "PAR1");
    const std::string second = folder.write("b.parquet", "x,y\n1,2\n");

    CHECK(test::thrown_message<DataError>([&] {
            return load(std::vector<std::string>{first, second});
          }) == second + ": is not a Parquet file, but " + first +
                    " is a Parquet file; expected files of one format");
    const std::string table = folder.write("a.csv", "x,y\n1,2\n");
    CHECK(test::thrown_message<DataError>([&] {
            return load(std::vector<std::string>{table, first});
          }) == first + ": is a Parquet file, but " + table +
                    " is not a Parquet file; expected files of one format");
  }
}

}  // namespace mlp::datasets
