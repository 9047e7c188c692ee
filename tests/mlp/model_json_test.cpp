// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../mlp/model_json.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>

#include "../../core/error.hpp"
#include "../../core/files/read_file.hpp"
#include "../scratch_folder.hpp"
#include "model_file/sample_document.hpp"

namespace mlp::test {

namespace fs = std::filesystem;
using mlp::tests::full_document;

namespace {

/// A path for one test case, without a file at its start and its end.
class ModelPath {
 public:
  ModelPath() { fs::remove(path_); }
  ~ModelPath() { fs::remove(path_); }
  ModelPath(const ModelPath&) = delete;
  ModelPath& operator=(const ModelPath&) = delete;

  operator const std::string&() const { return path_; }

 private:
  std::string path_ = fs::temp_directory_path() /
                      ("mlp-model-" + std::to_string(::getpid()) + ".json");
};

ModelDocument diverged_document() {
  ModelDocument document = full_document();
  Vector weights = document.model.weights();
  weights[0] = std::numeric_limits<double>::quiet_NaN();
  document.model = Model(document.model.topology(), weights);
  return document;
}

}  // namespace

TEST_SUITE("mlp/model_json") {
  TEST_CASE("loads from a file what was saved to it") {
    const ModelPath path;

    save_model(path, full_document());
    const ModelDocument loaded = load_model(path);

    CHECK(loaded.model.weights() == full_document().model.weights());
    CHECK(to_json(loaded) == to_json(full_document()));
    CHECK(verify_self_test(loaded).is_passed());
  }

  TEST_CASE("saves the text that is made in memory, and leaves no other file") {
    const ScratchFolder folder;
    const std::string path = folder.write("model.json", "old");

    save_model(path, full_document(), WeightsEncoding::kBase64);

    CHECK(read_file<ModelError>(path) ==
          to_json(full_document(), WeightsEncoding::kBase64));
    CHECK(load_model(path).model.weights() == full_document().model.weights());
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE("saves the same bytes twice") {
    const ModelPath path;
    save_model(path, full_document());
    const std::string first = read_file<ModelError>(path);

    save_model(path, load_model(path));

    CHECK(read_file<ModelError>(path) == first);
  }

  TEST_CASE("predicts after loading what it predicted before") {
    const ModelDocument document = full_document();
    const ModelDocument read = from_json(to_json(document), "m.json");
    const Matrix features = Matrix{{1.0, -3.0, 0.5}, {0.0, 2.0, 9.5}};

    CHECK(read.model.predict_raw(features) ==
          document.model.predict_raw(features));
    CHECK(read.model.predict(features) == document.model.predict(features));
  }

  TEST_CASE("leaves an older file alone where the model cannot be saved") {
    const ModelPath path;
    save_model(path, full_document());
    const std::string old = read_file<ModelError>(path);

    CHECK_THROWS_WITH_AS(save_model(path, diverged_document()),
                         (static_cast<const std::string&>(path) +
                          ": $.weights.data[0]: must be a finite number; got "
                          "NaN")
                             .c_str(),
                         ModelError);
    CHECK(read_file<ModelError>(path) == old);
  }

  TEST_CASE("names the place of a value that cannot be written") {
    CHECK_THROWS_WITH_AS(
        to_json(diverged_document()),
        "model: $.weights.data[0]: must be a finite number; got NaN",
        ModelError);
  }

  TEST_CASE("refuses a file that is not there") {
    CHECK_THROWS_WITH_AS(
        load_model("/nowhere/m.json"),
        "/nowhere/m.json: cannot be opened: No such file or directory",
        ModelError);
    CHECK_THROWS_WITH_AS(save_model("/nowhere/m.json", full_document()),
                         "/nowhere/m.json: cannot be written: no file can be "
                         "created in /nowhere: No such file or directory",
                         ResourceError);
  }

  TEST_CASE("ends at the first byte of a device that has no end") {
    CHECK_THROWS_WITH_AS(load_model("/dev/zero"),
                         "/dev/zero:1:1: the file is not a model; expected "
                         "'{', got byte 0x00",
                         ModelError);
  }

  TEST_CASE("tells the file and the JSON path of an error apart") {
    std::string path;
    try {
      static_cast<void>(from_json("{\"layers\":[1,\"2\"]}", "m.json"));
    } catch (const ModelError& error) {
      path = error.file() + ' ' + error.json_path();
    }

    CHECK(path == "m.json $.layers[1]");
  }
}

}  // namespace mlp::test
