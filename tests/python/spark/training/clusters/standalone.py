# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""A standalone master of Spark with two workers, each a process of its own on this machine."""

import contextlib
import os
import pathlib
import socket
import subprocess
import time
from collections.abc import Iterator

HOST = "127.0.0.1"
# Spark starts no copy of a task on the host that runs the task.
WORKER_HOSTS = [HOST, "127.0.0.2"]
SECONDS_TO_START = 120.0
SECONDS_TO_END = 20.0


def free_port() -> int:
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1.0):
            return
        time.sleep(0.2)
    raise TimeoutError(f"nothing listens on port {port}")


def start(
    name: str, host: str, arguments: list[str], log: pathlib.Path
) -> "subprocess.Popen[bytes]":
    """Starts a service of Spark, by the classes of PySpark."""
    import pyspark

    spark = pathlib.Path(pyspark.__file__).parent
    command = [str(spark / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}"]
    environment = os.environ | {"SPARK_HOME": str(spark), "SPARK_LOCAL_IP": host}
    with log.open("w") as file:
        return subprocess.Popen(
            [*command, "--host", host, "--webui-port", "0", *arguments],
            env=environment, stdout=file, stderr=file,
        )


@contextlib.contextmanager
def start_cluster(folder: pathlib.Path) -> Iterator[str]:
    """Starts a master and two workers of two cores; yields the URL of the master."""
    port = free_port()
    url = f"spark://{HOST}:{port}"
    processes = [start("master.Master", HOST, ["--port", str(port)], folder / "master.log")]
    try:
        wait_for_port(port)
        for host in WORKER_HOSTS:
            arguments = ["--cores", "2", "--memory", "1g", "--work-dir", f"{folder}/{host}", url]
            processes.append(start("worker.Worker", host, arguments, folder / f"{host}.log"))
        yield url
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(SECONDS_TO_END)
