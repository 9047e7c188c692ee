# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The rule for the number of tasks."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark")
from mlp.spark.training.choice import (  # noqa: E402
    Choice,
    Cluster,
    Training,
    choose_num_workers,
    sum_seconds,
)

CLUSTER = Cluster(max_workers=12, num_threads=1, task_bytes=2.0**31)
PAIR = CLUSTER._replace(max_workers=2)
IRIS = Training(num_weights=43, num_passes=100)
LETTERS = Training(num_weights=1754, num_passes=50)
NARROW = Training(num_weights=738, num_passes=20)
MNIST = Training(num_weights=79_510, num_passes=100)
LARGE = Training(num_weights=11_972_510, num_passes=100)


@pytest.mark.parametrize("num_rows, num_columns, training, cluster, expected", [
    (0, 7, IRIS, CLUSTER, 1),
    (150, 7, IRIS, CLUSTER, 1),
    (150, 7, IRIS, PAIR, 1),
    (100_000, 7, IRIS, CLUSTER, 1),
    (20_000, 19, LETTERS, CLUSTER, 1),
    (1_000_000, 23, NARROW, PAIR, 2),
    (1_000, 787, MNIST, CLUSTER, 1),
    (10_000, 787, MNIST, PAIR, 2),
    (10_000, 787, MNIST, CLUSTER, 8),
    (60_000, 787, MNIST, CLUSTER, 10),
    (60_000, 787, MNIST, CLUSTER._replace(max_workers=1), 1),
    # Sixteen threads compute faster than sums pay.
    (2_000, 787, MNIST, CLUSTER._replace(num_threads=16), 1),
    (8_100_000, 787, LARGE, CLUSTER, 12),
    # A GPU computes the same in a hundredth of the time.
    (10_000, 787, MNIST._replace(device="cuda:0"), CLUSTER, 1),
    # Each step of 32 rows sums 95 MB.
    (10_000, 787, LARGE._replace(batch_size=32), CLUSTER, 1),
])
def test_chooses_by_the_size(
    num_rows: int, num_columns: int, training: Training, cluster: Cluster, expected: int
) -> None:
    choice = choose_num_workers(num_rows, num_columns, [training], cluster)

    assert choice.num_workers == expected
    assert expected == 1 or choice.seconds < choice.seconds_alone


def test_trainings_that_follow_each_other_read_the_rows_once_in_one_task() -> None:
    rows = 200_000
    one = choose_num_workers(rows, 19, [NARROW], PAIR)
    many = choose_num_workers(rows, 19, [NARROW] * 12, PAIR)

    load = rows * 19 * 8 / 200e6
    assert many.num_workers == 1
    assert many.seconds == pytest.approx(12 * (one.seconds_alone - load) + load)


@pytest.mark.parametrize("task_bytes, expected", [(2.0**31, 1), (4.0e6, 3), (1.0, 12)])
def test_a_task_that_cannot_hold_all_rows_is_no_choice(task_bytes: float, expected: int) -> None:
    cluster = CLUSTER._replace(task_bytes=task_bytes)

    # 12.0e6 bytes
    choice = choose_num_workers(150_000, 10, [IRIS._replace(num_passes=1)], cluster)

    assert choice.num_workers == expected


def test_estimates_loading_and_computing() -> None:
    # 8 * 25 * 10^6 bytes at 200 MB/s, and 10 times 10^6 * (6 * 1000 / 30e9 + 50e-9) s.
    alone = CLUSTER._replace(max_workers=1)

    choice = choose_num_workers(1_000_000, 25, [Training(1000, 10)], alone)

    assert choice == Choice(1, pytest.approx(3.5), pytest.approx(3.5))


@pytest.mark.parametrize("num_workers, expected", [
    (4, 0.102619),  # by halving: 2 * (2 * 150e-6 + 3 / 4 * 8 * 10^6 / 117.625e6)
    (5, 0.110020),  # in a ring: 8 * (8 * 10^6 / 5 / 117.625e6 + 150e-6)
])
def test_a_sum_takes_the_messages_of_the_faster_way(num_workers: int, expected: float) -> None:
    assert sum_seconds(1_000_000, num_workers) == pytest.approx(expected, rel=1e-4)
