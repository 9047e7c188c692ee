// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/plain_files.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>

#include "../../../datasets/load/load.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::datasets::detail {

namespace {

std::string make_table() {
  std::string text = "x,y,label\n";
  for (int i = 0; i < 5000; ++i) {
    text += std::to_string(i) + ",\"" + std::to_string(i % 17) + "\"," +
            (i % 3 == 0 ? "a\n" : "b\n");
  }
  return text;
}

std::string zip(const test::ScratchFolder& folder, const std::string& name,
                const std::string& text) {
  const std::string path = folder / name;
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

std::string widen(const std::string& text) {
  std::string bytes("\xFF\xFE", 2);
  for (const char c : text) bytes += {c, '\0'};
  return bytes;
}

}  // namespace

TEST_SUITE("datasets/load/plain_files") {
  TEST_CASE("compressed tables and UTF-16 are read in parts") {
    const test::ScratchFolder folder;
    const std::string table = make_table();
    const Dataset expected = load(folder.write("t.csv", table)).dataset;
    LoadOptions options;
    options.store = {folder.path(), 1.0};
    for (const std::string& path :
         {zip(folder, "a.csv.gz", table), folder.write("b.csv", widen(table)),
          zip(folder, "c.gz", widen(table))}) {
      CAPTURE(path);

      const LoadedData loaded = load(path, options);

      REQUIRE(loaded.dataset.stored != nullptr);
      CHECK(loaded.dataset.source == path);
      CHECK(loaded.dataset.first_features(5000) == expected.features);
      CHECK(loaded.dataset.label_texts == expected.label_texts);
    }
  }

  TEST_CASE(
      "files that fit are not unpacked, and nothing is left in the folder") {
    const test::ScratchFolder folder;
    const std::string path = zip(folder, "a.csv.gz", make_table());

    DataFiles given;
    given.name = path;
    given.paths = {path};

    CHECK_FALSE(PlainFiles::open(given, {folder.path(), 1e9}));
    const auto files = PlainFiles::open(given, {folder.path(), 1.0});
    REQUIRE(files);
    CHECK(files->num_bytes == static_cast<double>(make_table().size()));
    CHECK(files->files.front().name == path);
  }
}

}  // namespace mlp::datasets::detail
