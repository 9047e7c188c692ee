// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/data_files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"

namespace fs = std::filesystem;
using mlp::DataError;
using mlp::ParamError;
using mlp::datasets::find_data_files;
using mlp::test::ScratchFolder;

namespace {

using Paths = std::vector<std::string>;

/// A folder as Spark writes it.
void write_parts(const ScratchFolder& folder) {
  for (const char* name :
       {"part-1.csv", "part-0.csv", "_metadata", ".part.crc"}) {
    folder.write(name, "1,2\n");
  }
  for (const char* name : {"_SUCCESS", "part-2.csv"}) folder.write(name, "");
}

}  // namespace

TEST_SUITE("datasets/load/data_files") {
  TEST_CASE("lists the data files of a folder by their names") {
    const ScratchFolder folder;
    write_parts(folder);

    const auto files = find_data_files({folder.path()});

    CHECK(files.paths == Paths{folder / "part-0.csv", folder / "part-1.csv"});
    CHECK(files.name == folder.path());
    CHECK(find_data_files({folder.path() + '/'}).paths == files.paths);
  }

  TEST_CASE("lists the data files of a pattern by their names") {
    const ScratchFolder folder;
    write_parts(folder);

    CHECK(find_data_files({folder / "*"}).paths ==
          Paths{folder / "part-0.csv", folder / "part-1.csv"});
    CHECK(find_data_files({folder / "part-[01].csv"}).name ==
          folder / "part-[01].csv");
    CHECK(find_data_files({folder / "_met*"}).name == folder / "_metadata");
  }

  TEST_CASE("takes a path that exists for a name and no pattern") {
    const ScratchFolder folder;
    write_parts(folder);
    const std::string named = folder.write("part-*.csv", "1\n");

    CHECK(find_data_files({named}).paths == Paths{named});
  }

  TEST_CASE("sorts files that are given one by one, and keeps missing ones") {
    CHECK(find_data_files({"c.csv", "a.csv", "b.csv"}).paths ==
          Paths{"a.csv", "b.csv", "c.csv"});
    CHECK(find_data_files({"c.csv", "a.csv", "b.csv"}).name ==
          "a.csv and 2 more files");
    CHECK(find_data_files({"b.csv", "a.csv"}).name == "a.csv and b.csv");
    CHECK(find_data_files({"-"}).paths == Paths{"-"});
  }

  TEST_CASE("refuses standard input beside other data, and no path") {
    CHECK_THROWS_WITH_AS(
        find_data_files({"a.csv", "-"}),
        "standard input must be the only data, got '-' and 1 other path",
        ParamError);
    CHECK_THROWS_WITH_AS(find_data_files({}),
                         "paths must be at least one file; got none",
                         ParamError);
  }

  TEST_CASE("refuses a file that is given twice, also by another name") {
    const ScratchFolder folder;
    const std::string file = folder.write("a.csv", "1\n");
    fs::create_symlink(file, folder / "b.csv");

    CHECK_THROWS_WITH_AS(find_data_files({file, file}),
                         doctest::Contains("a.csv: is the same file as "),
                         DataError);
  }

  TEST_CASE("refuses a folder without data") {
    const ScratchFolder folder;
    folder.write("_SUCCESS", "");

    CHECK_THROWS_WITH_AS(
        find_data_files({folder.path()}),
        (folder.path() + ": the folder has no data file; expected a file that "
                         "is not empty and whose name does not begin with '_' "
                         "or '.'")
            .c_str(),
        DataError);
    CHECK_THROWS_AS(find_data_files({folder / "*.csv"}), DataError);
  }

  TEST_CASE("refuses a folder in a folder, and says if it is a partition") {
    const ScratchFolder folder;
    folder.write("a.csv", "1\n");
    fs::create_directory(folder / "_temporary");
    CHECK(find_data_files({folder.path()}).paths.size() == 1);

    fs::create_directory(folder / "day=1");
    CHECK_THROWS_WITH_AS(
        find_data_files({folder.path()}),
        doctest::Contains("day=1: is a folder of a partition, whose value"),
        DataError);
    fs::remove(folder / "day=1");
    fs::create_directory(folder / "old");
    CHECK_THROWS_WITH_AS(find_data_files({folder / "*"}),
                         doctest::Contains("old: is a folder; expected data"),
                         DataError);
  }

  TEST_CASE("refuses a pipe in a folder, which could wait for ever") {
    const ScratchFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

    CHECK_THROWS_WITH_AS(find_data_files({folder.path()}),
                         doctest::Contains("pipe: is no regular file"),
                         DataError);
  }
}
