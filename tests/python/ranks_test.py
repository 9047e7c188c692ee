# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of ranks that a Python function introduces to each other."""

import pathlib
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlp import _core, errors

PLUGIN = pathlib.Path(_core.__file__ or "").with_name("libmlp_gloo.so")
# A group ends at once if a rank leaves; a machine under load takes its time.
AT_ONCE_SECONDS = 3.0
ROUNDING = 1e-11

pytestmark = pytest.mark.skipif(not PLUGIN.exists(), reason="this build has no plugin for Gloo")


class Meeting:
    """Where the ranks of a test exchange their bytes."""

    def __init__(self, size: int) -> None:
        self.barrier = threading.Barrier(size)
        self.data = [b""] * size
        self.num_calls = [0] * size

    def exchange(self, rank: int, data: bytes) -> list[bytes]:
        self.num_calls[rank] += 1
        self.data[rank] = data
        self.barrier.wait(AT_ONCE_SECONDS)
        return list(self.data)


def connect(
    rank: int, size: int, exchange: Callable[[bytes], list[bytes]], address: str = "",
    secret: bytes = b"", plugin: Any = PLUGIN, timeout: float = 300.0,
) -> Any:
    options = _core.RankOptions()
    options.rank, options.size = rank, size
    options.exchange = exchange
    options.address, options.secret = address, secret
    options.plugin_file = str(plugin)
    options.timeout = timeout
    return _core.Ranks(options)


def run_ranks(
    meeting: Meeting, work: Callable[[Any], Any], timeout: float = 60.0, address: str = "127.0.0.1"
) -> list[Any]:
    """Gives a rank on each thread to work; returns results and exceptions, by rank."""
    size = len(meeting.data)
    secret = secrets.token_bytes(32)
    outcomes: list[Any] = [None] * size

    def run(rank: int) -> None:
        def exchange(data: bytes) -> list[bytes]:
            return meeting.exchange(rank, data)

        try:
            ranks = connect(rank, size, exchange, address, secret, timeout=timeout)
            outcomes[rank] = work(ranks)
            ranks.close()
        except Exception as error:
            outcomes[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def fit(X: np.ndarray, y: np.ndarray, sizes: list[int], ranks: Any = None, **options: Any) -> Any:
    settings = _core.Settings()
    settings.params = _core.Params()
    for name, text in {"layers": "4,5,3", "seed": "1", "maxIter": "30", **options}.items():
        settings.params.set(name, text)
    settings.partition_sizes = sizes
    return _core.fit(settings, _core.Instances(X, y), ranks=ranks).model


def test_sum_numbers_after_one_exchange() -> None:
    meeting = Meeting(3)

    def work(ranks: Any) -> list[float]:
        numbers = np.array([1.0, 10.0 * ranks.rank])
        ranks.allreduce(numbers)
        return numbers.tolist()

    assert run_ranks(meeting, work) == [[3.0, 30.0]] * 3
    assert meeting.num_calls == [1, 1, 1]


@pytest.mark.parametrize("texts", [
    [b"", b"", b""], [b"a", b"", b"1234567"], [bytes(range(256)) * 41, b"\xff" * 12, b"\0"],
])
def test_gather_the_bytes_of_all(texts: list[bytes]) -> None:
    assert run_ranks(Meeting(3), lambda ranks: ranks.all_gather(texts[ranks.rank])) == [texts] * 3


def test_one_rank_exchanges_nothing() -> None:
    ranks = connect(0, 1, lambda data: [])
    numbers = np.array([2.0])

    ranks.allreduce(numbers)

    assert (ranks.rank, ranks.size, numbers[0]) == (0, 1, 2.0)
    assert ranks.all_gather(b"own") == [b"own"]


def test_a_fit_on_ranks_is_the_fit_of_all_rows(iris) -> None:
    X, y = iris[0], iris[1].astype(np.float64)
    alone = fit(X, y, [70, 80])
    parts = [(slice(0, 70), [70]), (slice(0, 0), []), (slice(70, 150), [80])]

    def work(ranks: Any) -> Any:
        rows, sizes = parts[ranks.rank]
        return fit(X[rows], y[rows], sizes, ranks)

    models = run_ranks(Meeting(3), work)

    for model in models:
        np.testing.assert_allclose(model.objective_history, alone.objective_history, rtol=ROUNDING)
        np.testing.assert_array_equal(model.weights, models[0].weights)
        assert model.num_instances == 150


def test_a_rank_that_fails_ends_the_others_at_once_with_its_sentence(iris) -> None:
    X, y = iris[0], iris[1].astype(np.float64)
    wrong = np.where(X == X[3, 1], np.nan, X)
    start = time.monotonic()

    outcomes = run_ranks(
        Meeting(2), lambda ranks: fit(wrong if ranks.rank == 1 else X, y, [150], ranks)
    )

    assert time.monotonic() - start < AT_ONCE_SECONDS
    assert isinstance(outcomes[1], errors.DataError)
    assert isinstance(outcomes[0], errors.CommunicationError)
    assert "rank 1: left: features must be finite" in str(outcomes[0])


def test_a_rank_with_other_options_is_refused(iris) -> None:
    X, y = iris[0], iris[1].astype(np.float64)

    outcomes = run_ranks(
        Meeting(2), lambda ranks: fit(X, y, [150], ranks, maxIter=str(10 + ranks.rank))
    )

    assert all("maxIter" in str(error) for error in outcomes)
    assert all(isinstance(error, errors.CommunicationError) for error in outcomes)


def test_a_rank_that_does_not_sum_is_reported_at_the_deadline() -> None:
    is_over = threading.Event()

    def work(ranks: Any) -> None:
        if ranks.rank == 1:
            is_over.wait(20.0)
        try:
            ranks.allreduce(np.ones(1))
        finally:
            is_over.set()

    outcomes = run_ranks(Meeting(2), work, timeout=1.0)

    assert "no answer within 1 s" in str(outcomes[0])


def test_what_the_exchange_raises_is_raised() -> None:
    def exchange(data: bytes) -> list[bytes]:
        raise KeyError("the scheduler is gone")

    with pytest.raises(KeyError, match="the scheduler is gone"):
        connect(0, 2, exchange, "127.0.0.1", bytes(32))


@pytest.mark.parametrize(
    ("address", "secret", "plugin", "error", "sentence"),
    [
        ("127.0.0.1", b"short", PLUGIN, errors.ParamError, "secret must have 32 bytes; got 5"),
        ("", bytes(32), PLUGIN, errors.ParamError, "address must be given with a secret"),
        ("localhost", bytes(32), PLUGIN, errors.ParamError, "must be the numeric"),
        ("127.0.0.1", bytes(32), "/nowhere/x.so", errors.NotCompiled, "libgloo-dev"),
    ],
)
def test_refuses_what_cannot_connect(address, secret, plugin, error, sentence) -> None:
    with pytest.raises(error, match=sentence):
        connect(0, 2, lambda data: [data, data], address, secret, plugin)


def test_a_closed_group_is_refused() -> None:
    ranks = connect(0, 1, lambda data: [])
    ranks.close()

    with pytest.raises(errors.CommunicationError, match="rank 0 has closed its group"):
        ranks.allreduce(np.ones(1))
