// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/data_files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
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

/// Two files in folders of two levels.
void write_days(const ScratchFolder& folder) {
  fs::create_directories(folder / "day=1/a=b");
  fs::create_directories(folder / "day=02/a=%2F");
  folder.write("day=1/a=b/0.csv", "1\n");
  folder.write("day=02/a=%2F/_x=y.csv", "1\n");
  folder.write("day=02/a=%2F/_SUCCESS", "");
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

  TEST_CASE("refuses a folder in a folder") {
    const ScratchFolder folder;
    folder.write("a.csv", "1\n");
    fs::create_directory(folder / "_temporary");
    CHECK(find_data_files({folder.path()}).paths.size() == 1);

    fs::create_directory(folder / "old");
    CHECK_THROWS_WITH_AS(find_data_files({folder.path()}),
                         doctest::Contains("old: is a folder; expected data"),
                         DataError);
  }

  TEST_CASE("folders name=value give columns, over several levels") {
    const ScratchFolder folder;
    write_days(folder);

    const auto files = find_data_files({folder.path()});

    CHECK(files.paths ==
          Paths{folder / "day=02/a=%2F/_x=y.csv", folder / "day=1/a=b/0.csv"});
    CHECK(files.columns.names == Paths{"day", "a"});
    CHECK(files.columns.values ==
          std::vector<std::vector<std::optional<std::string>>>{{"2", "/"},
                                                               {"1", "b"}});
    CHECK(files.left_out_columns.empty());
  }

  TEST_CASE(
      "a column is below the given path, and below what a pattern matches") {
    const ScratchFolder folder;
    write_days(folder);

    const auto one = find_data_files({folder / "day=1"});
    const auto matched = find_data_files({folder / "day=*"});
    const auto across = find_data_files({folder / "*/*/*.csv"});

    CHECK(one.columns.names == Paths{"a"});
    CHECK(one.left_out_columns.empty());
    CHECK(matched.columns.names == Paths{"a"});
    CHECK(matched.left_out_columns == Paths{"day"});
    CHECK(across.columns.names.empty());
    CHECK(across.left_out_columns == Paths{"day", "a"});
  }

  TEST_CASE("refuses folders that disagree about the columns") {
    const ScratchFolder folder;
    write_days(folder);
    folder.write("day=1/0.csv", "1\n");

    CHECK_THROWS_WITH_AS(
        find_data_files({folder.path()}),
        (folder / "day=1/0.csv: its folders name the columns 'day', but those "
                  "of " +
         (folder / "day=02/a=%2F/_x=y.csv") +
         " name 'day', 'a'; expected the same folders name=value, in the same "
         "order, above all files")
            .c_str(),
        DataError);
  }

  TEST_CASE("refuses a name that occurs twice in a path, so that links end") {
    const ScratchFolder folder;
    fs::create_directory(folder / "day=1");
    fs::create_directory_symlink(folder.path(), folder / "day=1/link=1");

    CHECK_THROWS_WITH_AS(
        find_data_files({folder.path()}),
        doctest::Contains("is a folder in another one with a value of 'day'"),
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
