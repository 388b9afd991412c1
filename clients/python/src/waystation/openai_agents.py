"""
Sessions of the OpenAI Agents SDK that are kept on a Waystation server: conversations outlive their processes, and people see them in the
console. Needs nothing of the SDK; `Runner.run(agent, "Hello", session=WaystationSession("customer-17"))` takes it as a `Session`.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from typing import Any, Callable, NamedTuple, TypeVar
from urllib.parse import quote

from ._client import WaystationClient
from ._delivery import EVENTS_PATH
from ._events import timestamp
from ._json import dumps, loads
from .errors import ApiRefusalError

T = TypeVar("T")
_TRACE = "session"


class _Position(NamedTuple):
    """A stored state of the history."""

    id: str
    """The event that reported it."""
    length: int
    """Number of items."""


class WaystationSession:
    """
    The SDK's `Session`. Any number of processes may share one, those of the package for JavaScript among them; what each adds stays in
    its order, and nothing is lost or stored twice. Items come back as they were given, as JSON holds them.
    """

    def __init__(
        self,
        session_id: str | None = None,
        *,
        client: WaystationClient | None = None,
        agent_id: str = "openai-agents",
        thread_prefix: str = "openai-agents:",
        timeout: float = 60.0,
    ) -> None:
        """
        `session_id`: the session to go on with; a new one where it is None. `client`: default is a new one, with its settings from the
        environment. `agent_id`: the agent that the server names as the author; the token must be for it. The thread is `thread_prefix`,
        followed by the session's id. `timeout`: seconds to wait for a server that is away.

        Raises ClientSettingError when the address or the token of the server is missing or unusable.
        """
        self.session_id = session_id or str(uuid.uuid4())
        self.session_settings: Any = None
        """For the SDK, which may give a `limit` in it."""
        self.thread_id = thread_prefix + self.session_id
        self._agent_id = agent_id
        self._timeout = timeout
        self._client = client or WaystationClient(agent_id=agent_id)
        self._turn = threading.Lock()
        self._known: _Position | None = None

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """`limit`: how many of the last items. Raises ApiRefusalError; TimeoutError when the server is away for long."""
        if limit is None:
            limit = getattr(self.session_settings, "limit", None)
        if limit is not None and limit <= 0:
            return []
        items = await self._in_turn(lambda: self._items() or [])
        return items if limit is None else items[-limit:]

    async def add_items(self, items: list[Any]) -> None:
        """Stores items behind the others. Raises TypeError and ValueError for what is not JSON, and as `get_items` does."""
        if not items:
            return
        add = loads(dumps(items))  # what the caller changes afterwards does not count
        await self._in_turn(lambda: self._store(lambda base: (base.length, add)))

    async def pop_item(self) -> Any:
        """Removes the last item and returns it; None where there is none. Raises as `get_items` does."""
        return await self._in_turn(self._pop)

    async def clear_session(self) -> None:
        """Removes all items. Raises as `get_items` does."""

        def clear() -> None:
            if self._latest("none") is not None:
                self._store(lambda _: (0, []))

        await self._in_turn(clear)

    async def _in_turn(self, work: Callable[[], T]) -> T:
        def locked() -> T:
            with self._turn:
                return work()

        return await asyncio.to_thread(locked)

    def _pop(self) -> Any:
        event_id = str(uuid.uuid4())
        while True:
            base = self._position()
            items = self._items() or []
            if len(items) != base.length:
                continue  # another process was faster
            if not items or self._is_stored(event_id, base, base.length - 1, []):
                return items[-1] if items else None

    def _store(self, change: Callable[[_Position], tuple[int, list[Any]]]) -> None:
        event_id = str(uuid.uuid4())
        while True:
            base = self._known or self._position()
            keep, add = change(base)
            if self._is_stored(event_id, base, keep, add):
                return

    def _is_stored(self, event_id: str, base: _Position, keep: int, add: list[Any]) -> bool:
        """False where the base is not the latest state any more; `_known` then is, if the server has named it."""
        history_base = {"id": base.id, "length": keep, "is_latest": True}
        status = "cleared" if keep + len(add) == 0 else "idle"
        rejection = self._report(event_id, {"history_base": history_base, "history": add, "status": status})
        if rejection is None:
            self._known = _Position(event_id, keep + len(add))
            return True
        latest = rejection.get("latest")
        self._known = _Position(latest["id"], latest["length"]) if isinstance(latest, dict) and latest.get("id") else None
        if self._known is not None and self._known.id == base.id:
            # It is the latest state, and still cannot be gone on from.
            raise ApiRefusalError(409, f"the session {self.session_id} is not of the agent {self._agent_id}: give the one that began it")
        return False

    def _position(self) -> _Position:
        """The latest state; begins the history where there is none."""
        while True:
            latest = self._latest("none")
            if latest is None:
                # All processes begin it with the same event, which counts once.
                self._report(f"{_TRACE}:begin", {"step_index": 0, "history": []})
                continue
            if not latest.get("event_id"):
                raise ValueError(f"the run {_TRACE} of {self.thread_id} holds something else than a session")
            self._known = _Position(latest["event_id"], latest.get("history_length") or 0)
            return self._known

    def _items(self) -> list[Any] | None:
        latest = self._latest("full")
        return None if latest is None else list(latest.get("history") or [])

    def _latest(self, history: str) -> dict[str, Any] | None:
        path = f"/v1/runners/threads/{quote(self.thread_id, safe='')}/latest"
        query = {"trace_id": _TRACE, "resume": "false", "history": history}
        try:
            found = self._client.request("GET", path, query=query, timeout=self._timeout)
        except ApiRefusalError as refusal:
            if refusal.status == 404:
                return None
            raise
        return dict(found)

    def _report(self, event_id: str, data: dict[str, Any]) -> dict[str, Any] | None:
        """The rejection where the base is not the latest state."""
        ids = {"thread_id": self.thread_id, "trace_id": _TRACE, "agent_id": self._agent_id}
        stamp = {"type": "checkpoint", "id": event_id, "occurred_at": timestamp(time.time_ns() // 1_000_000)}
        body = {"events": [{**stamp, "data": {**ids, **data}}]}
        try:
            answer = self._client.request("POST", EVENTS_PATH, body, timeout=self._timeout)
        except ApiRefusalError as refusal:
            rejected = refusal.problem.get("rejected") or [{}]
            if rejected[0].get("code") == "base_mismatch":
                return dict(rejected[0])
            raise
        rejected = answer.get("rejected") or []
        return dict(rejected[0]) if rejected else None
