// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../core/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace mlp {

TEST_SUITE("core/error") {
  TEST_CASE("derives every type from Error and that from runtime_error") {
    CHECK(std::is_base_of_v<std::runtime_error, Error>);
    CHECK(std::is_base_of_v<Error, ParamError>);
    CHECK(std::is_base_of_v<Error, ShapeError>);
    CHECK(std::is_base_of_v<Error, DataError>);
    CHECK(std::is_base_of_v<Error, ModelError>);
    CHECK(std::is_base_of_v<Error, ResourceError>);
    CHECK(std::is_base_of_v<Error, DeviceError>);
    CHECK(std::is_base_of_v<Error, CommunicationError>);
    CHECK(std::is_base_of_v<Error, NotCompiled>);
  }

  TEST_CASE("keeps the sentence of an error without a place") {
    CHECK(std::string(ParamError("tol must be >= 0").what()) ==
          "tol must be >= 0");
    CHECK(std::string(ShapeError("labels must be 3").what()) ==
          "labels must be 3");
    CHECK(std::string(DeviceError("no device").what()) == "no device");
  }

  TEST_CASE("keeps the name of a parameter") {
    const ParamError error("tol", "must be >= 0; got -1");
    const ParamError flagged = error.with_prefix("--tol: ");

    CHECK(std::string(error.what()) == "tol must be >= 0; got -1");
    CHECK(error.parameter() == "tol");
    CHECK(std::string(flagged.what()) == "--tol: tol must be >= 0; got -1");
    CHECK(flagged.parameter() == "tol");
    CHECK(ParamError("tol must be >= 0").parameter().empty());
  }

  TEST_CASE("starts a data error with file and line and column") {
    const DataError error("iris.csv", {7, 12}, "field 'x' is no number");

    CHECK(std::string(error.what()) == "iris.csv:7:12: field 'x' is no number");
    CHECK(error.file() == "iris.csv");
    CHECK(error.position().line == 7);
    CHECK(error.position().column == 12);
  }

  TEST_CASE("leaves out the parts of a position that are not known") {
    const DataError without_column("a.csv", {7, 0}, "bad");
    const DataError without_line("a.csv", "bad");
    const DataError without_file("bad");

    CHECK(std::string(without_column.what()) == "a.csv:7: bad");
    CHECK(std::string(without_line.what()) == "a.csv: bad");
    CHECK(without_line.position().line == 0);
    CHECK(std::string(without_file.what()) == "bad");
    CHECK(without_file.file().empty());
    CHECK(std::string(DataError("", "bad").what()) == "bad");
  }

  TEST_CASE("starts a model error with the file and then the JSON path") {
    const ModelError meaning("m.json", "$.layers[1]", "must be > 0");
    const ModelError syntax("m.json", "line 3, column 4: unexpected '}'");

    CHECK(std::string(meaning.what()) == "m.json: $.layers[1]: must be > 0");
    CHECK(meaning.file() == "m.json");
    CHECK(meaning.json_path() == "$.layers[1]");
    CHECK(std::string(syntax.what()) ==
          "m.json: line 3, column 4: unexpected '}'");
    CHECK(syntax.json_path().empty());
  }

  TEST_CASE("starts a resource error with the file where there is one") {
    CHECK(std::string(ResourceError("m.json", "disk full").what()) ==
          "m.json: disk full");
    CHECK(std::string(ResourceError("no memory").what()) == "no memory");
  }

  TEST_CASE("names the rank of a communication error") {
    const CommunicationError error(3, "was lost");

    CHECK(std::string(error.what()) == "rank 3: was lost");
    CHECK(error.rank() == 3);
  }

  TEST_CASE("keeps the rank to blame where a remark is added") {
    const CommunicationError error =
        CommunicationError(3, "was lost").with_context("evaluation 2");

    CHECK(std::string(error.what()) == "rank 3: was lost (evaluation 2)");
    CHECK(error.rank() == 3);
  }

  TEST_CASE("blames no rank where none is known") {
    const CommunicationError error("the link is down");

    CHECK(std::string(error.what()) == "the link is down");
    CHECK(error.rank() == -1);
  }

  TEST_CASE("names the CMake option of a part that was left out") {
    CHECK(std::string(NotCompiled("CUDA", "MLP_WITH_CUDA").what()) ==
          "CUDA is not part of this build; configure with -DMLP_WITH_CUDA=ON");
  }

  TEST_CASE("names the packages of a part where they are known") {
    CHECK(std::string(NotCompiled("MPI", "MLP_WITH_MPI", "openmpi").what()) ==
          "MPI is not part of this build; install openmpi, configure with "
          "-DMLP_WITH_MPI=ON and build again");
  }

  TEST_CASE("tells a user of the Python package what pip can do") {
    CHECK(detail::describe_not_compiled("CUDA", "MLP_WITH_CUDA", "the Toolkit",
                                        true) ==
          "CUDA is not part of this Python package; install the Toolkit and "
          "build the package from its source code, with pip install -C "
          "cmake.define.MLP_WITH_CUDA=ON FOLDER");
    CHECK(detail::describe_not_compiled("CUDA", "MLP_WITH_CUDA", "", true) ==
          "CUDA is not part of this Python package; build the package from its "
          "source code, with pip install -C cmake.define.MLP_WITH_CUDA=ON "
          "FOLDER");
  }
}

}  // namespace mlp
