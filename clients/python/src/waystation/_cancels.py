"""Notices of runs that a person has cancelled."""

from __future__ import annotations

from typing import Callable

from ._batch_responses import CancelledRun
from ._patience import call
from .types import RunIds


class CancelNotices:
    """Responses to reports name a cancelled run repeatedly; its listeners are told once per start of the run."""

    def __init__(self, on_cancel: Callable[[CancelledRun], None]) -> None:
        self._on_cancel = on_cancel
        self._told: set[CancelledRun] = set()
        self._watched: dict[CancelledRun, Callable[[], None]] = {}

    def begin(self, run: RunIds) -> None:
        """Call it at each start of a run."""
        self._told.discard(_named(run))

    def watch(self, run: RunIds, listener: Callable[[], None]) -> None:
        """Also calls the listener when this run is cancelled."""
        self._watched[_named(run)] = listener

    def unwatch(self, run: RunIds) -> None:
        self._watched.pop(_named(run), None)

    def tell(self, run: CancelledRun) -> None:
        """Call it whenever the server names a cancelled run."""
        if run in self._told:
            return
        self._told.add(run)
        watched = self._watched.get(run)
        if watched is not None:
            watched()
        call(self._on_cancel, run)


def _named(run: RunIds) -> CancelledRun:
    return CancelledRun(run.thread_id, run.trace_id)
