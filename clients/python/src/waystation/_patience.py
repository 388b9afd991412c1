"""Requests that wait while the API is down, and notices of such outages."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
import weakref
from typing import Any, Callable, TypeVar

from ._connection import ApiConnection, Backoff
from .errors import ApiRefusalError, ClientClosedError, NoAnswerError

T = TypeVar("T")

#: A person who has not started a server is told within two seconds.
_FIRST_RESPONSE = 1.5
#: Name in outage notices.
_PART = "latest"


def print_error(words: str) -> None:
    print(f"waystation: {words}", file=sys.stderr, flush=True)


def call(listener: Callable[..., None], *args: Any) -> None:
    """An error in a program's listener must not stop the delivery of its reports."""
    try:
        listener(*args)
    except Exception:
        traceback.print_exc()


class OutageNotice:
    """Tells once when the API cannot be reached or takes no reports, and once when it does again, whichever part notices."""

    def __init__(self, on_trouble: Callable[[str], None], on_recovered: Callable[[], None]) -> None:
        self._on_trouble = on_trouble
        self._on_recovered = on_recovered
        self.after_fork()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._troubled: set[str] = set()
        self._is_known = False

    def begin(self, part: str, reason: str) -> None:
        """`part` of the program failed; the outage lasts until every part that failed has succeeded."""
        with self._lock:
            is_first = not self._troubled
            self._troubled.add(part)
        if is_first:
            call(self._on_trouble, reason)

    def end(self, part: str) -> None:
        """Call it after every success."""
        self._is_known = True
        with self._lock:
            was_troubled = part in self._troubled
            self._troubled.discard(part)
            is_over = was_troubled and not self._troubled
        if is_over:
            call(self._on_recovered)

    def leave(self, part: str) -> None:
        """The part no longer tries."""
        with self._lock:
            self._troubled.discard(part)

    def expect_response(self, part: str, url: str) -> Callable[[], None]:
        """
        Call it before a request, and its result after the response. Before the API's first response, 1.5 seconds of silence count as an
        outage; later it may only be busy.
        """
        if self._is_known:
            return _nothing
        timer = threading.Timer(_FIRST_RESPONSE, self.begin, (part, f"{url} does not answer"))
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError:  # the interpreter is about to end
            return _nothing
        return timer.cancel


def _nothing() -> None:
    return None


class PatientRequests:
    def __init__(self, connection: ApiConnection, notice: OutageNotice) -> None:
        self._connection = connection
        self._notice = notice
        self.after_fork()

    def after_fork(self) -> None:
        self.ended = threading.Event()

    def until_response(self, deadline: float | None, request: Callable[[float], T]) -> T:
        """
        Tries until the API answers.

        `deadline`: of `time.monotonic()`; None waits forever. `request` gets the remaining seconds, and raises NoAnswerError.
        Raises errors that retrying would not fix, TimeoutError after the deadline, ClientClosedError.
        """
        backoff = Backoff()
        while True:
            url = self._connection.url
            answered = self._notice.expect_response(_PART, url)
            try:
                response = request(seconds_left(deadline))
                self._notice.end(_PART)
                return response
            except NoAnswerError as error:
                words = str(error)
            except ApiRefusalError as error:
                if not error.is_passing:
                    self._notice.end(_PART)
                    raise
                words = f"{url} answers with status {error.status}"
            except BaseException:
                self._notice.leave(_PART)
                raise
            finally:
                answered()
            self._pause(backoff, deadline, words)

    def _pause(self, backoff: Backoff, deadline: float | None, words: str) -> None:
        if seconds_left(deadline) > 0:
            self._notice.begin(_PART, words)
        if self.ended.wait(max(min(backoff.next(), seconds_left(deadline)), 0.0)):
            self._notice.leave(_PART)
            raise ClientClosedError()
        if seconds_left(deadline) <= 0:
            self._notice.leave(_PART)
            raise TimeoutError(f"no answer in time: {words}")


class StandaloneRequests(PatientRequests):
    """Requests outside any client, which handle forks themselves. Their holders share the connection."""

    def __init__(self, connection: ApiConnection, notice: OutageNotice) -> None:
        super().__init__(connection, notice)
        _standalone.add(self)

    def all_after_fork(self) -> None:
        for part in (self._connection, self._notice, self):
            part.after_fork()


_standalone: weakref.WeakSet[StandaloneRequests] = weakref.WeakSet()


def _after_fork() -> None:
    for requests in list(_standalone):
        requests.all_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def deadline_of(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


def seconds_left(deadline: float | None) -> float:
    """Infinite without a deadline."""
    return float("inf") if deadline is None else deadline - time.monotonic()
