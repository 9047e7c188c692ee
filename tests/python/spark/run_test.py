# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the user on tasks that sum together."""

from __future__ import annotations

import os
import pathlib
import runpy
import time
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

pytest.importorskip("pyspark")
import mlp  # noqa: E402
import mlp.spark  # noqa: E402
from mlp.spark.training.group import plugin_file  # noqa: E402

# A group ends at once if a rank fails; starting a stage takes a second.
AT_ONCE_SECONDS = 20.0

pytestmark = pytest.mark.skipif(
    not plugin_file().exists(), reason="this build has no plugin for Gloo"
)


def test_gives_a_function_its_rank_and_the_sums_of_all(session: Any) -> None:
    def work(rank: Any, factor: float) -> Any:
        sums = rank.allreduce(np.full((2, 2), factor * rank.rank, dtype=np.float32))
        return rank.rank, rank.size, sums.tolist(), str(sums.dtype)

    results = mlp.spark.run(work, num_workers=2, args=[3])

    expected = [[3.0, 3.0], [3.0, 3.0]]
    assert results == [(0, 2, expected, "float64"), (1, 2, expected, "float64")]


@pytest.mark.parametrize("num_workers, size", [(None, 2), (1, 1)])
def test_uses_all_slots_or_as_many_as_wanted(
    num_workers: int | None, size: int, session: Any
) -> None:
    sums = mlp.spark.run(lambda rank: float(rank.allreduce(1.0)), num_workers, spark=session)

    assert sums == [float(size)] * size


def test_a_broadcast_gives_all_ranks_the_value_of_one(session: Any) -> None:
    def work(rank: Any) -> Any:
        own = {"weights": np.arange(3) + rank.rank}
        first, last = rank.broadcast(own), rank.broadcast(own if rank.rank == 1 else None, root=1)
        return first["weights"].tolist(), last["weights"].tolist()

    assert mlp.spark.run(work, num_workers=2) == [([0, 1, 2], [1, 2, 3])] * 2


def test_refuses_the_broadcast_of_a_rank_that_is_not_there(session: Any) -> None:
    with pytest.raises(mlp.MLPError, match="root must be a rank, 0..0; got 1"):
        mlp.spark.run(lambda rank: rank.broadcast(1, root=1), num_workers=1)


def test_the_ranks_divide_the_rows_of_a_frame(session: Any) -> None:
    def work(rank: Any) -> Any:
        total = sum(float(np.sum(batch.column("id").to_numpy())) for batch in rank.batches)
        return total, float(rank.allreduce(total))

    results = mlp.spark.run(work, num_workers=2, rows=session.range(1000))

    totals, sums = zip(*results)
    assert sums == (499500.0, 499500.0)
    assert min(totals) > 0 and sum(totals) == 499500.0


def test_a_rank_may_have_no_rows_or_leave_some(session: Any) -> None:
    counts = mlp.spark.run(lambda rank: len(list(rank.batches)), 2, rows=session.range(1))
    assert sorted(counts) == [0, 1]
    assert mlp.spark.run(lambda rank: rank.size, 2, rows=session.range(100_000)) == [2, 2]
    nothing = session.range(1).where("id > 5")
    assert mlp.spark.run(lambda rank: (rank.size, len(list(rank.batches))), 2, rows=nothing) == [
        (2, 0), (2, 0)
    ]


def test_a_rank_that_raises_ends_the_others_with_its_text(session: Any) -> None:
    def work(rank: Any) -> None:
        if rank.rank == 1:
            raise ValueError("no more data")
        rank.allreduce([1.0])

    start = time.monotonic()
    with pytest.raises(mlp.MLPError, match="rank 1 raised ValueError: no more data") as caught:
        mlp.spark.run(work)

    assert time.monotonic() - start < AT_ONCE_SECONDS
    assert "in work" in str(caught.value.__cause__)


def test_a_rank_that_never_sums_is_reported_after_the_timeout(session: Any) -> None:
    def work(rank: Any) -> None:
        if rank.rank == 1:
            time.sleep(4)
        else:
            rank.allreduce([1.0])

    with pytest.raises(mlp.CommunicationError, match="rank 0 raised .* no answer within 1.5 s"):
        mlp.spark.run(work, timeout=1.5)


def test_a_process_that_is_killed_ends_the_run(session: Any) -> None:
    def work(rank: Any) -> None:
        if rank.rank == 1:
            os.kill(os.getpid(), 9)
        rank.allreduce([1.0])

    start = time.monotonic()
    with pytest.raises(mlp.CommunicationError, match="exited unexpectedly|lost its process"):
        mlp.spark.run(work)

    assert time.monotonic() - start < AT_ONCE_SECONDS


@pytest.mark.parametrize("num_workers, text", [(3, "at most 2.*got 3"), (0, ">= 1; got 0")])
def test_refuses_more_tasks_than_slots_at_once(num_workers: int, text: str, session: Any) -> None:
    start = time.monotonic()

    with pytest.raises(mlp.ParamError, match=text):
        mlp.spark.run(lambda rank: None, num_workers)
    assert time.monotonic() - start < AT_ONCE_SECONDS


def test_names_what_a_build_without_gloo_lacks(
    session: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlp.spark.training.group.plugin_file", lambda: tmp_path / "libmlp_gloo.so")

    with pytest.raises(mlp.NotCompiled, match="scripts/build-wheels"):
        mlp.spark.run(lambda rank: None, num_workers=2)


def test_the_example_trains_the_model_of_one_process(session: Any) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "python" / "spark_run.py"))
    X, y = example["make_data"]()

    weights, accuracy = example["main"](session)

    expected = example["train"](None, X, y)
    np.testing.assert_allclose(weights, expected, rtol=1e-9)
    assert accuracy > 0.9
