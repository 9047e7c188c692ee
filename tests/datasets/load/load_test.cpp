// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../datasets/load/load.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"
#include "../binary/compress.hpp"

namespace mlp::datasets {

namespace fs = std::filesystem;
using mlp::test::InFolder;

namespace {

/// Puts a file in the place of standard input for the length of a scope.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : old_(::dup(STDIN_FILENO)) {
    REQUIRE(::freopen(path.c_str(), "rb", stdin) != nullptr);
  }
  ~StandardInput() {
    ::dup2(old_, STDIN_FILENO);
    ::close(old_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int old_;
};

/// Two instances of two features.
const std::string kIdx("\0\0\x08\2\0\0\0\2\0\0\0\2\1\2\3\4", 16);
const std::string kIdxLabels("\0\0\x08\1\0\0\0\2\0\1", 10);
const std::string kIdxFloat("\0\0\x0D\1\0\0\0\1\x7F\x7F\xFF\xFF", 12);

std::string npy(const std::string& shape, const std::string& values) {
  const std::string dictionary =
      "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + "}";
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(dictionary.size());
  return bytes + '\0' + dictionary + values;
}

const Matrix kFeatures{{1, 3}, {2, 4}};

std::string refusal(const auto& path, const LoadOptions& options = {}) {
  return test::thrown_message<DataError>([&] { return load(path, options); });
}

}  // namespace

