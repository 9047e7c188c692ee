# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The folder of the checkpoints of one training."""

import pathlib

import pytest

pytest.importorskip("pyspark")
from mlp.errors import ParamError, ResourceError  # noqa: E402
from mlp.spark.training.checkpoints import Checkpoints, checkpoints_of  # noqa: E402


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_an_attempt_resumes_from_a_copy_of_the_last_checkpoint(
    prefix: str, tmp_path: pathlib.Path
) -> None:
    with checkpoints_of(f"{prefix}{tmp_path}/new") as checkpoints:
        first = checkpoints.begin(1)
        assert first["resume_file"] == "" and checkpoints.newest() is None
        pathlib.Path(first["file"]).write_text("state 1")
        pathlib.Path(first["file"] + ".previous").write_text("state 0")

        second = checkpoints.begin(2)

        assert pathlib.Path(second["resume_file"]).read_text() == "state 1"
        assert second["file"] != first["file"]
        assert second["data"] == first["data"]
        assert checkpoints.begin(3)["resume_file"] != second["resume_file"]


def test_the_folder_is_removed_afterwards(tmp_path: pathlib.Path) -> None:
    with checkpoints_of(str(tmp_path)):
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_nothing_is_written() -> None:
    with checkpoints_of(None) as checkpoints:
        assert checkpoints.begin(1) == {}
        assert checkpoints.newest() is None


def test_refuses_folders_that_tasks_cannot_share(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ParamError, match="folder of a shared file system"):
        with checkpoints_of("hdfs://host/folder"):
            pass
    with pytest.raises(ResourceError, match="cannot be written"):
        with checkpoints_of(str(tmp_path / "file")):
            pass
    with pytest.raises(ResourceError, match="that the driver and all executors share"):
        Checkpoints.require({"file": str(tmp_path / "missing" / "attempt-1")})
