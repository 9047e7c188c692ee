# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Which model the functions of SQL and the stages of the jar use."""

import hashlib
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")
from conftest import read_iris  # noqa: E402
from mlp import Model  # noqa: E402

from formats.networks import random_model  # noqa: E402
from spark.frames import iris_frame, make_frame  # noqa: E402
from spark.jvm.stages import transform  # noqa: E402

X, Y = read_iris()
FIRST, SECOND, *OTHERS = (random_model((4, 5, 3), seed=seed) for seed in range(1, 16))


def predictions_of(model: Model) -> list[float]:
    predictions: list[float] = model._core.predict_index(X).tolist()
    return predictions


assert predictions_of(FIRST) != predictions_of(SECOND)


@pytest.fixture
def folder(session: Any, tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    """The folder of relative paths in the JVM."""
    path = session._jvm.org.apache.hadoop.fs.Path
    files = path("file:///").getFileSystem(session._jvm.org.apache.hadoop.conf.Configuration())
    before = files.getWorkingDirectory()
    files.setWorkingDirectory(path(str(tmp_path)))
    yield tmp_path
    files.setWorkingDirectory(before)


@pytest.fixture
def score(session: Any, classes: Any) -> Any:
    """Predicts the rows of Iris by the model of a path, in tasks."""
    from pyspark.sql.types import DoubleType

    make_frame(session, X, Y, [70, 80]).createOrReplaceTempView("flowers")
    session.udf.registerJavaFunction("by_path", "io.mlp.spark.ScoreUdf", DoubleType())

    def run(path: Any) -> list[float]:
        rows = session.sql(f"SELECT by_path(features, '{path}') AS p FROM flowers").collect()
        return [row.p for row in rows]

    return run


def replace(path: pathlib.Path, model: Model) -> None:
    """Replaces a model file by one with the same time of change."""
    before = path.stat()
    model.save(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_file_that_is_replaced_is_read_again(score: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.json"
    FIRST.save(path)
    before = score(path)

    replace(path, SECOND)

    assert before == predictions_of(FIRST)
    assert score(path) == predictions_of(SECOND)


def test_a_file_that_is_written_in_place_is_read_again(
    score: Any, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "model.json"
    FIRST.save(path)
    before = score(path)

    path.write_text(SECOND.to_json())

    assert before == predictions_of(FIRST)
    assert score(path) == predictions_of(SECOND)


def test_a_function_with_a_path_of_its_own_sees_a_new_file(
    session: Any, classes: Any, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "model.json"
    FIRST.save(path)
    classes.ScoreUdf.register(session._jsparkSession, "own_score", str(path))
    iris_frame(session).createOrReplaceTempView("flowers")
    query = "SELECT own_score(features) AS p, own_score_probability(features) AS q FROM flowers"
    session.sql(query).collect()

    replace(path, SECOND)

    rows = session.sql(query).collect()
    assert [row.p for row in rows] == predictions_of(SECOND)
    assert [float(row.q.argmax()) for row in rows] == predictions_of(SECOND)


def test_a_file_that_is_gone_or_damaged_is_refused(score: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.json"
    FIRST.save(path)
    score(path)

    path.write_text(FIRST.to_json()[:-40])
    with pytest.raises(Exception, match="model.json: model:[0-9]+:"):
        score(path)
    path.unlink()
    with pytest.raises(Exception, match="cannot read the model .*model.json: .*does not exist"):
        score(path)


def test_the_name_of_a_file_is_not_the_digest_of_a_text(
    session: Any, classes: Any, score: Any, folder: pathlib.Path
) -> None:
    text = FIRST.to_json()
    name = hashlib.sha256(text.encode()).hexdigest()
    SECOND.save(folder / name)
    stage = classes.NativeMlpModel().setModelText(text)

    scored = transform(stage, iris_frame(session)).collect()

    assert [row.prediction for row in scored] == predictions_of(FIRST)
    assert score(name) == predictions_of(SECOND)


def test_more_models_than_the_cache_holds(score: Any, tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / f"{place}.json" for place in range(len(OTHERS))]
    for path, model in zip(paths, OTHERS):
        model.save(path)

    for _ in range(2):
        for path, model in zip(paths, OTHERS):
            assert score(path) == predictions_of(model)


def test_one_task_uses_several_files(session: Any, score: Any, tmp_path: pathlib.Path) -> None:
    FIRST.save(tmp_path / "first.json")
    SECOND.save(tmp_path / "second.json")

    rows = session.sql(
        f"SELECT by_path(features, '{tmp_path}/first.json') AS a, "
        f"by_path(features, '{tmp_path}/second.json') AS b FROM flowers"
    ).collect()

    assert [row.a for row in rows] == predictions_of(FIRST)
    assert [row.b for row in rows] == predictions_of(SECOND)
