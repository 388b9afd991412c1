"""Server-sent events, resumed after the last one when the connection ends."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterable, Iterator

from ._connection import ApiConnection, Backoff
from ._json import loads
from ._patience import PatientRequests, seconds_left
from .errors import ApiRefusalError, ClientClosedError
from .types import ServerEvent

#: The server sends a comment every 15 seconds.
_SILENCE = 60.0
#: A stream that ends within this many seconds counts as a failure: a proxy may end every one.
_SHORTEST = 1.0

#: A sign of life instead of an event: the stream was opened, or the server has sent a comment.
BEAT = ServerEvent("", None, "")


def follow(
    connection: ApiConnection,
    requests: PatientRequests,
    path: str,
    last_id: str | None,
    *,
    deadline: float | None = None,
    has_beats: bool = False,
) -> Iterator[ServerEvent]:
    """
    Yields events without end.

    `deadline`: of `time.monotonic()`, after which it raises TimeoutError, up to 15 seconds late. `has_beats`: includes `BEAT`. Raises
    ApiRefusalError if the token or the request is wrong; ClientClosedError.
    """
    backoff = Backoff()
    headers = {"Accept": "text/event-stream"}
    if last_id:
        headers["Last-Event-ID"] = last_id

    def opened(_: float) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        link, response = connection.open(path, headers, _silence(deadline))
        if response.status != 200:
            connection.discard(link)
            raise ApiRefusalError(response.status, f"the stream was refused with status {response.status}")
        return link, response

    while True:
        link, response = requests.until_response(deadline, opened)
        begin = time.monotonic()
        try:
            for event in events_in(_lines(link, response, deadline), has_beats):
                if event.id:
                    headers["Last-Event-ID"] = event.id
                # An event without data only moves the position from which the stream resumes.
                if event.data is not None or event is BEAT:
                    yield event
                if seconds_left(deadline) <= 0:
                    break
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            connection.discard(link)  # broken, or ended by `close`
        finally:
            connection.discard(link)
        if seconds_left(deadline) <= 0:
            raise TimeoutError("the stream has not told it in time")
        if time.monotonic() - begin >= _SHORTEST:
            backoff.reset()
        if requests.ended.wait(backoff.next()):
            raise ClientClosedError()


def _lines(link: http.client.HTTPConnection, response: http.client.HTTPResponse, deadline: float | None) -> Iterator[bytes]:
    while line := response.readline():
        yield line
        if deadline is not None and link.sock is not None:
            link.sock.settimeout(_silence(deadline))


def _silence(deadline: float | None) -> float:
    """Seconds after which a silent connection counts as broken."""
    return max(min(_SILENCE, seconds_left(deadline)), 0.001)


def events_in(lines: Iterable[bytes], has_beats: bool = False) -> Iterator[ServerEvent]:
    """
    Reads lines as the HTML standard says, section 9.2.6. Data that is not JSON stays text. `has_beats`: yields `BEAT` at the beginning and
    for each comment.
    """
    if has_beats:
        yield BEAT
    data: list[str] = []
    name, last_id, is_any = "", "", False
    for raw in lines:
        line = raw.decode("utf8", "replace").rstrip("\r\n")
        if line == "":
            if is_any:
                yield ServerEvent(name or "message", _value("\n".join(data)) if data else None, last_id)
            name, data, is_any = "", [], False
            continue
        field, _, value = line.partition(":")
        if has_beats and field == "":
            yield BEAT
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif field == "id" and "\0" not in value:
            last_id = value
        is_any = is_any or field in ("event", "data", "id")


def _value(text: str) -> object:
    try:
        return loads(text)
    except ValueError:
        return text
