# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""The session of a call that gets no dataset."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import MLPError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["current_session"]


def current_session(caller: str) -> SparkSession:
    """Returns the active session of this thread, or else that of the process.

    The threads of PySpark's ``CrossValidator`` have no active session.

    Raises
    ------
    MLPError
        If there is no session.
    """
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # PySpark 3.4 lacks ``active``.
    find = getattr(SparkSession, "active", SparkSession.getActiveSession)
    try:
        session: SparkSession | None = find()
    except PySparkException:
        session = None
    if session is None:
        raise MLPError(f"{caller} needs a SparkSession; make one first")
    return session
