"""
Sessions of the OpenAI Agents SDK stored on a Waystation server: conversations outlive their processes, and people see them in the console.
Does not import the SDK; `Runner.run(agent, "Hello", session=WaystationSession("customer-17"))` accepts it as a `Session`.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from ._client import WaystationClient
from ._histories import HistoryChange, ThreadHistory
from ._json import dumps, loads
from .types import RunIds

_TRACE = "session"


class WaystationSession:
    """
    The SDK's `Session`. Any number of processes may share one, including those with the JavaScript package; each one's items stay in
    order, and nothing is lost or stored twice. Items come back as JSON represents them.
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
        `session_id`: the session to continue; None for a new one. `client`: default is a new one, with its settings from the environment.
        `agent_id`: the agent named as author; the token must permit it. `thread_prefix`: prefix of thread ids; the session's id follows.
        `timeout`: seconds to wait for an absent server.

        Raises ClientSettingError when the server's address or token is missing or unusable.
        """
        self.session_id = session_id or str(uuid.uuid4())
        self.session_settings: Any = None
        """For the SDK, which may set a `limit` in it."""
        self.thread_id = thread_prefix + self.session_id
        self._client = client or WaystationClient(agent_id=agent_id)
        run = RunIds(self.thread_id, _TRACE, agent_id=agent_id)
        self._history = ThreadHistory(self._client.api.within(timeout).runners, run)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """`limit`: number of the last items. Raises ApiRefusalError; TimeoutError when the server is away too long."""
        if limit is None:
            limit = getattr(self.session_settings, "limit", None)
        if limit is not None and limit <= 0:
            return []
        items = await asyncio.to_thread(self._history.read) or []
        return items if limit is None else items[-limit:]

    async def add_items(self, items: list[Any]) -> None:
        """Appends items. Raises TypeError and ValueError for values that are not JSON, and as `get_items` does."""
        add = loads(dumps(items))  # a copy: later changes by the caller do not count
        await asyncio.to_thread(self._history.append, add)

    async def pop_item(self) -> Any:
        """Removes the last item and returns it; None if there is none. Raises as `get_items` does."""
        popped: Any = None

        def without_last(items: list[Any]) -> HistoryChange | None:
            nonlocal popped
            popped = items[-1] if items else None
            return HistoryChange(len(items) - 1) if items else None

        await asyncio.to_thread(self._history.edit, without_last)
        return popped

    async def clear_session(self) -> None:
        """Removes all items. Raises as `get_items` does."""
        await asyncio.to_thread(self._history.clear)
