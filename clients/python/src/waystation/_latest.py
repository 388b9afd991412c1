"""Reading latest checkpoints."""

from __future__ import annotations

from typing import NamedTuple, Union, cast
from urllib.parse import quote, urlencode

from ._connection import DEFAULT_TIMEOUT, ApiConnection
from ._json import loads, object_in
from .errors import ApiRefusalError, NoAnswerError
from .types import Checkpoint


class LatestQuery(NamedTuple):
    thread_id: str
    trace_id: str | None = None
    agent_id: str | None = None
    resume: str | None = None
    """`true` or `safe`."""
    history: str | None = None
    """`none` for callers that only watch the run."""

    @property
    def path(self) -> str:
        members = {name: getattr(self, name) for name in ("trace_id", "agent_id", "resume", "history")}
        query = {name: value for name, value in members.items() if value is not None}
        text = f"?{urlencode(query)}" if query else ""
        return f"/v1/runners/threads/{quote(self.thread_id, safe='')}/latest{text}"


class Found(NamedTuple):
    checkpoint: Checkpoint


class Unknown(NamedTuple):
    """No such thread, or no checkpoint matches."""


LatestAnswer = Union[Found, Unknown]


def read_latest(connection: ApiConnection, query: LatestQuery, most_seconds: float) -> LatestAnswer:
    """Reads once. Raises ApiRefusalError for a refusal or an invalid response, NoAnswerError."""
    response = connection.send(query.path, timeout=min(DEFAULT_TIMEOUT, most_seconds))
    if response.status == 404:
        # After any other 404, such as a proxy's while the server restarts, the run would begin again without its history.
        if not isinstance(object_in(response.text).get("code"), str):
            raise NoAnswerError(f"{connection.url} answers with status 404, but not as the API")
        return Unknown()
    if response.status != 200:
        raise ApiRefusalError(response.status, f"latest was refused with status {response.status}")
    try:
        checkpoint = loads(response.text)
    except ValueError:
        checkpoint = None
    if not isinstance(checkpoint, dict):
        raise ApiRefusalError(response.status, "the answer to latest is no checkpoint")
    return Found(cast(Checkpoint, checkpoint))
