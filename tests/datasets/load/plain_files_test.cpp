// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/plain_files.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "../../../datasets/load/load.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

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

  TEST_CASE("files that fit one by one are unpacked if all of them do not") {
    const test::ScratchFolder folder;
    const std::string table = make_table();
    const std::string plain = folder.write("b.csv", table);
    const std::vector<std::string> paths = {
        zip(folder, "a.csv.gz", "x,y,label\n1,2,a\n"), plain,
        zip(folder, "c.csv.gz", table)};
    const double bytes = static_cast<double>(table.size());
    const auto open = [&](double memory_bytes) {
      return PlainFiles::open({"all", paths, {}, {}, {}},
                              {folder.path(), memory_bytes});
    };

    CHECK_FALSE(open(100.0 * bytes));
    const auto files = open(17.0 * bytes);

    REQUIRE(files);
    CHECK(files->num_bytes == 2.0 * bytes + 16.0);
    CHECK(files->unpacked.size() == 2);
    CHECK(files->files[1].path == plain);
  }

  TEST_CASE("more packed files than may be open are refused by number") {
    const test::ScratchFolder folder;
    const std::string path = zip(folder, "a.csv.gz", make_table());
    rlimit old{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &old) == 0);
    const rlimit low{100, old.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    const std::string message = test::thrown_message<ResourceError>([&] {
      static_cast<void>(PlainFiles::open(
          {"all", std::vector<std::string>(90, path), {}, {}, {}},
          {folder.path(), 1.0}));
    });
    ::setrlimit(RLIMIT_NOFILE, &old);

    CHECK(message.find("all: has 90 files that are compressed or UTF-16") == 0);
    CHECK(message.find("expected at most 100 open files; raise the limit "
                       "(ulimit -n 140)") != std::string::npos);
  }
}

}  // namespace mlp::datasets::detail
