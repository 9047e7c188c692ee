# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, threads and processes."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mlp


@pytest.fixture(autouse=True)
def ctrl_c_interrupts() -> Iterator[None]:
    """A shell that starts the tests in the background has SIGINT ignored."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


# It trains until it is stopped.
PROGRAM = """
import sys, warnings, numpy as np, mlp
features = np.random.default_rng(0).normal(size=({rows}, 50))
labels = np.random.default_rng(1).integers(0, 2, len(features))
estimator = mlp.MLPClassifier(layers=[50, 200, 2], max_iter=10**9, tol=0, solver={solver!r})
print("begin", flush=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    estimator.fit(features, labels, on_interrupt="keep")
print(len(caught), estimator.convergence_reason_, estimator.total_iterations_ > 0,
      estimator.predict(features[:3]).shape, flush=True)
try:
    print("wait", flush=True)
    import time; time.sleep(60)
except KeyboardInterrupt:
    print("raised", flush=True)
"""


@pytest.mark.parametrize("solver", ["l-bfgs", "adam"])
@pytest.mark.parametrize("rows", [20_000, 100_000])
def test_ctrl_c_stops_a_training_within_two_seconds(solver, rows) -> None:
    program = PROGRAM.format(rows=rows, solver=solver)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begin\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    line = process.stdout.readline()
    assert time.monotonic() - start < 2.0
    assert line.startswith("1 stoppedByCallback"), line
    assert process.stdout.readline() == "wait\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "raised\n"
    process.wait()


# Two trainings that end only if they are stopped.
SEARCH = """
import signal, sys, numpy as np, mlp
from sklearn.model_selection import GridSearchCV, cross_val_score
features = np.random.default_rng(0).normal(size=(20_000, 50))
labels = np.random.default_rng(1).integers(0, 2, len(features))
estimator = mlp.MLPClassifier(layers=[50, 100, 2], solver="adam", max_iter=10**9, n_jobs=1)
print("begin", flush=True)
try:
    {search}
except KeyboardInterrupt:
    print("raised", flush=True)
"""


@pytest.mark.parametrize(
    "search",
    [
        'GridSearchCV(estimator, {"seed": [1, 2]}, cv=2).fit(features, labels)',
        "cross_val_score(estimator, features, labels, cv=2)",
        "cross_val_score(estimator, features, labels, cv=2, n_jobs=2)",
    ],
)
def test_ctrl_c_ends_a_whole_search(search) -> None:
    pytest.importorskip("sklearn")
    process = subprocess.Popen(
        [sys.executable, "-c", SEARCH.format(search=search)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
    )
    try:
        assert process.stdout.readline() == "begin\n"
        time.sleep(3.0)
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "raised\n"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class Alarm(Exception):
    """What the handlers of the tests raise."""


def raise_alarm(number: int, frame: object) -> None:
    raise Alarm


def endless(**options: Any) -> mlp.MLPClassifier:
    return mlp.MLPClassifier(
        **{"layers": [50, 200, 2], "max_iter": 10**9, "tol": 0.0} | options
    )


def many_instances(size: int = 100_000) -> tuple[np.ndarray, np.ndarray]:
    features = np.random.default_rng(0).normal(size=(size, 50))
    return features, np.random.default_rng(1).integers(0, 2, size)


@contextlib.contextmanager
def alarm_after(seconds: float, handler: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("solver", ["l-bfgs", "sgd"])
def test_a_handler_that_raises_ends_the_training_with_its_model(solver) -> None:
    estimator = endless(solver=solver)
    data = many_instances()
    start = time.monotonic()

    with pytest.raises(Alarm), alarm_after(1.0, raise_alarm):
        estimator.fit(*data)

    # 0.2 s, and what a busy machine adds.
    assert time.monotonic() - start < 1.0 + 0.2 + 1.0
    assert estimator.convergence_reason_ == "stoppedByCallback"
    assert estimator.predict(data[0][:3]).shape == (3,)


def test_a_handler_that_returns_runs_while_the_training_goes_on() -> None:
    times: list[float] = []
    before = mlp.MLPClassifier(layers=[50, 20, 2], max_iter=5).fit(*many_instances(2000))

    def note(number: int, frame: object) -> None:
        times.append(time.monotonic())

    start = time.monotonic()
    with pytest.raises(Alarm), alarm_after(0.3, note):
        endless().fit(*many_instances(), on_iteration=stop_after(start + 1.0))
    assert len(times) == 1
    assert times[0] - start < 0.3 + 0.2 + 0.5
    after = mlp.MLPClassifier(layers=[50, 20, 2], max_iter=5).fit(*many_instances(2000))
    assert after.model_ == before.model_


def stop_after(end: float) -> Any:
    def look(iteration: mlp.Iteration) -> None:
        if time.monotonic() > end:
            raise Alarm

    return look


def test_ctrl_c_raises_after_the_model_is_kept() -> None:
    estimator = endless()
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])

    def start(iteration: mlp.Iteration) -> None:
        if iteration.iteration == 1:
            timer.start()

    with pytest.raises(KeyboardInterrupt):
        estimator.fit(*many_instances(), on_iteration=start)

    assert estimator.total_iterations_ > 0


def test_callbacks_run_in_the_thread_of_the_fit(iris) -> None:
    threads = set()
    mlp.MLPClassifier(layers=[4, 5, 3], max_iter=3).fit(
        *iris, on_iteration=lambda iteration: threads.add(threading.current_thread())
    )
    assert threads == {threading.current_thread()}


def test_refuses_another_way_to_be_interrupted(iris) -> None:
    with pytest.raises(mlp.ParamError) as caught:
        mlp.MLPClassifier().fit(*iris, on_interrupt="stop")
    assert str(caught.value) == "on_interrupt must be 'raise' or 'keep'; got 'stop'"


def test_other_threads_run_during_a_training() -> None:
    features = np.random.default_rng(0).normal(size=(20_000, 50))
    labels = (features[:, 0] > 0).astype(int)
    count = 0
    is_done = threading.Event()

    def work() -> None:
        mlp.MLPClassifier(layers=[50, 100, 2], max_iter=30, tol=0).fit(features, labels)
        is_done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not is_done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 20


def test_trainings_in_several_threads_do_not_disturb_each_other(iris) -> None:
    expected = mlp.MLPClassifier(layers=[4, 5, 3]).fit(*iris).model_
    models: list[mlp.Model] = []
    threads = [
        threading.Thread(
            target=lambda: models.append(mlp.MLPClassifier(layers=[4, 5, 3]).fit(*iris).model_)
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert models == [expected] * 8


def train_here(instances: tuple[np.ndarray, np.ndarray]) -> bytes:
    return mlp.MLPClassifier(layers=[4, 5, 3]).fit(*instances).model_.weights.tobytes()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_trains_in_child_processes_after_a_training(iris, method) -> None:
    expected = train_here(iris)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(train_here, [iris] * 4) == [expected] * 4


@pytest.mark.parametrize(
    "n_jobs, variables, expected",
    [
        (3, {"MLP_NUM_THREADS": "7"}, 3),
        (None, {"MLP_NUM_THREADS": "7", "OMP_NUM_THREADS": "5"}, 7),
        (None, {"OMP_NUM_THREADS": "5,2"}, 5),
    ],
)
def test_threads_are_those_that_were_asked_for(monkeypatch, n_jobs, variables, expected) -> None:
    from mlp._threads import num_threads

    for name in ("MLP_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert num_threads(n_jobs) == expected


def test_refuses_numbers_of_threads_that_are_none(monkeypatch) -> None:
    from mlp._threads import num_cores, num_threads

    assert num_threads(-1) == num_cores()
    with pytest.raises(mlp.ParamError, match="n_jobs must not be 0"):
        num_threads(0)
    monkeypatch.setenv("MLP_NUM_THREADS", "many")
    with pytest.raises(mlp.ParamError, match="MLP_NUM_THREADS must be an integer"):
        num_threads()
