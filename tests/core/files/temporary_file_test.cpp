// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/temporary_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>

#include "../../scratch_folder.hpp"

namespace fs = std::filesystem;
using mlp::test::InFolder;
using mlp::test::ScratchFolder;

namespace {

/// The number of a process that has ended.
pid_t ended_process() {
  const pid_t process = ::fork();
  if (process == 0) ::_exit(0);
  ::waitpid(process, nullptr, 0);
  return process;
}

/// A temporary file's name.
std::string name_of(const std::string& machine, pid_t process) {
  return ".mlp-" + machine + '-' + std::to_string(process) + "-17.tmp";
}

/// A temporary folder's name.
std::string folder_name_of(const std::string& machine, pid_t process,
                           const std::string& end) {
  return ".mlp-" + machine + '-' + std::to_string(process) + "-17" + end;
}

/// The present time, moved by some seconds.
struct timespec now_plus(long seconds) {
  return {std::time(nullptr) + seconds, 0};
}

constexpr long kDay = 24 * 3600;
const std::string kMachine = mlp::detail::machine_of_process();
const std::string kOtherMachine = "0123456789ab";

}  // namespace

TEST_SUITE("core/files/temporary_file") {
  TEST_CASE("names this process and this machine") {
    const std::string name = mlp::detail::temporary_file_name();

    const auto owner = mlp::detail::find_owner(name);

    REQUIRE(owner);
    CHECK(owner->process == ::getpid());
    CHECK(owner->machine == mlp::detail::machine_of_process());
    CHECK(owner->machine.size() == 12);
    CHECK(name.size() < 64);
  }

  TEST_CASE("finds no owner in other names") {
    for (const std::string name :
         {"", ".", ".mlp-.tmp", ".mlp-7-9.tmp", ".mlp-a-b-9.tmp", "x.tmp",
          ".mlp-a-7-9.tm", "mlp-a-7-9.tmp", ".mlp-a-0-9.tmp", ".mlp-a--7-9.tmp",
          ".mlp-a-99999999999-9.tmp", ".mlp-a-7x-9.tmp"}) {
      CAPTURE(name);
      CHECK_FALSE(mlp::detail::find_owner(name));
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "removes the files of processes that have ended") {
    folder.write(name_of(kMachine, ended_process()), "partial");
    folder.write("model.json", "whole");

    mlp::detail::remove_ended_files(folder.path(), now_plus(0));

    CHECK(folder.num_files() == 1);
    CHECK(fs::exists(folder / "model.json"));
  }

  TEST_CASE_FIXTURE(
      InFolder, "keeps the files of processes that run, even very old ones") {
    folder.write(name_of(kMachine, ::getpid()), "partial");
    folder.write(name_of(kMachine, ::getppid()), "partial");

    mlp::detail::remove_ended_files(folder.path(), now_plus(365 * kDay));

    CHECK(folder.num_files() == 2);
  }

  TEST_CASE("keeps the files of another machine for a week") {
    const pid_t ended = ended_process();
    for (const std::string& machine :
         {kOtherMachine, std::string(mlp::detail::kUnknownMachine)}) {
      const ScratchFolder young;
      const ScratchFolder old;
      young.write(name_of(machine, ended), "partial");
      old.write(name_of(machine, ended), "partial");

      mlp::detail::remove_ended_files(young.path(), now_plus(6 * kDay));
      mlp::detail::remove_ended_files(old.path(), now_plus(8 * kDay));

      CHECK(young.num_files() == 1);
      CHECK(old.num_files() == 0);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "removes neither links nor folders") {
    const pid_t ended = ended_process();
    folder.write("target", "whole");
    fs::create_symlink("target", folder / name_of(kMachine, ended));
    fs::create_directory(folder / name_of(kOtherMachine, ended));

    mlp::detail::remove_ended_files(folder.path(), now_plus(30 * kDay));

    CHECK(folder.num_files() == 3);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "removes the folders of processes that have ended") {
    const std::string ended =
        folder / folder_name_of(kMachine, ended_process(), ".folder");
    const std::string runs =
        folder / folder_name_of(kMachine, ::getppid(), ".folder");
    fs::create_directories(ended + "/inner");
    folder.write("target", "whole");
    fs::create_symlink(folder / "target", ended + "/inner/link");
    fs::create_directory(runs);

    mlp::detail::remove_ended_files(folder.path(), now_plus(0));

    CHECK_FALSE(fs::exists(ended));
    CHECK(fs::exists(runs));
    CHECK(fs::exists(folder / "target"));
  }

  TEST_CASE_FIXTURE(InFolder,
                    "puts back an old version that has no other one") {
    const std::string ended =
        folder / folder_name_of(kMachine, ended_process(), ".old");
    fs::create_directories(ended + "/model/inner");
    fs::create_directories(ended + "/other/inner");
    fs::create_directory(folder / "other");
    REQUIRE(::chmod(ended.c_str(), 0700) == 0);

    mlp::detail::remove_ended_files(folder.path(), now_plus(0));

    CHECK(fs::exists(folder / "model/inner"));
    CHECK(fs::is_empty(folder / "other"));
    CHECK(folder.num_files() == 2);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "puts nothing back that another user may have placed") {
    const std::string ended =
        folder / folder_name_of(kMachine, ended_process(), ".old");
    fs::create_directories(ended + "/model");
    REQUIRE(::chmod(ended.c_str(), 0770) == 0);

    mlp::detail::remove_ended_files(folder.path(), now_plus(0));

    CHECK(fs::exists(ended + "/model"));
    CHECK_FALSE(fs::exists(folder / "model"));
  }

  TEST_CASE_FIXTURE(InFolder, "looks once into a folder") {
    mlp::detail::remove_ended_files(folder.path(), now_plus(0));
    folder.write(name_of(kMachine, ended_process()), "partial");

    mlp::detail::remove_ended_files(folder.path(), now_plus(0));

    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder, "ignores a folder that does not exist") {
    mlp::detail::remove_ended_files(folder / "none", now_plus(0));

    CHECK(folder.num_files() == 0);
  }
}
