// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../core/files/output_files.hpp"

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::test {

namespace fs = std::filesystem;

namespace {

/// Checks one input and one output.
void check_pair(const std::string& input, const std::string& output) {
  OutputFiles files;
  files.add_input("DATA", input);
  files.add_output("--out", output, OutputKind::kAny);
  files.check_distinct();
}

/// The message of two names of one file.
std::string same_file(const std::string& output, const std::string& input) {
  return "--out: '" + output + "' is the same file as DATA '" + input +
         "', which would be overwritten; name another file";
}

/// Checks an input and a folder that is replaced.
void check_folders(const std::string& input, const std::string& output) {
  OutputFiles files;
  files.add_input("IN", input);
  files.add_output("-o", output, OutputKind::kFolder);
  files.check_distinct();
}

void check_folders_refused(const ScratchFolder& folder,
                           const std::string& input, const std::string& output,
                           const std::string& relation) {
  CHECK_THROWS_WITH_AS(
      check_folders(folder / input, folder / output),
      ("-o: '" + (folder / output) + "' is " + relation + " IN '" +
       (folder / input) + "', which would be overwritten; name another folder")
          .c_str(),
      ParamError);
}

/// Checks that an output can be written.
void check_output(const std::string& path, OutputKind kind) {
  OutputFiles files;
  files.add_output("--checkpoint", path, kind);
  files.check_writable();
}

template <typename Exception>
std::string refusal(const std::string& path, OutputKind kind) {
  return test::thrown_message<Exception>([&] { check_output(path, kind); });
}

}  // namespace

TEST_SUITE("core/files/output_files") {
  TEST_CASE_FIXTURE(InFolder,
                    "refuses an output that is an input by any name") {
    const std::string data = folder.write("data.csv", "1,2\n");
    fs::create_symlink("data.csv", folder / "link");
    fs::create_symlink(folder / "link", folder / "link of link");
    fs::create_hard_link(data, folder / "hard");
    fs::create_directory_symlink(folder.path(), folder / "same");

    for (const std::string name :
         {"data.csv", "./data.csv", "link", "link of link", "hard",
          "same/data.csv", "same/./link"}) {
      const std::string output = folder / name;
      CHECK_THROWS_WITH_AS(check_pair(data, output),
                           same_file(output, data).c_str(), ParamError);
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "compares files that do not exist yet by folder and name") {
    fs::create_directory_symlink(folder.path(), folder / "same");
    fs::create_symlink("state", folder / "dangling");
    for (const std::string name : {"state", "same/state", "dangling"}) {
      OutputFiles files;
      files.add_output("--out", folder / "state", OutputKind::kAny);
      files.add_output("--checkpoint", folder / name, OutputKind::kRegular);

      CHECK_THROWS_WITH_AS(
          files.check_distinct(),
          ("--checkpoint: '" + (folder / name) +
           "' is the same file as --out '" + (folder / "state") +
           "', which would be overwritten; name another file")
              .c_str(),
          ParamError);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "accepts files that differ") {
    const std::string data = folder.write("data.csv", "1,2\n");
    fs::create_directory(folder / "inner");

    CHECK_NOTHROW(check_pair(data, folder / "inner/data.csv"));
    CHECK_NOTHROW(check_pair(data, folder.write("copy.csv", "1,2\n")));
    CHECK_NOTHROW(check_pair(data, folder / "none/data.csv"));
    CHECK_NOTHROW(check_pair(data, ""));
  }

  TEST_CASE_FIXTURE(InFolder, "accepts that a file is read twice") {
    const std::string data = folder.write("data.csv", "1,2\n");
    OutputFiles files;
    files.add_input("DATA", data);
    files.add_input("--validation", data);

    CHECK_NOTHROW(files.check_distinct());
  }

  TEST_CASE("accepts a device for several files") {
    OutputFiles files;
    files.add_input("DATA", "/dev/null");
    files.add_output("--out", "/dev/null", OutputKind::kAny);

    CHECK_NOTHROW(files.check_distinct());
    CHECK_NOTHROW(files.check_writable());
  }

  TEST_CASE_FIXTURE(InFolder,
                    "leaves nothing behind where outputs can be written") {
    const std::string old = folder.write("old", "content");

    check_output(old, OutputKind::kRegular);
    check_output(folder / "new", OutputKind::kAny);

    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses a device and a pipe for a file that is replaced") {
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    fs::create_symlink("pipe", folder / "link");
    for (const std::string& path :
         {std::string("/dev/null"), folder / "pipe", folder / "link"}) {
      CHECK(refusal<ParamError>(path, OutputKind::kRegular) ==
            ("--checkpoint: '" + path +
             "' is a device or a pipe; expected a regular file, "
             "which is replaced; name another file"));
      CHECK_NOTHROW(check_output(path, OutputKind::kAny));
    }
  }

  TEST_CASE_FIXTURE(InFolder,
                    "refuses a directory and a folder that does not exist") {
    CHECK(refusal<ResourceError>(folder.path(), OutputKind::kAny) ==
          (folder.path() +
           ": cannot be written: it is a directory; name a file"));
    CHECK(refusal<ResourceError>(folder / "none/file", OutputKind::kAny) ==
          (folder / "none/file" +
           ": cannot be written: No such file or directory"));
  }

  TEST_CASE_FIXTURE(InFolder, "refuses a file that is mounted by itself") {
    const std::string source = folder.write("source", "");
    const std::string path = folder.write("mounted", "");
    if (::mount(source.c_str(), path.c_str(), "", MS_BIND, nullptr) != 0) {
      MESSAGE("test skipped: this user cannot mount a file");
      return;
    }

    const std::string sentence = test::thrown_message<ResourceError>(
        [&] { check_output(path, OutputKind::kAny); });
    ::umount(path.c_str());

    CHECK(sentence == path +
                          ": cannot be written: it is mounted by itself and "
                          "cannot be replaced; mount its folder instead");
  }

  TEST_CASE_FIXTURE(
      InFolder,
      "refuses a folder that would replace an input, or one inside it") {
    fs::create_directories(folder / "model/data");
    folder.write("model/data/part", "");
    fs::create_directory_symlink("model", folder / "link");

    for (const std::string output : {"model", "model/", "link", "link/"}) {
      check_folders_refused(folder, "model", output, "the same folder as");
      check_folders_refused(folder, "model/data/part", output, "a folder with");
    }
    check_folders_refused(folder, "link", "model/new", "in the folder");
    CHECK_NOTHROW(check_folders(folder / "model", folder / "model2"));
    CHECK_NOTHROW(check_folders(folder / "model/data", folder / "other/model"));
  }

  TEST_CASE_FIXTURE(InFolder, "refuses a file in a folder that is read") {
    fs::create_directories(folder / "model/data");
    folder.write("model/data/part", "");

    for (const std::string name : {"model/data/part", "model/new.json"}) {
      CHECK_THROWS_WITH_AS(check_pair(folder / "model", folder / name),
                           ("--out: '" + (folder / name) +
                            "' is in the folder DATA '" + (folder / "model") +
                            "', which would be overwritten; name another file")
                               .c_str(),
                           ParamError);
    }
  }

  TEST_CASE_FIXTURE(InFolder, "refuses a file and a device for a folder") {
    const std::string file = folder.write("file", "");

    CHECK(refusal<ResourceError>(file, OutputKind::kFolder) ==
          (file + ": cannot be written: it is a file; name a folder"));
    CHECK(refusal<ResourceError>("/dev/null", OutputKind::kFolder) ==
          "/dev/null: cannot be written: it is a device or a "
          "pipe; name a folder");
    CHECK(refusal<ResourceError>(folder / "none/model", OutputKind::kFolder) ==
          (folder / "none/model" +
           ": cannot be written: No such file or directory"));
    CHECK_NOTHROW(check_output(folder / "model/", OutputKind::kFolder));
    CHECK(folder.num_files() == 1);
  }

  TEST_CASE_FIXTURE(
      InFolder, "refuses a directory in the place of a file made by renaming") {
    OutputFiles files;
    files.add_renamed_output("--checkpoint", folder.path());

    CHECK_THROWS_AS(files.check_writable(), ResourceError);
  }
}

}  // namespace mlp::test
