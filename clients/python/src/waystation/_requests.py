"""Single requests to the API, with JSON responses."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Callable, Union
from urllib.parse import quote, urlencode

from ._connection import DEFAULT_TIMEOUT, ApiConnection, ApiResponse, Backoff
from ._json import dumps, loads, object_in
from ._patience import PatientRequests, deadline_of, seconds_left
from ._streams import BEAT, follow
from .errors import ApiRefusalError, ClientClosedError, NoAnswerError
from .types import ServerEvent

#: A query parameter; None leaves it out, a list repeats it.
Query = Union[str, int, float, bool, Iterable[str], None]
#: Seconds for an import: the server reads all of it before it responds.
_IMPORT = 600.0
#: Limit in seconds of one try: sockets accept no much longer timeout.
_LONGEST = 86_400.0
#: Seconds for which the server holds a request until something changes.
_WAIT = 50


class ApiRequests:
    """Thread-safe. Repeatable requests are retried while no server answers or it is busy."""

    def __init__(self, connection: ApiConnection, patience: PatientRequests, timeout: float | None) -> None:
        """`timeout`: seconds for a request with all its tries; None waits forever."""
        self.connection = connection
        self._patience = patience
        self._timeout = timeout

    def within(self, timeout: float | None) -> ApiRequests:
        """The same with another timeout."""
        return ApiRequests(self.connection, self._patience, timeout)

    def end(self) -> None:
        self._patience.ended.set()
        self.connection.end()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Query] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool | None = None,
    ) -> Any:
        """
        The JSON of the response; None for an empty one.

        `is_repeatable`: default is whether it only reads. Raises ApiRefusalError, NoAnswerError, TimeoutError, ClientClosedError.
        """
        text = None if body is None else dumps(body)
        return self.exchange(method, path, query, text, headers, method == "GET" if is_repeatable is None else is_repeatable)

    def send_lines(self, path: str, query: Mapping[str, Query], lines: str) -> Any:
        """Sends JSON lines, once."""
        return self.exchange("POST", path, query, lines, {"Content-Type": "application/x-ndjson"}, False, _IMPORT)

    def exchange(
        self,
        method: str,
        path: str,
        query: Mapping[str, Query] | None,
        text: str | None,
        headers: Mapping[str, str] | None,
        is_repeatable: bool,
        once_seconds: float | None = None,
    ) -> Any:
        """`once_seconds`: timeout of a request that is sent only once. Default: the timeout, otherwise 10."""
        whole = address(path, query)

        def asked(left: float) -> Any:
            response = self.connection.send(whole, method, text, headers, left, is_repeatable)
            if response.status >= 300:
                raise refusal_of(response.status, f"{method} {path}", self.connection.safe(response.text))
            return value_of(response, f"{method} {path}") if response.text else None

        if self._patience.ended.is_set():
            raise ClientClosedError()
        if not is_repeatable:
            return asked(self._once_seconds if once_seconds is None else once_seconds)
        return self._patience.until_response(deadline_of(self._timeout), lambda left: asked(min(DEFAULT_TIMEOUT, left)))

    @property
    def _once_seconds(self) -> float:
        return DEFAULT_TIMEOUT if self._timeout is None else min(self._timeout, _LONGEST)

    def text(self, path: str) -> str:
        """A response that is not JSON."""
        response = self.connection.send(path, timeout=self._once_seconds)
        if response.status != 200:
            raise refusal_of(response.status, f"GET {path}", self.connection.safe(response.text))
        return response.text

    def pieces(self, path: str) -> Iterator[bytes]:
        """A response of any length, as it arrives."""
        link, response = self.connection.open(path, {}, DEFAULT_TIMEOUT)
        try:
            if response.status != 200:
                raise refusal_of(response.status, f"GET {path}", self.connection.safe(response.read().decode("utf8", "replace")))
            while True:
                piece = response.read1(65_536)
                if not piece:
                    break
                yield piece
            if response.length:
                raise NoAnswerError(f"{self.connection.url} has broken the answer off")
        finally:
            self.connection.discard(link)

    def items(self, page: Callable[..., Any], query: Mapping[str, Query]) -> Iterator[dict[str, Any]]:
        """The items of all pages, one after another."""
        cursor = query.get("cursor")
        while True:
            response = page(**{**query, **({"cursor": cursor} if cursor else {})})
            yield from response["items"]
            cursor = response.get("next_cursor")
            if not cursor:
                return

    def changes(self, path: str, query: Mapping[str, Query], timeout: float | None) -> Iterator[Any]:
        """
        The response of a path, and again whenever it changes: the server holds the request meanwhile. If a proxy prevents that by removing
        the ETag or the If-None-Match header, the client pauses, up to 5 seconds. `timeout`: limit in seconds.
        """
        deadline, backoff = deadline_of(timeout), Backoff()
        etag, known = "", None
        while True:
            begin = time.monotonic()
            wait = int(max(min(_WAIT, seconds_left(deadline)), 1)) if etag else 0
            # While the server holds the request, silence is not an outage.
            until = None if deadline is None else max(deadline, begin + wait + DEFAULT_TIMEOUT)
            response = self._patience.until_response(until, partial(self._changed, path, query, etag, wait))
            is_news = response is not None and response.text != known
            if response is not None:
                etag, known = response.headers.get("ETag") or "", response.text
            if response is not None and is_news:
                backoff.reset()
                yield value_of(response, f"GET {path}")
            if seconds_left(deadline) <= 0:
                raise TimeoutError("it has not changed in time")
            if not (is_news and etag):
                self._pause(min(backoff.next(), seconds_left(deadline)) - (time.monotonic() - begin))

    def _pause(self, seconds: float) -> None:
        if self._patience.ended.wait(max(seconds, 0.0)):
            raise ClientClosedError()

    def _changed(self, path: str, query: Mapping[str, Query], etag: str, wait: int, left: float) -> ApiResponse | None:
        given = {**query, "wait": wait} if wait else query
        headers = {"If-None-Match": etag} if etag else {}
        response = self.connection.send(address(path, given), headers=headers, timeout=min(wait + DEFAULT_TIMEOUT, left))
        if response.status == 304:
            return None
        if response.status != 200:
            raise refusal_of(response.status, f"GET {path}", self.connection.safe(response.text))
        return response

    def follow(self, path: str, query: Mapping[str, Query], last_event_id: str | None) -> Iterator[ServerEvent]:
        if self._patience.ended.is_set():
            raise ClientClosedError()
        return follow(self.connection, self._patience, address(path, query), last_event_id)

    def beside(self, path: str, news: str, is_meant: Callable[[Any], bool], timeout: float | None) -> Iterator[Any]:
        """
        The response of a path, and again whenever the stream `news` has an event whose data `is_meant` accepts, and every 15 seconds.
        `timeout`: limit in seconds; it is read at least once.
        """
        deadline = deadline_of(timeout)
        yield self.within(None if timeout is None else max(timeout, DEFAULT_TIMEOUT)).send("GET", path)
        for event in follow(self.connection, self._patience, news, None, deadline=deadline, has_beats=True):
            if event is BEAT or is_meant(event.data):
                yield self.within(None if deadline is None else seconds_left(deadline)).send("GET", path)


def address(path: str, query: Mapping[str, Query] | None = None) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        for one in value if isinstance(value, Iterable) and not isinstance(value, str) else [value]:
            if one is not None:
                pairs.append((name, str(one).lower() if isinstance(one, bool) else str(one)))
    return f"{path}?{urlencode(pairs)}" if pairs else path


def place(text: object) -> str:
    """A path segment."""
    return quote(str(text), safe="")


def value_of(response: ApiResponse, request: str) -> Any:
    """The JSON of a response. Raises ApiRefusalError for anything else, such as a proxy's page."""
    try:
        return loads(response.text)
    except ValueError:
        raise ApiRefusalError(response.status, f"the answer to {request} is no JSON") from None


def refusal_of(status: int, request: str, text: str) -> ApiRefusalError:
    problem = object_in(text)
    words = f": {problem['detail']}" if isinstance(problem.get("detail"), str) else ""
    refusal = ApiRefusalError(status, f"{request} was refused with status {status}{words}")
    refusal.problem = problem
    return refusal


def check_taken(response: Mapping[str, Any]) -> None:
    """Raises ApiRefusalError if the server took the batch but refused a report in it, with the first one's `problem`."""
    for rejected in response.get("rejected") or []:
        refusal = ApiRefusalError(207, f"the report was refused ({rejected.get('code')}): {rejected.get('detail')}")
        refusal.problem = rejected
        raise refusal
