# SPDX-FileCopyrightText: The mlp authors
# SPDX-License-Identifier: Apache-2.0
"""Runs one training and its predictions in a process of their own, which may use so much
processor time and no more, and which leaves nothing behind."""
import multiprocessing
import os
import resource
import signal

OUT_OF_TIME = "out of time"


def cpu_seconds():
    """Processor time of this process and of those that it waited for, user and system."""
    used = [resource.getrusage(who)
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def in_process(work, cpu_limit):
    """Returns the dictionary that work() returns, or one whose member `failed` says why
    there is none. A limit of processor time does not depend on what else runs."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(work, sender, cpu_limit))
    child.start()
    sender.close()
    try:
        found = receiver.recv()
    except EOFError:
        found = None
    child.join()
    if found is not None:
        return found
    if child.exitcode == -signal.SIGXCPU:
        return {"failed": OUT_OF_TIME}
    return {"failed": f"the process ended with {child.exitcode}"}


def _send(work, sender, cpu_limit):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_limit, cpu_limit + 1))
    nowhere = os.open(os.devnull, os.O_WRONLY)  # some peers print while they train
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        sender.send(work())
    except Exception as error:  # any failure of a peer is a result of the comparison
        sender.send({"failed": f"{type(error).__name__}: {error}"})
