"""Lists of messages that several processes share."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from ._events import timestamp
from ._forks import tell_of_forks
from ._json import dumps, loads
from ._requests import check_taken
from .errors import ApiRefusalError
from .types import RunIds

if TYPE_CHECKING:
    from ._api_runners import RunnersApi

#: Gives the name of a message; None for one that has none.
KeyOf = Callable[[Any], "str | None"]


class HistoryChange(NamedTuple):
    """The first `keep` messages stay, `add` follows them."""

    keep: int
    add: Sequence[Any] = ()


class _Position(NamedTuple):
    """A stored state of the history."""

    id: str
    """The event that reported it."""
    length: int
    """Number of messages."""


class ThreadHistory:
    """
    A list of messages that any number of processes append to and change at the same time: a run of a thread, of which each checkpoint
    follows the one before. No message is lost or stored twice, and those of one process keep their order. Usable by many threads at
    once; their calls take turns.

    All methods raise ApiRefusalError when the server refuses, such as with status 409 for a change by another agent than the one that
    began the history; TimeoutError after the timeout of the API.
    """

    def __init__(self, runners: RunnersApi, run: RunIds) -> None:
        """
        `runners`: of a `WaystationApi`. `run`: holds the history, and nothing else. Its agent is named as the author: all who change the
        history must give the same one.

        Raises ValueError where the run names no agent.
        """
        if not run.agent_id:
            raise ValueError("The run of a history must name its agent.")
        self._runners = runners
        self._run = run
        self.after_fork()
        tell_of_forks(self)

    def after_fork(self) -> None:
        """Another thread may have been in a call: nobody gives its turn back here."""
        self._known: _Position | None = None
        """The latest state as far as this process knows."""
        self._keys: set[str | None] | None = None
        """The names of its messages, where `_known` is what they belong to."""
        self._turn = threading.Lock()

    def read(self) -> list[Any] | None:
        """All messages; None where there has never been one."""
        with self._turn:
            latest = self._latest("full")
        return None if latest is None else list(latest.get("history") or [])

    def append(self, messages: Sequence[Any], key_of: KeyOf | None = None) -> None:
        """
        Stores messages behind the others. They are copied at once: later changes to them do not matter.

        `key_of`: names a message. One whose name the history has already is left out; one without a name never is.
        Raises TypeError and ValueError for what is not JSON.
        """
        if not messages:
            return
        add: list[Any] = loads(dumps([*messages]))
        with self._turn:
            if key_of is None:
                self._store(lambda base: HistoryChange(base.length, add))
            else:
                self._store_once(add, key_of)

    def clear(self) -> None:
        """Removes all messages; the history then begins again. Does nothing where there has never been one."""
        with self._turn:
            if self._latest("none") is not None:
                self._store(lambda _: HistoryChange(0))

    def edit(self, change: Callable[[list[Any]], HistoryChange | None]) -> None:
        """
        Changes what is stored: reads it, asks for the change, and does so again where another process was faster.

        `change`: gets all messages; None leaves them as they are. Raises ValueError where it keeps more messages than there are.
        """
        event_id = str(uuid.uuid4())
        with self._turn:
            while True:
                base = self._position()
                messages = self._messages()
                if len(messages) != base.length:
                    continue  # another process was faster
                wanted = change(messages)
                if wanted is not None and not 0 <= wanted.keep <= len(messages):
                    raise ValueError(f"The change keeps {wanted.keep} messages of {len(messages)}.")
                if wanted is None or self._is_stored(event_id, base, wanted):
                    return

    def _store(self, change_of: Callable[[_Position], HistoryChange]) -> None:
        event_id = str(uuid.uuid4())
        while True:
            base = self._known or self._position()
            if self._is_stored(event_id, base, change_of(base)):
                return

    def _store_once(self, messages: Sequence[Any], key_of: KeyOf) -> None:
        """The same for messages with names."""
        event_id = str(uuid.uuid4())
        while True:
            base = self._known or self._position()
            if self._keys is None:
                stored = self._messages()
                if len(stored) != base.length:
                    self._known = None  # another process was faster
                    continue
                self._keys = {key_of(one) for one in stored}
            add, keys = _unseen(messages, key_of, self._keys)
            if not add or self._is_stored(event_id, base, HistoryChange(base.length, add)):
                self._keys = keys
                return

    def _is_stored(self, event_id: str, base: _Position, change: HistoryChange) -> bool:
        """False where the base is not the latest state any more; `_known` then is, if the server has named it."""
        length = change.keep + len(change.add)
        history_base = {"id": base.id, "length": change.keep, "is_latest": True}
        self._keys = None
        status = "idle" if length else "cleared"
        rejection = self._report(event_id, {"history_base": history_base, "history": [*change.add], "status": status})
        if rejection is None:
            self._known = _Position(event_id, length)
            return True
        latest = rejection.get("latest") or {}
        if latest.get("id") == base.id and latest["length"] >= change.keep:
            # It has that state, but not of this agent: to try again would not end.
            raise ApiRefusalError(409, f"the run {self._run.trace_id} is not of the agent {self._run.agent_id}: give the one that began it")
        self._known = _Position(latest["id"], latest["length"]) if latest.get("id") else None
        return False

    def _position(self) -> _Position:
        """The latest state; begins the history where there is none."""
        while True:
            latest = self._latest("none")
            if latest is None:
                # All processes begin it with the same event, which counts once.
                self._report(f"{self._run.trace_id}:begin", {"step_index": 0, "history": []})
                continue
            if not latest.get("event_id"):
                raise ValueError(f"The run {self._run.trace_id} of {self._run.thread_id} holds something else than a history.")
            self._known = _Position(latest["event_id"], latest.get("history_length") or 0)
            return self._known

    def _messages(self) -> list[Any]:
        return list((self._latest("full") or {}).get("history") or [])

    def _latest(self, history: str) -> dict[str, Any] | None:
        found = self._runners.latest(self._run.thread_id, trace_id=self._run.trace_id, resume="false", history=history)
        return None if found is None else dict(found)

    def _report(self, event_id: str, data: dict[str, Any]) -> dict[str, Any] | None:
        """The rejection where the base is not the latest state."""
        event = {"type": "checkpoint", "id": event_id, "occurred_at": timestamp(time.time_ns() // 1_000_000)}
        try:
            check_taken(self._runners.report([{**event, "data": {**self._run.members(), **data}}]))
        except ApiRefusalError as refusal:
            [rejected, *_] = refusal.problem.get("rejected") or [refusal.problem]
            if rejected.get("code") == "base_mismatch":
                return dict(rejected)
            raise
        return None


def _unseen(messages: Sequence[Any], key_of: KeyOf, seen: set[str | None]) -> tuple[list[Any], set[str | None]]:
    """The messages whose names are new, and all names with them."""
    keys, add = set(seen), []
    for message in messages:
        key = key_of(message)
        if key is None or key not in keys:
            add.append(message)
        keys.add(key)
    return add, keys
