"""Sends what graphs store and report at each step."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ._api_states import StatesApi
from ._forks import tell_of_forks
from .errors import ApiRefusalError

Json = dict[str, Any]
#: Events to report in the same request. Called when the stored part takes its place in the order.
EventsBeside = Callable[[], Sequence[Mapping[str, Any]]]

#: Limit of parts per request.
_MOST_PARTS = 100


class _Part(NamedTuple):
    checkpoint: Mapping[str, Any] | None
    writes: Mapping[str, Any] | None
    events: Sequence[Mapping[str, Any]]


class _Waiting:
    def __init__(self, part: _Part) -> None:
        self.part = part
        self.is_done = False
        self.stored: Json | None = None
        self.error: BaseException | None = None


class _Thread:
    def __init__(self) -> None:
        self.waiting: list[_Waiting] = []
        self.is_sending = False


class StepQueue:
    """
    Each thread has one request in flight; parts that arrive meanwhile go out together in the next one, in order. A step of a graph
    therefore costs one or two requests. Thread-safe: one of the waiting threads sends for all.
    """

    def __init__(self, states: StatesApi, agent_id: str) -> None:
        self._states = states
        self._agent_id = agent_id
        self.after_fork()
        tell_of_forks(self)

    def after_fork(self) -> None:
        self._change = threading.Condition()
        self._by_thread: dict[str, _Thread] = {}

    def send(
        self,
        thread_id: str,
        *,
        checkpoint: Mapping[str, Any] | None = None,
        writes: Mapping[str, Any] | None = None,
        events: EventsBeside = list,
    ) -> Json | None:
        """
        Returns the digests of the checkpoint once everything is stored durably; None without a checkpoint.

        Raises ApiRefusalError if the server refuses it or one of its events.
        """
        with self._change:
            entry = _Waiting(_Part(checkpoint, writes, events()))
            thread = self._by_thread.setdefault(thread_id, _Thread())
            thread.waiting.append(entry)
        self._wait(thread_id, thread, entry)
        if entry.error is not None:
            raise entry.error
        return entry.stored

    def _wait(self, thread_id: str, thread: _Thread, entry: _Waiting) -> None:
        while True:
            with self._change:
                while thread.is_sending and not entry.is_done:
                    self._change.wait()
                if entry.is_done:
                    return
                thread.is_sending = True
                count = _count(thread.waiting)
                some, thread.waiting = thread.waiting[:count], thread.waiting[count:]
            try:
                self._send(thread_id, some)
            finally:
                with self._change:
                    thread.is_sending = False
                    if not thread.waiting:
                        self._by_thread.pop(thread_id, None)
                    self._change.notify_all()

    def _send(self, thread_id: str, entries: Sequence[_Waiting]) -> None:
        try:
            parts = [one.part for one in entries]
            step = {
                "checkpoint": next((part.checkpoint for part in parts if part.checkpoint is not None), None),
                "writes": [part.writes for part in parts if part.writes is not None],
                "events": [event for part in parts for event in part.events],
            }
            given = {name: value for name, value in step.items() if value}
            response = self._states.put_step(thread_id, given, agent_id=self._agent_id)
        except BaseException as error:
            if len(entries) > 1 and isinstance(error, ApiRefusalError):
                # One part is at fault; the others must still be stored.
                for one in entries:
                    self._send(thread_id, [one])
                return
            for one in entries:
                one.error, one.is_done = error, True
            return
        first = 0
        for one in entries:
            end = first + len(one.part.events)
            one.stored = response["checkpoint"] if one.part.checkpoint is not None else None
            one.error = _refusal(response["events"], first, end)
            one.is_done, first = True, end


def _count(waiting: Sequence[_Waiting]) -> int:
    """How many of the first parts fit into one request: one checkpoint, and each task once."""
    tasks: set[tuple[Any, Any, Any]] = set()
    has_checkpoint = False
    for at, one in enumerate(waiting[:_MOST_PARTS]):
        writes = one.part.writes
        task = None if writes is None else (writes["ns"], writes["checkpoint_id"], writes["task_id"])
        if (one.part.checkpoint is not None and has_checkpoint) or task in tasks:
            return at
        has_checkpoint = has_checkpoint or one.part.checkpoint is not None
        if task is not None:
            tasks.add(task)
    return min(len(waiting), _MOST_PARTS)


def _refusal(events: Mapping[str, Any] | None, first: int, end: int) -> ApiRefusalError | None:
    refused = next((one for one in (events or {}).get("rejected", []) if first <= one["index"] < end), None)
    if refused is None:
        return None
    error = ApiRefusalError(207, f"an event was refused ({refused['code']}): {refused['detail']}")
    error.problem = {"status": 207, "code": refused["code"], "detail": refused["detail"]}
    return error
