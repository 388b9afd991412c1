"""Asks for latest checkpoints."""

from __future__ import annotations

from typing import NamedTuple, Union, cast
from urllib.parse import quote, urlencode

from ._connection import DEFAULT_TIMEOUT, ApiConnection
from ._json import loads
from .errors import ApiRefusalError
from .types import Checkpoint


class LatestQuery(NamedTuple):
    thread_id: str
    trace_id: str | None = None
    agent_id: str | None = None
    resume: str | None = None
    """`true` or `safe`."""
    history: str | None = None
    """`none` for callers that only watch the run."""
    wait: int = 0
    """Seconds, 0 to 60, for which the server holds the request until the ETag differs from `etag`."""
    etag: str | None = None

    @property
    def path(self) -> str:
        members = {name: getattr(self, name) for name in ("trace_id", "agent_id", "resume", "history")}
        query = {name: value for name, value in members.items() if value is not None}
        if self.wait > 0:
            query["wait"] = str(self.wait)
        text = f"?{urlencode(query)}" if query else ""
        return f"/v1/runners/threads/{quote(self.thread_id, safe='')}/latest{text}"


class Found(NamedTuple):
    checkpoint: Checkpoint
    etag: str


class Unchanged(NamedTuple):
    """The ETag is still the same."""


class Unknown(NamedTuple):
    """No such thread, or no checkpoint that the filter lets through."""


LatestAnswer = Union[Found, Unchanged, Unknown]


def read_latest(connection: ApiConnection, query: LatestQuery, most_seconds: float) -> LatestAnswer:
    """Asks once. Raises ApiRefusalError for a refusal or an invalid answer, NoAnswerError."""
    headers = {} if query.etag is None else {"If-None-Match": query.etag}
    timeout = min(query.wait + DEFAULT_TIMEOUT, most_seconds)
    answer = connection.send(query.path, headers=headers, timeout=timeout)
    if answer.status == 304:
        return Unchanged()
    if answer.status == 404:
        return Unknown()
    if answer.status != 200:
        raise ApiRefusalError(answer.status, f"latest was refused with status {answer.status}")
    try:
        checkpoint = loads(answer.text)
    except ValueError:
        checkpoint = None
    if not isinstance(checkpoint, dict):
        raise ApiRefusalError(answer.status, "the answer to latest is no checkpoint")
    return Found(cast(Checkpoint, checkpoint), answer.headers.get("ETag") or "")
