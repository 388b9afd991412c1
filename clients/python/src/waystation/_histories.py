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

#: Returns a message's key; None if it has none.
KeyOf = Callable[[Any], "str | None"]


class HistoryChange(NamedTuple):
    """Keeps the first `keep` messages and adds `add` after them."""

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
    A list of messages that any number of processes append to and change concurrently: a run in which each checkpoint follows the one
    before. No message is lost or stored twice, and the messages of one process keep their order. Thread-safe; calls run one after the
    other.

    All methods raise ApiRefusalError when the server refuses, for example with status 409 for a change by another agent than the one that
    began the history; TimeoutError after the API's timeout.
    """

    def __init__(self, runners: RunnersApi, run: RunIds) -> None:
        """
        `runners`: of a `WaystationApi`. `run`: holds only this history. Its agent is named as author, and must be the same for all
        processes that change the history.

        Raises ValueError if the run names no agent.
        """
        if not run.agent_id:
            raise ValueError("The run of a history must name its agent.")
        self._runners = runners
        self._run = run
        self.after_fork()
        tell_of_forks(self)

    def after_fork(self) -> None:
        """Another thread may have been in a call: the child must not wait for it."""
        self._known: _Position | None = None
        """The latest state known to this process."""
        self._keys: set[str | None] | None = None
        """The keys of the messages in `_known`; None if unknown."""
        self._turn = threading.Lock()

    def read(self) -> list[Any] | None:
        """All messages; None if there has never been one."""
        with self._turn:
            latest = self._latest("full")
        return None if latest is None else list(latest.get("history") or [])

    def append(self, messages: Sequence[Any], key_of: KeyOf | None = None) -> None:
        """
        Appends messages. They are copied at once: later changes to them do not matter.

        `key_of`: returns a message's key: messages whose key the history already has are left out; those without a key never are.
        Raises TypeError and ValueError for values that are not JSON.
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
        """Removes all messages; the history then begins again. Does nothing if there has never been one."""
        with self._turn:
            if self._latest("none") is not None:
                self._store(lambda _: HistoryChange(0))

    def edit(self, change: Callable[[list[Any]], HistoryChange | None]) -> None:
        """
        Changes the history: reads it, asks for the change, and repeats both if another process was faster.

        `change`: gets all messages; returns None to leave them as they are. Raises ValueError if it keeps more messages than there are.
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
        """The same for messages with keys."""
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
        """False if the base is no longer the latest state; `_known` is then the state that the server named, or None."""
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
            # The state is there, but of another agent: retrying would never end.
            raise ApiRefusalError(409, f"the run {self._run.trace_id} is not of the agent {self._run.agent_id}: give the one that began it")
        self._known = _Position(latest["id"], latest["length"]) if latest.get("id") else None
        return False

    def _position(self) -> _Position:
        """The latest state; begins the history if there is none."""
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
        """The rejection if the base is not the latest state."""
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
    """The messages with new keys, and all keys with theirs."""
    keys, add = set(seen), []
    for message in messages:
        key = key_of(message)
        if key is None or key not in keys:
            add.append(message)
        keys.add(key)
    return add, keys
