"""Requests to the API with the bearer token. Redirects are not followed: they would carry the token elsewhere."""

from __future__ import annotations

# Sockets need this codec to look up a host, and Python would load it at the first request. A child forked while another thread loads it
# could never look up a host: it would wait for that thread, or find no such codec.
import encodings.idna  # noqa: F401
import http.client
import random
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from email.message import Message
from typing import NamedTuple
from urllib.parse import urlsplit

from ._settings import ApiAddress
from .errors import ClientClosedError, NoAnswerError

DEFAULT_TIMEOUT = 10.0
#: Limit of idle connections.
_MOST_IDLE = 8
_PIECE = 256 * 1024
_STALE = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError, ConnectionAbortedError)


class Backoff:
    """Pauses between attempts, in seconds: longer after each failure, up to 5 s, so that clients return soon after the API does."""

    FIRST, LONGEST = 0.2, 5.0

    def __init__(self) -> None:
        self._failures = 0

    def next(self, at_least: float | None = None) -> float:
        self._failures += 1
        full: float = min(self.FIRST * 2 ** min(self._failures - 1, 30), self.LONGEST)
        return min(max(full * (0.5 + random.random() / 2), at_least or 0.0), self.LONGEST)

    def reset(self) -> None:
        self._failures = 0


class ApiResponse(NamedTuple):
    """A complete response of the API."""

    status: int
    headers: Message
    text: str


class ApiConnection:
    """Thread-safe; each request uses a connection of its own."""

    def __init__(self, api: ApiAddress, token: str) -> None:
        self._address = api
        self._token = token
        self._tls: ssl.SSLContext | None = None
        self.after_fork()

    def after_fork(self) -> None:
        """Drops the parent process's connections."""
        self._lock = threading.Lock()
        self._idle: list[tuple[str, http.client.HTTPConnection]] = []
        self._active: set[http.client.HTTPConnection] = set()
        self._is_ended = False

    @property
    def url(self) -> str:
        """Base address without a trailing slash; may change when no server answers."""
        return self._address.current

    def safe(self, words: str) -> str:
        """The same without the token, which a faulty server may echo."""
        return words.replace(self._token, "[token]")

    def send(
        self,
        path: str,
        method: str = "GET",
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        is_repeatable: bool = True,
    ) -> ApiResponse:
        """
        Sends one request and reads the whole response.

        `timeout`: seconds for all of it. `is_repeatable`: whether the request may be sent twice.
        Raises NoAnswerError when no server answers, ClientClosedError after `end`.
        """
        url = self.url
        deadline = time.monotonic() + timeout
        all_headers = self._headers(body, headers)
        data = body.encode("utf8") if isinstance(body, str) else body
        try:
            response = self._exchange(url, (method, path, data, all_headers), deadline, is_repeatable)
        except Exception as error:
            self._address.look_again()
            if self._is_ended:
                raise ClientClosedError() from None
            raise no_response(url, error) from None
        if response.status >= 400:
            self._address.look_again()
        return response

    def open(self, path: str, headers: Mapping[str, str], timeout: float) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Returns the response as it arrives. `timeout`: seconds of silence. The caller gives the connection to `discard`."""
        url = self.url
        connection = self._connected(url, timeout)
        try:
            connection.request("GET", urlsplit(url).path + path, headers=self._headers(None, headers))
            return connection, connection.getresponse()
        except Exception as error:
            self.discard(connection)
            self._address.look_again()
            if self._is_ended:
                raise ClientClosedError() from None
            raise no_response(url, error) from None

    def discard(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._active.discard(connection)
        connection.close()

    def end(self) -> None:
        """Aborts requests in flight; later ones fail."""
        with self._lock:
            self._is_ended = True
            idle, self._idle = self._idle, []
            active = list(self._active)
        for _, connection in idle:
            connection.close()
        for connection in active:
            sock = connection.sock
            if sock is not None:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it; closing would not

    def _headers(self, body: str | bytes | None, headers: Mapping[str, str] | None) -> dict[str, str]:
        own = {"Authorization": f"Bearer {self._token}", "User-Agent": "waystation-python"}
        if body is not None:
            own["Content-Type"] = "application/json"
        return {**own, **(headers or {})}

    def _exchange(
        self, url: str, request: tuple[str, str, bytes | None, dict[str, str]], deadline: float, is_repeatable: bool
    ) -> ApiResponse:
        while True:
            # The server may close an idle connection just as a request is sent on it: then nobody knows whether it got the request.
            left = max(deadline - time.monotonic(), 0.001)
            connection, is_reused = self._taken(url, left) if is_repeatable else (self._connected(url, left), False)
            try:
                response = self._answered(connection, urlsplit(url).path, request, deadline)
            except BaseException as error:
                self.discard(connection)
                # The server has closed an idle connection.
                if is_reused and isinstance(error, _STALE) and not self._is_ended:
                    continue
                raise
            self._give_back(url, connection)
            return response

    def _answered(
        self,
        connection: http.client.HTTPConnection,
        prefix: str,
        request: tuple[str, str, bytes | None, dict[str, str]],
        deadline: float,
    ) -> ApiResponse:
        method, path, data, headers = request
        connection.request(method, prefix + path, data, headers)
        _limit(connection, deadline)
        response = connection.getresponse()
        pieces: list[bytes] = []
        while True:
            _limit(connection, deadline)
            piece = response.read1(_PIECE)
            if not piece:
                break
            pieces.append(piece)
        if response.length:
            raise http.client.IncompleteRead(b"")
        response.close()  # the connection can take the next request
        return ApiResponse(response.status, response.headers, b"".join(pieces).decode("utf8", "replace"))

    def _taken(self, url: str, timeout: float) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            while self._idle:
                of_url, connection = self._idle.pop()
                if of_url == url and connection.sock is not None:
                    connection.sock.settimeout(timeout)
                    self._active.add(connection)
                    return connection, True
                connection.close()
        return self._connected(url, timeout), False

    def _connected(self, url: str, timeout: float) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme == "https":
            self._tls = self._tls or ssl.create_default_context()
            made: http.client.HTTPConnection = http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=self._tls)
        else:
            made = http.client.HTTPConnection(host, parts.port, timeout=timeout)
        with self._lock:
            if self._is_ended:
                raise ClientClosedError()
            self._active.add(made)
        return made

    def _give_back(self, url: str, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._active.discard(connection)
            if connection.sock is not None and not self._is_ended and len(self._idle) < _MOST_IDLE:
                self._idle.append((url, connection))
                return
        connection.close()


def _limit(connection: http.client.HTTPConnection, deadline: float) -> None:
    """Limits the following operations to the deadline."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    if connection.sock is not None:
        connection.sock.settimeout(left)


def no_response(url: str, error: BaseException) -> NoAnswerError:
    """Why a request got no response, for people, and without anything that a faulty server has sent."""
    if isinstance(error, (socket.timeout, TimeoutError)):
        return NoAnswerError(f"{url} does not answer", is_timeout=True)
    if isinstance(error, ConnectionRefusedError):
        return NoAnswerError(f"{url} does not answer")
    words = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return NoAnswerError(f"{url} does not answer ({words})")
