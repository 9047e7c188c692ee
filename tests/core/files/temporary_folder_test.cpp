// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "../../thrown_message.hpp"

using mlp::ResourceError;
using mlp::TemporaryFolder;

namespace {

/// Sets TMPDIR for a while.
class TmpdirGuard {
 public:
  explicit TmpdirGuard(const char* value) {
    const char* const old = ::getenv("TMPDIR");
    if (old != nullptr) old_ = old;
    had_one_ = old != nullptr;
    ::setenv("TMPDIR", value, 1);
  }
  TmpdirGuard(const TmpdirGuard&) = delete;
  TmpdirGuard& operator=(const TmpdirGuard&) = delete;
  ~TmpdirGuard() {
    if (had_one_) {
      ::setenv("TMPDIR", old_.c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

 private:
  std::string old_;
  bool had_one_ = false;
};

}  // namespace

TEST_SUITE("core/files/temporary_folder") {
  TEST_CASE("makes a folder that is open to its owner alone") {
    const TemporaryFolder folder("mlp-test-");

    CHECK(std::filesystem::is_directory(folder.path()));
    CHECK(folder.path().filename().string().rfind("mlp-test-", 0) == 0);
    CHECK(std::filesystem::status(folder.path()).permissions() ==
          std::filesystem::perms::owner_all);
  }

  TEST_CASE("gives every object a folder of its own") {
    const TemporaryFolder one("mlp-test-");
    const TemporaryFolder two("mlp-test-");

    CHECK(one.path() != two.path());
  }

  TEST_CASE("removes the folder and all that lies in it") {
    std::filesystem::path path;
    {
      const TemporaryFolder folder("mlp-test-");
      path = folder.path();
      std::filesystem::create_directory(path / "below");
      std::ofstream(path / "below" / "file") << "text";
      REQUIRE(std::filesystem::exists(path / "below" / "file"));
    }

    CHECK_FALSE(std::filesystem::exists(path));
  }

  TEST_CASE("says which folder could not be made and what to do") {
    const TmpdirGuard tmpdir("/proc");

    const std::string sentence = mlp::test::thrown_message<ResourceError>(
        [&] { const TemporaryFolder folder("mlp-test-"); });

    CHECK(sentence ==
          "/proc/mlp-test-XXXXXX: cannot be created as a folder: No such file "
          "or directory; set TMPDIR to a folder that you can write to");
  }
}
