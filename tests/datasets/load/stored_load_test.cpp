// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/stored_load.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../../datasets/column_features.hpp"
#include "../../../datasets/load/load.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::datasets {

namespace {

/// A table of numbers, texts and missing values, with weights and texts as labels.
std::string make_table(int first, int last) {
  std::string text = "id,size,color,flag,none,weight,class\n";
  for (int i = first; i < last; ++i) {
    const std::string number = std::to_string(i);
    text += number + ',' + (i % 11 == 0 ? "" : number + ".5") + ',' +
            (i % 7 == 0   ? "\"blue, or\nnot\""
             : i % 3 == 0 ? "red"
                          : "green") +
            ',' + (i % 2 == 0 ? "True" : "False") + ",," +
            std::to_string(i % 4) + ',' + (i % 5 == 0 ? "a" : "b") + '\n';
  }
  return text;
}

CsvOptions preset_options(int num_threads) {
  CsvOptions options;
  options.weight = "weight";
  options.use_preset(false, false, false);
  options.num_threads = num_threads;
  return options;
}

/// Reads files part by part.
LoadedData store(const std::vector<std::string>& paths,
                 const CsvOptions& options, const std::string& folder,
                 std::size_t part_bytes = 400) {
  detail::PlainFiles files{"data", {}, 1e6, {}, {}};
  files.files.assign(paths.begin(), paths.end());
  auto stored =
      detail::store_csv_files(files, options, {folder, 1.0}, part_bytes);
  REQUIRE(stored.has_value());
  return {std::move(stored->table), {}, stored->note, {}};
}

LoadOptions in_memory(const CsvOptions& csv) {
  LoadOptions options;
  options.csv = csv;
  return options;
}

void check_equal(const LoadedData& stored, const LoadedData& loaded) {
  const Dataset& a = stored.dataset;
  const Dataset& b = loaded.dataset;
  REQUIRE(a.stored != nullptr);
  REQUIRE(a.num_features() == b.num_features());
  REQUIRE(a.num_instances() == b.num_instances());
  const Matrix features = a.first_features(a.num_instances());
  for (Index i = 0; i < features.size(); ++i) {
    const double x = features.data()[i];
    const double y = b.features.data()[i];
    REQUIRE((x == y || (std::isnan(x) && std::isnan(y))));
  }
  CHECK(a.labels == b.labels);
  CHECK(a.label_texts == b.label_texts);
  CHECK(a.label_spellings == b.label_spellings);
  CHECK(a.weights == b.weights);
  CHECK(a.lines == b.lines);
  CHECK(a.feature_names == b.feature_names);
  CHECK(a.label_name == b.label_name);
  REQUIRE(a.columns.size() == b.columns.size());
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    CHECK(a.columns[i].categories == b.columns[i].categories);
  }
  CHECK(stored.missing.of_features == loaded.missing.of_features);
  CHECK(stored.missing.num_rows == loaded.missing.num_rows);
  REQUIRE(stored.left_out.size() == loaded.left_out.size());
  for (std::size_t i = 0; i < stored.left_out.size(); ++i) {
    CHECK(stored.left_out[i].sentence == loaded.left_out[i].sentence);
  }
  CHECK(a.place_of(50).file.empty() == b.place_of(50).file.empty());
  CHECK(a.place_of(50).position.line == b.place_of(50).position.line);
}

std::string npy(const std::string& type, int rows, int columns,
                const std::string& values) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
      std::to_string(rows) + ", " + std::to_string(columns) + ")}\n";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(header.size());
  return bytes + '\0' + header + values;
}

}  // namespace

