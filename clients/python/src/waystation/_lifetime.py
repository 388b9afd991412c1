"""The end and forks of the process, for all its clients."""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from typing import Protocol

from ._patience import print_error

#: Seconds that the end of the interpreter waits for all clients' reports to be delivered.
EXIT_SECONDS = 5.0


class Mortal(Protocol):
    """An object that must not outlive its process, or be shared with a child."""

    def close(self, timeout: float) -> bool:
        """`timeout`: limit in seconds."""

    def after_fork(self) -> None:
        """Called in the child."""


_all: weakref.WeakSet[Mortal] = weakref.WeakSet()


def end_with_process(one: Mortal) -> None:
    """Closes it at the end of the interpreter, and notifies it of forks."""
    _all.add(one)
    # Processes of `multiprocessing` end without `atexit`.
    workers = sys.modules.get("multiprocessing.util")
    process = sys.modules.get("multiprocessing.process")
    if workers is not None and process is not None and process.parent_process() is not None:
        workers.Finalize(None, _close_all, exitpriority=0)


def _close_all() -> None:
    deadline = time.monotonic() + EXIT_SECONDS
    for one in list(_all):
        try:
            one.close(max(deadline - time.monotonic(), 0.1))
        except Exception as error:  # a fault here must not hide how the program ended
            print_error(f"the client could not be closed: {error}")


def _after_fork() -> None:
    for one in list(_all):
        one.after_fork()
    workers = sys.modules.get("multiprocessing.util")
    if workers is not None and len(_all) > 0:
        # A process of `multiprocessing` drops its parent's finalizers, and then calls this.
        workers.register_after_fork(_all, lambda _: workers.Finalize(None, _close_all, exitpriority=0))


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
