// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "../../../datasets/load/load.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"
#include "../arrow/arrow_file.hpp"

// Reading of folders name=value, and of vectors as texts, by load().
namespace mlp::datasets {

namespace fs = std::filesystem;
using test::InFolder;
using Names = std::vector<std::string>;

namespace {

/// Two files in folders that give a column.
void write_files(const test::ScratchFolder& folder, const std::string& first,
                 const std::string& second, const std::string& name = "n") {
  fs::create_directories(folder / "day=1");
  fs::create_directories(folder / "day=2");
  folder.write("day=1/" + name, first);
  folder.write("day=2/" + name, second);
}

/// Opens any file as a table in memory, of a number and a label.
LoadOptions with_tables() {
  LoadOptions options;
  options.open_arrow = [](const ArrowOpening& opening) -> OpenedArrow {
    const bool is_first = opening.path.find("day=1") != std::string::npos;
    const auto file = test::arrow_file(
        opening.path,
        {{test::ArrowColumn::doubles("x", {is_first ? 0.5 : 1.5, 2.5}),
          test::ArrowColumn::texts("y", {"a", "b"})}});
    return {file.open(opening.columns), 2};
  };
  return options;
}

}  // namespace

TEST_SUITE("datasets/load/folder_load") {
  TEST_CASE_FIXTURE(InFolder, "the value of a folder is the last feature") {
    write_files(folder, "x,y\n0.5,a\n", "x,y\n1.5,b\n2.5,a\n");

    const LoadedData loaded = load(folder.path());

    CHECK(loaded.dataset.feature_names == Names{"x", "day"});
    CHECK(loaded.dataset.label_name == "y");
    CHECK(loaded.dataset.features == Matrix{{0.5, 1.5, 2.5}, {1.0, 2.0, 2.0}});
  }

  TEST_CASE_FIXTURE(InFolder, "indices count the columns of the files") {
    write_files(folder, "id,features,w,y\n7,\"[1.0,2.0]\",3,5\n",
                "id,features,w,y\n8,\"(2,[],[])\",4,6\n");
    LoadOptions options;
    options.csv.ignored = {"0"};
    options.csv.weight = "2";
    options.csv.label = "-1";

    const LoadedData loaded = load(folder.path(), options);

    CHECK(loaded.dataset.feature_names ==
          Names{"features_0", "features_1", "day"});
    CHECK(loaded.dataset.label_name == "y");
    CHECK(loaded.dataset.labels == Vector{{5.0, 6.0}});
    CHECK(loaded.dataset.weights == Vector{{3.0, 4.0}});
  }

  TEST_CASE_FIXTURE(InFolder, "the last column of a file can be the label") {
    write_files(folder, "x,y\n0.5,3\n", "x,y\n1.5,4\n");
    LoadOptions options;
    options.csv.label = "-1";

    CHECK(load(folder.path(), options).dataset.label_name == "y");
  }

  TEST_CASE_FIXTURE(InFolder, "the value of a folder can be the label") {
    write_files(folder, "x,y\n0.5,1\n", "x,y\n1.5,2\n");
    LoadOptions options;
    options.csv.label = "day";

    const LoadedData loaded = load(folder.path(), options);

    CHECK(loaded.dataset.feature_names == Names{"x", "y"});
    CHECK(loaded.dataset.labels == Vector{{1.0, 2.0}});
  }

  TEST_CASE_FIXTURE(InFolder, "Arrow files get the same columns as CSV files") {
    write_files(folder, "PAR1", "PAR1");

    const LoadedData loaded = load(folder.path(), with_tables());

    CHECK(loaded.dataset.feature_names == Names{"x", "day"});
    CHECK(loaded.dataset.label_texts == Names{"a", "b", "a", "b"});
    CHECK(loaded.dataset.features ==
          Matrix{{0.5, 2.5, 1.5, 2.5}, {1.0, 1.0, 2.0, 2.0}});
  }

  TEST_CASE_FIXTURE(InFolder,
                    "texts of folders of Arrow files are categories") {
    write_files(folder, "PAR1", "PAR1");
    fs::rename(folder / "day=2", folder / "day=__HIVE_DEFAULT_PARTITION__");
    fs::rename(folder / "day=1", folder / "day=a long text for a value");
    LoadOptions options = with_tables();
    options.csv.features = {"day"};
    options.csv.use_preset(false, false, false);

    const LoadedData loaded = load(folder.path(), options);

    REQUIRE(loaded.dataset.columns.size() == 1);
    CHECK(loaded.dataset.columns[0].categories ==
          Names{"a long text for a value"});
    CHECK(loaded.missing.num_values == 2);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "a column of Arrow files and folders is refused") {
    write_files(folder, "PAR1", "PAR1");
    fs::create_directories(folder / "t/x=1");
    folder.write("t/x=1/n", "PAR1");

    CHECK(test::thrown_message<DataError>(
              [&] { return load(folder / "t", with_tables()); }) ==
          (folder / "t/x=1/n") +
              ": the column 'x' is in the file, and in the name of its folder; "
              "expected it once; rename one of them");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "formats without columns are refused in folders") {
    write_files(folder, "0 1:2.5\n", "1 1:3\n");

    CHECK(
        test::thrown_message<DataError>([&] { return load(folder.path()); }) ==
        (folder / "day=1/n") +
            ": is a LIBSVM file, which cannot have the columns of folders, "
            "'day'; expected tables; name the folders that have the files");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "a pattern leaves out the columns that it crosses") {
    write_files(folder, "x,y\n0.5,a\n", "x,y\n1.5,b\n");

    const LoadedData loaded = load(folder / "*/n");

    CHECK(loaded.dataset.feature_names == Names{"x"});
    CHECK(loaded.left_out_folders == Names{"day"});
    CHECK(describe_left_out_folders(loaded) ==
          (folder / "*/n") +
              ": the folders in the given paths name the column 'day', which "
              "the rows do not get; give the folder above them alone to read "
              "it");
  }

  TEST_CASE_FIXTURE(InFolder,
                    "files that a shell makes of a pattern leave them out") {
    write_files(folder, "x,y\n0.5,a\n", "x,y\n1.5,b\n");
    const Names files{folder / "day=1/n", folder / "day=2/n"};
    const Names folders{folder / "day=1", folder / "day=2"};

    for (const Names& given : {files, folders}) {
      const LoadedData loaded = load(given);

      CHECK(loaded.dataset.feature_names == Names{"x"});
      CHECK(loaded.left_out_folders == Names{"day"});
    }
    CHECK(load(files.front()).left_out_folders.empty());
  }

  TEST_CASE_FIXTURE(InFolder, "files larger than memory get the same columns") {
    std::string rows = "label;v\n";
    for (int i = 0; i < 3000; ++i) {
      rows += std::to_string(i % 2) + ";[" + std::to_string(i) + ".5,2.0]\n";
    }
    write_files(folder, rows, rows);
    LoadOptions options;

    const LoadedData in_memory = load(folder.path(), options);
    options.store = {fs::current_path().string(), 1.0};
    const LoadedData stored = load(folder.path(), options);

    REQUIRE(stored.stored.has_value());
    CHECK(stored.dataset.feature_names == Names{"v_0", "v_1", "day"});
    CHECK(stored.dataset.feature_names == in_memory.dataset.feature_names);
    CHECK(stored.dataset.labels == in_memory.dataset.labels);
    Matrix features(3, 0);
    stored.dataset.visit_features([&](Index first, const auto& some) {
      features.conservativeResize(3, first + some.cols());
      features.rightCols(some.cols()) = some;
    });
    CHECK(features == in_memory.dataset.features);
  }

  TEST_CASE_FIXTURE(InFolder, "wide sparse vectors are read part by part") {
    std::string rows = "label;v\n";
    for (int i = 0; i < 60; ++i) {
      rows += std::to_string(i % 2) + ";(300000,[" + std::to_string(i) +
              "],[1.0])\n";
    }
    LoadOptions options;
    options.csv.label = "label";
    options.store = {fs::current_path().string(), 1.0};

    const LoadedData stored = load(folder.write("a.csv", rows), options);

    REQUIRE(stored.stored.has_value());
    CHECK(stored.dataset.num_instances() == 60);
    CHECK(stored.stored->needed_bytes > 60 * 300000 * 8.0);
    CHECK(stored.dataset.num_features() == 300000);
  }

  TEST_CASE_FIXTURE(InFolder, "an error in rows with vectors names its line") {
    const std::string path =
        folder.write("a.csv", "y;v\n0;[1.0,2.0]\n1;[Infinity,2.0]\n");

    CHECK(test::thrown_message<DataError>([&] { return load(path); }) ==
          path + ":3: expected a number in column 'v_0', got 'Infinity'");
  }
}

}  // namespace mlp::datasets