TEST_SUITE("datasets/load/stored_load") {
  TEST_CASE("a table read in parts is that read into memory") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("t.csv", make_table(0, 300));
    for (const int num_threads : {1, 3}) {
      const CsvOptions options = preset_options(num_threads);

      check_equal(store({path}, options, folder.path()),
                  load(path, in_memory(options)));
    }
  }

  TEST_CASE("so are several files") {
    const test::ScratchFolder folder;
    const std::vector<std::string> paths = {
        folder.write("a.csv", make_table(0, 40)),
        folder.write("b.csv", make_table(40, 300))};
    const CsvOptions options = preset_options(2);

    const LoadedData stored = store(paths, options, folder.path());

    check_equal(stored, load(paths, in_memory(options)));
    CHECK(stored.dataset.place_of(50).file == paths[1]);
  }

  TEST_CASE("the columns do not depend on the place of features") {
    const test::ScratchFolder folder;
    std::string text = "a,b,y\n";
    for (int i = 0; i < 12000; ++i) {
      text += std::to_string(i % 9) + ",2," + std::to_string(i % 2) +
              (i < 9000 ? ",\n" : ",note\n");
    }
    const std::string path = folder.write("t.csv", text);
    const std::string refused = test::thrown_message<DataError>(
        [&] { static_cast<void>(load(path, {})); });

    CHECK(refused != "");
    CHECK(test::thrown_message<DataError>([&] {
            static_cast<void>(store({path}, {}, folder.path()));
          }) == refused);
  }

  TEST_CASE("numbers without quotes are read by several threads") {
    const test::ScratchFolder folder;
    std::string text = "x,y,label\n";
    for (int i = 0; i < 5000; ++i) {
      text += std::to_string(i % 13) + ',' + std::to_string(0.5 * i) + ',' +
              std::to_string(i % 3) + ".0\n";
      if (i % 1000 == 999) text += '\n';
    }
    const std::string path = folder.write("t.csv", text);
    CsvOptions options;
    options.num_threads = 3;

    const LoadedData stored = store({path}, options, folder.path(), 3000);

    const LoadedData loaded = load(path, in_memory(options));
    check_equal(stored, loaded);
    CHECK(stored.dataset.label_spellings.size() == 3);
    CHECK(stored.num_empty_lines == 4);
    CHECK(loaded.num_empty_lines == 4);
  }

  TEST_CASE("rows with missing values are left out") {
    const test::ScratchFolder folder;
    std::string text = "x,y,label\n";
    for (int i = 0; i < 500; ++i) {
      text += std::to_string(i) + ',' + (i % 9 == 0 ? "NA" : "2") + ',' +
              (i % 10 == 0 ? "" : std::to_string(i % 2)) + '\n';
    }
    const std::string path = folder.write("t.csv", text);
    CsvOptions options;
    options.missing = MissingRule::kDrop;

    check_equal(store({path}, options, folder.path()),
                load(path, in_memory(options)));
  }

  TEST_CASE("columns become the same features") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("t.csv", make_table(0, 300));
    const CsvOptions options = preset_options(1);
    Dataset stored = store({path}, options, folder.path()).dataset;
    Dataset loaded = load(path, in_memory(options)).dataset;
    const ColumnFeatureRules rules{true, true};
    std::vector<InputColumn> columns = choose_features(loaded, rules);
    REQUIRE(has_same_categories(columns, choose_features(stored, rules)));
    for (Dataset* data : {&stored, &loaded}) {
      recode(*data, columns);
      fit_missing_values(*data, columns);
      encode(*data, columns);
    }

    CHECK(stored.num_features() == loaded.num_features());
    CHECK(stored.first_features(300) == loaded.features);
    CHECK(stored.feature_names == loaded.feature_names);
  }

  TEST_CASE("an error names the line of the file") {
    const test::ScratchFolder folder;
    std::string text = "x,label\n";
    for (int i = 0; i < 500; ++i) text += "1,0\n";
    const std::string path = folder.write("t.csv", text + "odd,0\n1,1\n");

    CHECK(test::thrown_message<DataError>([&] {
            store({path}, {}, folder.path());
          }).find(path + ":502:1: ") == 0);
  }

  TEST_CASE("arrays are stored without rounding") {
    const test::ScratchFolder folder;
    std::string bytes;
    for (int i = 0; i < 600; ++i) bytes += static_cast<char>(i % 251);
    std::string floats;
    for (int i = 0; i < 600; ++i) {
      const float x = 0.1F * static_cast<float>(i);
      floats.append(reinterpret_cast<const char*>(&x), sizeof x);
    }
    const std::string idx("\0\0\x08\2\0\0\0\xC8\0\0\0\3", 12);
    for (const std::string& path :
         {folder.write("a.npy", npy("|u1", 200, 3, bytes)),
          folder.write("b.npy", npy("<f4", 200, 3, floats)),
          folder.write("c.idx", idx + bytes)}) {
      CAPTURE(path);
      LoadOptions options;
      const Matrix expected = load(path, options).dataset.features;
      options.store = {folder.path(), 10.0};

      const LoadedData stored = load(path, options);

      REQUIRE(stored.dataset.stored != nullptr);
      CHECK(stored.dataset.first_features(200) == expected);
      CHECK(stored.stored->needed_bytes == 4800.0);
    }
  }

  TEST_CASE("a number that is not finite is refused by its row") {
    const test::ScratchFolder folder;
    std::string floats(200 * 3 * sizeof(float), '\0');
    const float x = HUGE_VALF;
    floats.replace(8 * sizeof x, sizeof x, reinterpret_cast<const char*>(&x),
                   sizeof x);
    LoadOptions options;
    options.store = {folder.path(), 10.0};
    const std::string path = folder.write("a.npy", npy("<f4", 200, 3, floats));

    CHECK(
        test::thrown_message<DataError>([&] { return load(path, options); }) ==
        path +
            ": expected finite numbers, got Infinity in row 3, column 3 "
            "(both counted from 1)");
  }

  TEST_CASE("data that fit stay in memory") {
    const test::ScratchFolder folder;
    LoadOptions options;
    options.store = {folder.path(), 1e6};
    const std::string path = folder.write("t.csv", "x,label\n1,0\n2,1\n");

    CHECK(load(path, options).dataset.stored == nullptr);
  }

  TEST_CASE("files that need all rows at once are read into memory") {
    const test::ScratchFolder folder;
    LoadOptions options;
    options.store = {folder.path(), 1.0};

    CHECK(load(folder.write("t.csv", "x,label\r1,0\r2,1\r"), options)
              .dataset.stored == nullptr);
  }

  TEST_CASE("kept columns are read in one more pass") {
    const test::ScratchFolder folder;
    const std::vector<std::string> paths = {
        folder.write("a.csv", make_table(0, 40)),
        folder.write("b.csv", make_table(40, 300))};
    CsvOptions options = preset_options(2);
    options.missing = MissingRule::kDrop;
    options.kept = {"id", "color"};
    const LoadedData expected = load(paths, in_memory(options));

    const LoadedData stored = store(paths, options, folder.path());

    REQUIRE(stored.kept.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(stored.kept[i].name == expected.kept[i].name);
      CHECK(stored.kept[i].texts == expected.kept[i].texts);
    }
  }

  TEST_CASE("groups and targets are those of a table in memory") {
    const test::ScratchFolder folder;
    const std::string path = folder.write("t.csv", make_table(0, 300));
    LoadOptions options;
    options.csv.use_preset(false, false, false);
    options.csv.group = "id";
    options.csv.label = "class";
    const LoadedData expected = load(path, options);
    options.store = {folder.path(), 1.0};

    const LoadedData stored = load(path, options);

    REQUIRE(stored.dataset.stored != nullptr);
    CHECK(stored.dataset.groups == expected.dataset.groups);
    CHECK(stored.kept.empty());
  }

  TEST_CASE("files of several kinds are read into memory") {
    const test::ScratchFolder folder;
    LoadOptions options;
    options.store = {folder.path(), 1.0};
    const std::string csv = folder.write("a.csv", "x,label\n1,0\n2,1\n");
    const std::string wide("\xFF\xFEx\0,\0l\0\n\0", 10);

    CHECK(detail::CsvStarts::read({csv, folder.write("b.csv", wide)}) ==
          std::nullopt);
    CHECK(load(csv, options).dataset.stored != nullptr);
  }

  TEST_CASE("rows are counted by a sample of each file") {
    const test::ScratchFolder folder;
    const std::string wide(70000, '7');
    const auto starts = detail::CsvStarts::read(
        {folder.write("a.csv", "x,y\n"),
         folder.write("b.csv", "x,y\n1,\"2\n3\"\n4,5555\n"),
         folder.write("c.csv", "x,y\n" + wide + ",1\n2,3\n")});
    REQUIRE(starts.has_value());
    CsvOptions options;
    options.label_rule = LabelRule::kAbsent;
    const detail::CsvLayout layout =
        detail::find_layout(starts->files, options);

    CHECK(starts->texts[2].size() > 70000);
    CHECK(starts->count_rows(7002400.0, layout) > 300.0);
    CHECK(starts->count_rows(7002400.0, layout) < 500.0);
  }

  TEST_CASE("vectors of many files are not all kept in memory") {
    const test::ScratchFolder folder;
    std::vector<detail::PartFile> files;
    for (int i = 0; i < 40; ++i) {
      files.emplace_back(
          folder.write(std::to_string(i) + ".csv",
                       "y;v\n1;(50000,[3],[1.0])\n0;(50000,[],[])\n"));
    }
    auto starts = detail::CsvStarts::read(files);
    REQUIRE(starts.has_value());
    const FolderColumns folders;
    const detail::CsvExpansion expansion(starts->files, folders, {});

    CHECK(starts->expand(expansion) > 1000.0);

    CHECK(starts->texts[0].find(";v_49999\n1;0;0;0;1.0;0") !=
          std::string::npos);
    CHECK(starts->texts[39].empty());
    CHECK(
        detail::find_layout(starts->files, expansion.options()).num_features ==
        50000);
  }

  TEST_CASE("files of vectors that are stored have one header") {
    const test::ScratchFolder folder;
    const std::string row = "1;(1000,[3],[1.0])\n";
    const std::vector<std::string> paths = {
        folder.write("a.csv", "y;v\n" + row + row),
        folder.write("b.csv", "y;w\n" + row)};

    CHECK(test::thrown_message<DataError>([&] {
            static_cast<void>(store(paths, {}, folder.path()));
          }).find("expected the name 'v' of column 1 as in ") !=
          std::string::npos);
  }

  TEST_CASE("rows of vectors that become shorter are the same in parts") {
    const test::ScratchFolder folder;
    std::string text = "id,v,w,y\n";
    for (int i = 0; i < 300; ++i) {
      const std::string number = std::to_string(i);
      text += number +
              (i < 100 ? ",\"[1.5,2,3," + number + "]\","
                       : ",\"(4,[1],[" + number + "])\",") +
              std::to_string(1 + i % 3) + ',' + std::to_string(i % 2) + '\n';
    }
    const std::string path = folder.write("t.csv", text);
    CsvOptions options;
    options.ignored = {"0"};
    options.weight = "2";
    options.label = "-1";

    const LoadedData loaded = load(path, in_memory(options));

    check_equal(store({path}, options, folder.path()), loaded);
    CHECK(loaded.dataset.feature_names ==
          std::vector<std::string>{"v_0", "v_1", "v_2", "v_3"});
    CHECK(loaded.dataset.weights[1] == 2.0);
  }

  TEST_CASE("numbers that a scale makes infinite are refused") {
    const test::ScratchFolder folder;
    std::string text = "x,label\n";
    for (int i = 0; i < 50; ++i) text += "3,1\n";
    const std::string path = folder.write("t.csv", text);
    LoadOptions options;
    options.store = {folder.path(), 1.0};
    options.scale = 1e-308;

    CHECK(test::thrown_message<DataError>([&] {
            return load(path, options);
          }).find("expected finite numbers, got Infinity in row 1") !=
          std::string::npos);
  }

  TEST_CASE("a folder in memory is refused if a size is given") {
    const test::ScratchFolder folder;
    LoadOptions options;
    options.store = {"/dev/shm", 1.0};
    const std::string path = folder.write("t.csv", "x,label\n1,0\n2,1\n");

    CHECK(test::thrown_message<ResourceError>([&] {
            return load(path, options);
          }).find("/dev/shm: is in memory (tmpfs)") == 0);
  }
}

}  // namespace mlp::datasets
