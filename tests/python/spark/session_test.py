# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The session of a call without a dataset."""

import threading
from typing import Any

import pytest

pytest.importorskip("pyspark")
import pyspark  # noqa: E402
from mlp import MLPError  # noqa: E402
from mlp.spark.session import current_session  # noqa: E402


def test_is_that_of_the_process_in_a_thread_without_one(session: Any) -> None:
    if pyspark.__version__ < "3.5":
        pytest.skip("PySpark 3.4 lacks SparkSession.active")
    found: list[Any] = []

    thread = threading.Thread(target=lambda: found.append(current_session("this")))
    thread.start()
    thread.join()

    assert found == [session] and current_session("this") is session


def test_names_who_needs_a_session(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)

    with pytest.raises(MLPError, match="^this needs a SparkSession; make one first$"):
        current_session("this")
