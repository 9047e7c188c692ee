# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Trainings on several tasks that run at the same time and sum over Gloo."""
from __future__ import annotations

import logging
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _core
from ...errors import CommunicationError, DataError, MLPError
from .checkpoints import Checkpoints, checkpoints_of
from .cluster import require_slots
from .gang import Gang, join_gang, run_gang
from .one_task import (
    MODEL,
    builtin,
    describe,
    load,
    log_notes,
    make_progress,
    make_settings,
    make_validation,
    on_this_task,
    plan_memory,
    raise_failure,
    reply_model,
    result_of,
)
from .memory import RUNNING, RowFeatures, TaskMemory, as_array, naming_setting, read_rows
from .reports import Recipient, report_to
from .request import FitRequest, FitResult
from .rows import HeldOut, TrainingArrays
from .spread import spread
from .worker import Reply, make_worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["train_several_tasks"]

LOGGER = logging.getLogger("mlp.spark")
MAX_ATTEMPTS = 3
# That a task sends to the others at once.
BLOCK_NUMBERS = 1 << 21


def train_several_tasks(
    rows: DataFrame, request: FitRequest, recipient: Recipient | None = None, number: int = 0
) -> FitResult:
    """Trains in one job whose tasks form a group. If a task is lost, all start again.

    They start from the last checkpoint if the request has a folder for checkpoints, and
    otherwise from the beginning; the model is the same up to rounding.

    Parameters
    ----------
    recipient : Recipient, optional
        Who gets the iterations, as those of the training of this `number`.

    Raises
    ------
    ParamError
        If the cluster has too few slots for the tasks.
    NotCompiled
        If the package of an executor has no Gloo.
    MLPError
        What the library raised in a task.
    """
    with checkpoints_of(request.checkpoint_dir) as checkpoints:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            size = require_slots(
                rows.sparkSession, request.num_workers, request.timeout, attempt > 1
            )
            try:
                run = checkpoints.begin(attempt), builtin(recipient), number
                return train_once(rows, request, size, run)
            except CommunicationError as error:
                if attempt == MAX_ATTEMPTS:
                    raise CommunicationError(
                        f"the training failed {attempt} times; the last time: {error}"
                    ) from error
                LOGGER.warning(
                    "attempt %d of %d to train on %d tasks failed (%s); the training starts "
                    "again from %s", attempt, MAX_ATTEMPTS, size, str(error)[:500],
                    "its last checkpoint" if checkpoints.newest() else "the beginning",
                )
    raise AssertionError("unreachable")


def train_once(
    rows: DataFrame, request: FitRequest, size: int, run: tuple[Any, ...]
) -> FitResult:
    has_validation = "validation" in rows.columns

    def submit(gang: Gang) -> list[Reply]:
        size = gang.invitation.size
        with RUNNING.add(size) as at_once:
            memory = builtin(plan_memory(rows, [request], at_once))
            arguments = (asdict(request), tuple(gang.invitation), has_validation, memory, *run)
            work = make_worker("mlp.spark.training.several_tasks", "fit_as_rank", arguments)
            described = gang._replace(
                description=f"mlp.spark: train {describe([request])}, on {size} tasks together"
            )
            return described.collect(spread(rows, size), work)

    return read_model(run_gang(rows.sparkSession, size, request.timeout, submit))


def read_model(replies: list[Reply]) -> FitResult:
    """Returns the model of rank 0; raises the first cause if a rank failed."""
    failed = [reply for reply in replies if reply.kind != MODEL]
    # A rank that fails ends the others with errors of communication.
    own = [reply for reply in failed if reply.kind != CommunicationError.__name__]
    for reply in own or failed:
        raise_failure(reply)
    if not replies:
        # Spark 3.5 runs no stage on rows that a shuffle found to be none.
        raise DataError("the training data must have at least 1 instance; got none")
    if len(replies) != 1:
        raise MLPError(f"Spark must give the model of rank 0; got {len(replies)} models")
    result = result_of(replies[0])
    log_notes([result])
    if result.checkpoint_failure:
        LOGGER.warning("a checkpoint was not written: %s", result.checkpoint_failure)
    return result


