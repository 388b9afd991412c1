"""Server-sent events, resumed behind the last one when the connection ends."""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Iterator

from ._connection import ApiConnection, Backoff
from ._json import loads
from ._patience import PatientRequests
from .errors import ApiRefusalError, ClientClosedError
from .types import ServerEvent

#: The server sends a comment every 15 seconds.
_SILENCE = 60.0


def follow(connection: ApiConnection, requests: PatientRequests, path: str, last_id: str | None) -> Iterator[ServerEvent]:
    """Events without end. Raises ApiRefusalError where the token or the request is wrong; ClientClosedError."""
    backoff = Backoff()
    headers = {"Accept": "text/event-stream"}
    if last_id:
        headers["Last-Event-ID"] = last_id

    def opened(_: float) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        link, response = connection.open(path, headers, _SILENCE)
        if response.status != 200:
            connection.discard(link)
            raise ApiRefusalError(response.status, f"the stream was refused with status {response.status}")
        return link, response

    while True:
        link, response = requests.until_answered(None, opened)
        try:
            for event in events_in(iter(response.readline, b"")):
                if event.id:
                    headers["Last-Event-ID"] = event.id
                backoff.reset()
                # An event without data only moves the place at which a broken stream goes on.
                if event.data is not None:
                    yield event
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            connection.discard(link)  # broken, or ended by `close`
        finally:
            connection.discard(link)
        if requests.ended.wait(backoff.next()):
            raise ClientClosedError()


def events_in(lines: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Reads lines as the HTML standard says, section 9.2.6. Data that is not JSON stays text."""
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