TEST_SUITE("datasets/load/load") {
  TEST_CASE_FIXTURE(InFolder,
                    "knows each format by its contents whatever the name is") {
    for (const std::string& bytes :
         {kIdx, npy("(2, 2)", "\1\2\3\4"), std::string("1,2,0\n3,4,1\n"),
          std::string("# x\n0 1:1 2:2\n1 1:3 2:4\n"), compress(kIdx),
          compress("a;b;class\n1;2;x\n3;4;y\n")}) {
      CHECK(load(folder.write("data.txt", bytes)).dataset.features ==
            kFeatures);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "reads each format the same by several threads") {
    std::string table;
    std::string pairs;
    for (int i = 0; i < 200000; ++i) {
      table += std::to_string(i) + ",7.5," + std::to_string(i % 3) + '\n';
      pairs += std::to_string(i % 3) + " 1:" + std::to_string(i) + " 2:7.5\n";
    }
    LoadOptions options;
    options.csv.num_threads = 3;

    for (const std::string& text : {table, compress(table), pairs}) {
      const std::string path = folder.write("data.txt", text);
      const Dataset data = load(path, options).dataset;
      CHECK(data.features == load(path).dataset.features);
      CHECK(data.labels == load(path).dataset.labels);
      CHECK(data.num_instances() == 200000);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "reads text by the ending of its name") {
    const std::string pairs = "0 1:1 2:2\n1\n";

    CHECK(load(folder.write("a.svm", pairs)).dataset.vector_kind ==
          VectorKind::kSparse);
    CHECK(load(folder.write("a.LIBSVM.gz", compress(pairs)))
              .dataset.num_instances() == 2);
    CHECK_THROWS_AS(load(folder.write("a.csv", pairs)), DataError);
    CHECK_THROWS_AS(load(folder.write("a.csv.gz", compress(pairs))), DataError);
    // Without the name, the first line would make it CSV.
    CHECK(load(folder.write("b.svm.gz", compress("1\n2\n0 1:1\n")))
              .dataset.vector_kind == VectorKind::kSparse);
  }

  TEST_CASE_FIXTURE(InFolder, "inflates small files up to 64 MiB") {
    std::string text;
    for (int i = 0; i < 500000; ++i) text += "0,0,0,1\n";

    const std::string path = folder.write("a.csv.gz", compress(text));

    CHECK(load(path).dataset.num_instances() == 500000);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "knows LIBSVM text behind lines of a label alone") {
    CHECK(load(folder.write("a.txt", "1\n0 1:1\n")).dataset.vector_kind ==
          VectorKind::kSparse);
    CHECK(
        load(folder.write("b.txt", "a b:c,label\n1,2\n")).dataset.vector_kind ==
        VectorKind::kDense);
  }

  TEST_CASE("tells which column became the label") {
    const LoadedData iris = load(MLP_DATA_DIR "/iris.csv");

    REQUIRE(iris.chosen_label.has_value());
    CHECK(iris.chosen_label->name == "species");
    CHECK_FALSE(load(MLP_DATA_DIR "/sample_multiclass_classification_data.txt")
                    .chosen_label.has_value());
  }

  TEST_CASE("joins the images of MNIST with their labels and scales them") {
    LoadOptions options;
    options.labels_file = MLP_DATA_DIR "/t10k-labels-idx1-ubyte.gz";
    options.scale = 255.0;

    const Dataset data =
        load(MLP_DATA_DIR "/t10k-images-idx3-ubyte.gz", options).dataset;

    CHECK(data.num_instances() == 10000);
    CHECK(data.num_features() == 784);
    CHECK(data.labels.head(5) == Vector{{7, 2, 1, 0, 4}});
    CHECK(data.features.maxCoeff() == 1.0);
    CHECK(data.features.minCoeff() == 0.0);
  }

  TEST_CASE("leaves pixels as they are unless told otherwise") {
    CHECK(load(MLP_DATA_DIR "/t10k-images-idx3-ubyte.gz")
              .dataset.features.maxCoeff() == 255.0);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "takes every column for a feature beside a labels file") {
    LoadOptions options;
    options.labels_file = folder.write("y.npy", npy("(2,)", "\5\6"));

    const LoadedData loaded =
        load(folder.write("x.csv", "1,2\n3,4\n"), options);

    CHECK(loaded.dataset.features == kFeatures);
    CHECK(loaded.dataset.labels == Eigen::Vector2d(5, 6));
    CHECK_FALSE(loaded.chosen_label.has_value());
  }

  TEST_CASE_FIXTURE(InFolder, "reads standard input and names it in messages") {
    {
      const StandardInput input(folder.write("good", "1,2,0\n3,4,1\n"));
      CHECK(load("-").dataset.features == kFeatures);
    }
    const StandardInput input(folder.write("bad", "1,2,0\n3,x,1\n"));

    CHECK(refusal("-") ==
          "(standard input):2:3: expected a number in column 1, got 'x'");
  }

  TEST_CASE_FIXTURE(
      InFolder,
      "widens LIBSVM files and refuses other formats of another width") {
    LoadOptions options;
    options.csv.num_features = 3;

    CHECK(load(folder.write("a.svm", "1 1:2\n"), options)
              .dataset.num_features() == 3);
    const std::string idx = folder.write("b", kIdx);
    CHECK(refusal(idx, options) ==
          (idx + ": wrong number of features; expected 3, got 2"));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "reads weights of a CSV file beside a labels file too") {
    LoadOptions options;
    options.csv.weight = std::string("w");
    const std::string table = folder.write("x.csv", "a,w,b\n1,7,2\n3,8,4\n");

    CHECK(load(table, options).dataset.weights == Eigen::Vector2d(7, 8));
    options.labels_file = folder.write("y.npy", npy("(2,)", "\5\6"));
    const Dataset data = load(table, options).dataset;

    CHECK(data.features == kFeatures);
    CHECK(data.weights == Eigen::Vector2d(7, 8));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses a weight column of formats that have none") {
    LoadOptions options;
    options.csv.weight = std::string("w");

    for (const auto& [bytes, format] :
         {std::pair<std::string, std::string>{kIdx, "an idx"},
          {npy("(2, 2)", "\1\2\3\4"), "a .npy"},
          {"0 1:1 2:2\n", "a LIBSVM"}}) {
      const std::string path = folder.write("data", bytes);
      const std::string sentence =
          path +
          ": the weight column 'w' must be one of a CSV or TSV file, got " +
          format + " file, which cannot store weights; convert it";
      CHECK(refusal(path, options) == sentence);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "refuses labels of another count") {
    LoadOptions options;
    options.labels_file = folder.write("y", kIdxLabels);
    const std::string data = folder.write("x.csv", "1,2\n");

    CHECK(refusal(data, options) ==
          (options.labels_file +
           ": expected a label for each of the 1 instances "
           "of " +
           data + ", got 2"));
  }

  TEST_CASE_FIXTURE(InFolder, "refuses labels in another format") {
    const std::string path = folder.write("y.csv", "1\n2\n");

    CHECK_THROWS_WITH_AS(
        load_labels(path),
        (path + ": expected labels in a .npy or idx file").c_str(), DataError);
  }

  TEST_CASE_FIXTURE(InFolder, "refuses a broken idx or npy file as such") {
    const std::string idx =
        folder.write("a.dat", std::string("\0\0\x0A\1\0\0\0\1", 8));
    const std::string npy = folder.write("a.npy", "1,2\n");

    CHECK(refusal(idx) ==
          (idx +
           ": is not an idx file; expected the bytes 0, 0, a type of 8, 9 "
           "or 11 to 14, and a number of dimensions"));
    CHECK_THROWS_WITH_AS(
        load_labels(npy),
        (npy + ": is not a .npy file; expected it to start with \\x93NUMPY")
            .c_str(),
        DataError);
  }

  TEST_CASE_FIXTURE(InFolder, "refuses known formats that are not read") {
    const std::string path = folder.write("a.csv", "\x89HDF....");

    CHECK(refusal(path) ==
          (path + ": expected CSV, LIBSVM, idx or .npy, got an HDF5 file; "
                  "convert it"));
  }

  TEST_CASE_FIXTURE(
      InFolder, "stops a compressed idx file that holds more than it states") {
    const std::string path =
        folder.write("a.gz", compress(kIdx + std::string(100000, '\0')));

    CHECK(refusal(path) ==
          (path + ": the compressed data hold too much; expected at most 16 "
                  "bytes"));
  }

  TEST_CASE_FIXTURE(
      InFolder,
      "refuses scales that are not positive and results that overflow") {
    LoadOptions options;
    const std::string path = folder.write("a", kIdxFloat);

    options.scale = 1e-300;
    CHECK(refusal(path, options) ==
          (path + ": expected finite numbers, got Infinity in row 1, column 1 "
                  "(both counted from 1)"));
    options.scale = 0.0;
    CHECK_THROWS_WITH_AS(load(path, options),
                         "scale must be positive and finite, got 0",
                         ParamError);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses missing files and folders without data") {
    CHECK(refusal("/no/such.csv") ==
          "/no/such.csv: cannot be opened: No such file or directory");
    CHECK_THROWS_WITH_AS(load(folder.path()),
                         doctest::Contains(": the folder has no data file;"),
                         DataError);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "appends the rows of several files of each format") {
    const std::vector<std::string> csv{
        folder.write("b.csv", "3,4,1\n"),
        folder.write("a.csv.gz", compress("1,2,0\n")),
        folder.write("c.csv", "")};
    const std::vector<std::string> svm{folder.write("a.svm", "0 1:1\n1 1:2\n"),
                                       folder.write("b.svm", "\n1 1:3 2:4\n")};
    const std::vector<std::string> arrays{
        folder.write("a.npy", npy("(1, 2)", "\1\2")),
        folder.write("b.npy", npy("(1, 2)", "\3\4"))};

    CHECK(load(csv).dataset.features == kFeatures);
    CHECK(load(arrays).dataset.features == kFeatures);
    const Dataset sparse = load(svm).dataset;
    CHECK(sparse.features == Matrix{{1, 2, 3}, {0, 0, 4}});
    CHECK(sparse.place_of(2).file == svm[1]);
    CHECK(sparse.place_of(2).position.line == 2);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses files of two formats and arrays of two widths") {
    const std::string csv = folder.write("a.csv", "1,2,0\n");
    const std::string array = folder.write("b.npy", npy("(1, 2)", "\1\2"));
    const std::string wide = folder.write("c.npy", npy("(1, 3)", "\1\2\3"));

    CHECK(refusal(std::vector{csv, array}) ==
          (array + ": is a .npy file, but " + csv +
           " is a CSV or TSV file; expected files of one format"));
    CHECK(refusal(std::vector{wide, array}) ==
          (wide + ": wrong number of features; expected 2 as in " + array +
           ", got 3"));
    const std::string empty = folder.write("d.csv", "");
    const std::string other = folder.write("e.csv", "");
    CHECK(refusal(std::vector{empty, other}) ==
          (empty + " and " + other +
           ": hold no data; expected a file that is not empty"));
  }
}

}  // namespace mlp::datasets