def fit_as_rank(
    batches: Iterable[Any],
    fields: dict[str, Any],
    invitation: tuple[Any, ...],
    has_validation: bool,
    memory: tuple[Any, ...] | None,
    checkpoints: dict[str, Any],
    recipient: tuple[Any, ...] | None,
    number: int,
) -> Iterator[Reply]:
    """Trains in a task, with the others of its gang."""
    request = on_this_task(FitRequest(**fields))
    share = None if memory is None else TaskMemory(*memory)
    with join_gang(invitation) as wait_for_group, naming_setting(share):
        Checkpoints.require(checkpoints)
        arrays, note = load(batches, [request], share)
        group = wait_for_group()
        validation = None
        if has_validation:
            rows = RowFeatures(request.layers[0], share)
            validation = gather_held_out(arrays.validation, rows, group)
            note = note or rows.note
        note = note_of_all(note, group)
        with report_to(recipient if group.rank == 0 else None, number) as report:
            settings = make_settings(request, arrays.partition_sizes)
            for name, value in checkpoints.items():
                setattr(settings.checkpoint, name, value)
            with make_progress(request, settings, group.rank == 0, report(number)) as callback:
                outcome = fit(arrays, validation, settings, callback, group)
    if group.rank == 0:
        yield reply_model(0, FitResult.of(outcome, note))


def gather_held_out(
    own: HeldOut | None, rows: RowFeatures, group: _core.Ranks
) -> HeldOut | None:
    """Returns the validation rows of all tasks, in the order of the ranks.

    Each task has all of them: if they exceed its memory, they are in a file.

    Parameters
    ----------
    own : HeldOut, optional
        Those of this task; None if Spark sent it no rows.
    rows : RowFeatures
        Gets the features.
    """
    columns = None if own is None else (own.y, own.weights)
    parts = [pickle.loads(part) for part in group.all_gather(pickle.dumps(columns))]
    known = [part for part in parts if part is not None]
    if not known:
        return None
    at_once = max(1, BLOCK_NUMBERS // rows.num_features)
    if sum(len(part[0]) for part in known) <= at_once:
        all_rows = b"" if own is None else as_array(own.X).tobytes()
        for block in group.all_gather(all_rows):
            rows.append(np.frombuffer(block).reshape(-1, rows.num_features))
        return join_rows(known, rows)
    for rank, part in enumerate(parts):
        size = 0 if part is None else len(part[0])
        for first in range(0, size, at_once):
            block = b""
            if own is not None and rank == group.rank:
                block = read_rows(own.X, first, min(at_once, size - first)).tobytes()
            numbers = np.frombuffer(group.all_gather(block)[rank])
            rows.append(numbers.reshape(-1, rows.num_features))
    return join_rows(known, rows)


def note_of_all(note: str, group: _core.Ranks) -> str:
    """Returns the first note of a task about its memory, and how many have one; "" without."""
    notes = [part.decode() for part in group.all_gather(note.encode())]
    noted = [one for one in notes if one]
    if len(noted) < 2:
        return "".join(noted)
    return f"{noted[0]}; so it is in {len(noted)} of the {len(notes)} tasks"


def join_rows(known: list[tuple[Any, Any]], rows: RowFeatures) -> HeldOut:
    labels, weights = zip(*known)
    (X,) = rows.take(None)
    joined = None if weights[0] is None else np.concatenate(weights)
    return HeldOut(X, np.concatenate(labels), joined)


def fit(
    arrays: TrainingArrays,
    validation: HeldOut | None,
    settings: _core.Settings,
    callback: Any,
    group: _core.Ranks,
) -> _core.Outcome:
    instances = _core.Instances(arrays.X, arrays.y, arrays.weights)
    return _core.fit(settings, instances, make_validation(validation), None, callback, group)
