// SPDX-FileCopyrightText: The mlp authors
// SPDX-License-Identifier: Apache-2.0
#include "../../../distributed/rendezvous/meeting_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "../../../core/error.hpp"
#include "../../scratch_folder.hpp"
#include "../../thrown_message.hpp"

namespace mlp::distributed {

using mlp::test::ScratchFolder;

namespace {

constexpr bool kIsMaker = true;

/// The status of a folder of user 1000.
struct stat status_of(mode_t mode) {
  struct stat status {};
  status.st_uid = 1000;
  status.st_mode = S_IFDIR | mode;
  return status;
}

/// Why a sub-folder cannot be opened.
std::string refusal_of(const ScratchFolder& parent) {
  MeetingFolder folder(parent.path());
  return test::thrown_message<ResourceError>([&] { folder.open(kIsMaker); });
}

}  // namespace

TEST_SUITE("distributed/rendezvous/meeting_folder") {
  TEST_CASE("writes, replaces, reads and removes files") {
    const ScratchFolder parent;
    MeetingFolder folder(parent.path());

    CHECK(folder.open(kIsMaker));
    CHECK(!folder.open(kIsMaker));
    CHECK(!folder.read("a"));
    CHECK(folder.write("a", "first"));
    CHECK(folder.write("a", "second"));
    CHECK(folder.read("a") == "second");
    CHECK(folder.names() == std::vector<std::string>{"a"});
    folder.remove_folder();
    CHECK(folder.has("a"));
    folder.remove("a");
    folder.remove_folder();
    CHECK(parent.num_files() == 0);
  }

  TEST_CASE("is not there before its maker has come") {
    const ScratchFolder parent;
    MeetingFolder guest(parent.path());
    MeetingFolder maker(parent.path());

    CHECK(!guest.open(!kIsMaker));
    CHECK(!guest.is_open());
    CHECK(maker.open(kIsMaker));
    CHECK(guest.open(!kIsMaker));
  }

  TEST_CASE("notices that it was removed, and opens the new one") {
    const ScratchFolder parent;
    MeetingFolder folder(parent.path());
    folder.open(kIsMaker);
    std::filesystem::remove(parent / "mlp-ranks");

    CHECK(!folder.write("a", "text"));
    CHECK(folder.open(kIsMaker));
    CHECK(folder.write("a", "text"));
  }

  TEST_CASE("writes through no link and leaves nothing half written") {
    const ScratchFolder parent;
    MeetingFolder folder(parent.path());
    folder.open(kIsMaker);
    const std::string victim = parent.write("victim", "precious");
    std::filesystem::create_symlink(victim, parent / "mlp-ranks/a");

    CHECK_THROWS_AS(folder.read("a"), ResourceError);
    CHECK(folder.write("a", "text"));
    CHECK(folder.read("a") == "text");
    CHECK(std::filesystem::file_size(victim) == 8);
    CHECK(folder.names().size() == 1);
  }

  TEST_CASE("reads no file that is too long, and writes none") {
    const ScratchFolder parent;
    MeetingFolder folder(parent.path());
    folder.open(kIsMaker);
    parent.write("mlp-ranks/a", "");
    REQUIRE(::truncate((parent / "mlp-ranks/a").c_str(), 1L << 40) == 0);

    CHECK_THROWS_WITH_AS(
        folder.read("a"),
        (parent / "mlp-ranks/a" +
         ": must be a regular file of this user of at most 16777216 bytes; it "
         "is a file of 1099511627776 bytes; remove it")
            .c_str(),
        ResourceError);
    CHECK_THROWS_WITH_AS(
        folder.write("b", std::string(MeetingFolder::kMaxBytes + 1, 'x')),
        "a text of a rendezvous must have at most 16777216 bytes; got "
        "16777217; send less",
        ParamError);
  }

  TEST_CASE("refuses a link and a file in its place, and touches neither") {
    const ScratchFolder linked;
    const ScratchFolder target;
    std::filesystem::create_directory_symlink(target.path(),
                                              linked / "mlp-ranks");
    const ScratchFolder taken;
    taken.write("mlp-ranks", "text");

    for (const ScratchFolder* const parent : {&linked, &taken}) {
      CHECK(refusal_of(*parent) ==
            *parent / "mlp-ranks" +
                ": must be a folder that rank 0 makes; it is a link or a file; "
                "remove it");
    }
    CHECK(target.num_files() == 0);
  }

  TEST_CASE("refuses a folder that others can enter") {
    const ScratchFolder parent;
    REQUIRE(::mkdir((parent / "mlp-ranks").c_str(), 0700) == 0);
    REQUIRE(::chmod((parent / "mlp-ranks").c_str(), 0755) == 0);

    CHECK(refusal_of(parent) ==
          parent / "mlp-ranks" +
              ": must have mode 0700; it has 0755; remove it; if its mode is "
              "the same again, its file system has no modes: use a folder on "
              "another");
  }

  TEST_CASE("refuses the folder of another user") {
    if (::geteuid() != 0) {
      MESSAGE("test skipped: only root can give a folder away");
      return;
    }
    const ScratchFolder parent;
    REQUIRE(::mkdir((parent / "mlp-ranks").c_str(), 0700) == 0);
    REQUIRE(::chown((parent / "mlp-ranks").c_str(), 12345, 12345) == 0);

    CHECK(refusal_of(parent) ==
          parent / "mlp-ranks" +
              ": must belong to user 0, who runs this rank; it belongs to user "
              "12345; run all ranks as one user, or remove the folder");
  }

  TEST_CASE("says that a file system has no modes") {
    CHECK_NOTHROW(check_is_private(status_of(0700), 1000, true, "/a"));
    CHECK_THROWS_WITH_AS(
        check_is_private(status_of(0755), 1000, true, "/a"),
        "/a: must have mode 0700; it has 0755 although it was made with 0700, "
        "so its file system has no modes and cannot keep others out; use a "
        "folder on another file system",
        ResourceError);
    CHECK_THROWS_AS(check_is_private(status_of(0700), 1001, true, "/a"),
                    ResourceError);
  }

  TEST_CASE("is writable whatever mask the process has") {
    const ScratchFolder parent;
    MeetingFolder folder(parent.path());

    const mode_t before = ::umask(0277);
    const bool is_opened = folder.open(kIsMaker);
    const bool is_written = folder.write("a", "text");
    ::umask(before);

    CHECK(is_opened);
    CHECK(is_written);
  }
}

}  // namespace mlp::distributed
