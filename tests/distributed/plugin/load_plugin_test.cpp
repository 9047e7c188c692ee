// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/plugin/load_plugin.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"

namespace mlp::distributed {

namespace {

constexpr PluginKind kKind{
    "Gloo",          "libmlp_gloo.so",       "mlp_gloo_plugin",
    "MLP_WITH_GLOO", "Debian's libgloo-dev", false};

void load(const std::string& file) {
  static_cast<void>(load_plugin(kKind, file));
}

}  // namespace

TEST_SUITE("distributed/plugin/load_plugin") {
  TEST_CASE("says which plugin is not there and what builds it") {
    CHECK_THROWS_WITH_AS(
        load("/nowhere/libmlp_gloo.so"),
        "Gloo (there is no file /nowhere/libmlp_gloo.so) is not part of this "
        "build; install Debian's libgloo-dev, "
        "configure with -DMLP_WITH_GLOO=ON and build again",
        NotCompiled);
  }

  TEST_CASE("looks beside the program and in libexec where no file is named") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();

    const PluginProbe probe = probe_plugin(kKind, "");

    CHECK(probe.refusal ==
          "Gloo (there is no file " + (folder / "libmlp_gloo.so").string() +
              " or " +
              (folder.parent_path() / "libexec/mlp/libmlp_gloo.so").string() +
              ") is not part of this build; install Debian's libgloo-dev, "
              "configure with -DMLP_WITH_GLOO=ON and build again");
    CHECK(probe.description == "");
  }

  TEST_CASE("passes on why a file cannot be loaded") {
    const test::ScratchFolder folder;
    const std::string file = folder.write("libmlp_gloo.so", "too short");

    CHECK_THROWS_WITH_AS(
        load(file),
        ("Gloo cannot be loaded: " + file +
         ": file too short; install the Gloo library that the plugin was built "
         "with, or build the plugin with the one installed here")
            .c_str(),
        ResourceError);
  }

  TEST_CASE("refuses a library that is no plugin") {
    const std::string file = MLP_NO_PLUGIN;
    const std::string sentence =
        file +
        ": must be a plugin of mlp; it lacks mlp_gloo_plugin; name "
        "libmlp_gloo.so";

    CHECK_THROWS_WITH_AS(load(file), sentence.c_str(), ResourceError);
    CHECK(probe_plugin(kKind, file).refusal == sentence);
  }

  TEST_CASE("refuses a plugin of another version") {
    const std::string file = MLP_NEWER_PLUGIN;

    CHECK_THROWS_WITH_AS(
        load(file),
        (file + ": must have version 4 of the plugin's interface; it has 5; "
                "build it with this program")
            .c_str(),
        ResourceError);
  }

  TEST_CASE("refuses the plugin of another library") {
    const std::string file = MLP_MPI_PLUGIN;
    if (file.empty()) return;

    CHECK(probe_plugin(kKind, file).refusal.find("it lacks mlp_gloo_plugin") !=
          std::string::npos);
  }
}

}  // namespace mlp::distributed
