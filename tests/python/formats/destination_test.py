# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Files and folders that are replaced as a whole, or stay as they were."""
from __future__ import annotations

import os
import pathlib

import pytest
from mlp import ModelError
from mlp.formats.destination import new_file, new_folder


def names(folder: pathlib.Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_when_it_is_complete(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model"
    path.write_text("old")

    with new_file(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"

    assert path.read_text() == "new"
    assert names(tmp_path) == ["model"]


def test_a_file_stays_if_writing_fails(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model"
    path.write_text("old")

    with pytest.raises(OSError, match="no space"), new_file(path) as part:
        part.write_text("half")
        raise OSError("no space")

    assert path.read_text() == "old"
    assert names(tmp_path) == ["model"]


def test_a_link_stays_a_link(tmp_path: pathlib.Path) -> None:
    (tmp_path / "link").symlink_to("model")

    with new_file(tmp_path / "link") as part:
        part.write_text("new")

    assert (tmp_path / "model").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


def test_a_folder_is_refused_if_it_exists(tmp_path: pathlib.Path) -> None:
    (tmp_path / "model").mkdir()

    with pytest.raises(ModelError, match="exists"), new_folder(
        tmp_path / "model", overwrite=False, is_replaceable=lambda _: True
    ):
        pass

    assert names(tmp_path) == ["model"]


def test_a_link_to_nothing_is_written_through(tmp_path: pathlib.Path) -> None:
    (tmp_path / "link").symlink_to("model")

    with new_folder(tmp_path / "link", overwrite=False, is_replaceable=lambda _: True) as part:
        (part / "file").touch()

    assert names(tmp_path / "model") == ["file"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_take_its_place(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "model"
    target.mkdir()
    (target / "old").touch()
    rename = os.rename

    def fail_once(source: pathlib.Path, destination: pathlib.Path) -> None:
        if (source / "new").exists():
            raise OSError("device is busy")
        rename(source, destination)

    monkeypatch.setattr(os, "rename", fail_once)
    with pytest.raises(OSError, match="busy"), new_folder(target, True, lambda _: True) as part:
        (part / "new").touch()

    assert names(target) == ["old"]
    assert names(tmp_path) == ["model"]
