"""Delivers events from a spool to the API: in order, one request at a time, with retries until the API stores or refuses each."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Callable, NamedTuple

from ._bases import FEATURES_HEADER, HistoryBases, PreparedBatch
from ._batch_responses import CancelledRun, Refused, RejectedReport, Rejection, Retry, Taken, Verdict, read_batch_response
from ._connection import ApiConnection, Backoff
from ._patience import OutageNotice
from ._spool import MEBIBYTE, Spool, SpooledText
from .errors import ApiRefusalError, ClientClosedError, NoAnswerError

EVENTS_PATH = "/v1/runners/events"
#: Name in outage notices.
_PART = "reports"
#: The server's default limits are 1,000 events and 32 MiB.
_MAX_EVENTS = 1_000
_MAX_BYTES = 8 * MEBIBYTE
_FIRST_TIMEOUT = 10.0
_LONGEST_TIMEOUT = 60.0


class Listeners(NamedTuple):
    on_rejected: Callable[[RejectedReport], None]
    on_cancelled: Callable[[CancelledRun], None]


class Delivery:
    def __init__(self, connection: ApiConnection, spool: Spool, listeners: Listeners, notice: OutageNotice) -> None:
        self._connection = connection
        self._spool = spool
        self._listeners = listeners
        self._notice = notice
        self.after_fork()

    def after_fork(self) -> None:
        """A child process has none of its parent's threads, and delivers only its own reports."""
        self._changed = threading.Condition()
        self._work = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_wanted = False
        self._is_stopped = False
        self._is_hurried = False
        self._backoff = Backoff()
        self._bases = HistoryBases()
        self._max_events = _MAX_EVENTS
        self._timeout = _FIRST_TIMEOUT

    @property
    def may_use_bases(self) -> bool:
        """Whether the server has announced that reports may build on earlier ones."""
        return self._bases.is_on

    def learn_features(self, patiently: Callable[[Callable[[float], None]], None]) -> None:
        """Asks a server that has not announced its features yet."""

        if not self._bases.is_known:
            self.features(patiently)

    def features(self, patiently: Callable[[Callable[[float], None]], None]) -> list[str]:
        """The features that every server on the storage has now."""
        told: list[str] = []

        def ask(left: float) -> None:
            response = self._connection.send(EVENTS_PATH, "POST", '{"events":[]}', timeout=min(left, _FIRST_TIMEOUT))
            if response.status >= 300:
                raise ApiRefusalError(response.status, f"a report was refused with status {response.status}")
            header = response.headers.get(FEATURES_HEADER)
            with self._work:
                self._bases.learn(header)
            told[:] = [name.strip() for name in (header or "").split(",")]

        patiently(ask)
        return told

    def wake(self) -> None:
        """Call it when the spool has new events; costs almost nothing during a delivery."""
        with self._changed:
            self._is_wanted = True
            if self._thread is None and not self._is_stopped:
                thread = threading.Thread(target=self._run, name="waystation-reporter", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the interpreter is about to end; `drained` delivers then
                    return
                self._thread = thread
            self._changed.notify_all()

    def drained(self, timeout: float) -> bool:
        """True once everything in the spool is stored or refused for good, False on timeout (in seconds)."""
        deadline = time.monotonic() + timeout
        until = self._spool.newest_key()
        with self._changed:
            self._is_hurried = True
        self.wake()
        while not self._is_delivered(until):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if self._thread is None or not self._thread.is_alive():
                self._deliver_next(deadline)
                continue
            with self._changed:
                if not self._is_delivered(until):
                    self._changed.wait(min(left, 1.0))
        return True

    def stop(self, timeout: float) -> None:
        """
        Stops delivering; waiting events stay in the spool. The connection must be ended first, which aborts a request in flight.

        `timeout`: seconds to wait for the thread.
        """
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _is_delivered(self, until: int) -> bool:
        try:
            oldest = self._spool.peek(1, 1)
        except Exception:
            return False
        return not oldest or oldest[0].key > until

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._is_wanted and not self._is_stopped:
                    self._changed.wait()
                if self._is_stopped:
                    return
                self._is_wanted = False
            while not self._is_stopped and self._deliver_next():
                pass

    def _deliver_next(self, deadline: float = math.inf) -> bool:
        """False if nothing waits. `deadline`: of `time.monotonic()`, for a request and the pause after it."""
        with self._work:
            try:
                batch = self._spool.peek(self._max_events, _MAX_BYTES)
            except Exception as error:
                self._failed(f"the spool cannot be read: {error}", None, deadline)
                return True
            if batch:
                self._deliver(batch, deadline)
        with self._changed:
            self._changed.notify_all()
        return bool(batch)

    def _deliver(self, batch: Sequence[SpooledText], deadline: float) -> None:
        prepared = self._bases.prepare([text for _, text in batch])
        verdict = self._attempt(batch, prepared, deadline)
        if isinstance(verdict, Retry):
            if not self._is_stopped:
                self._failed(verdict.reason, verdict.retry_after, deadline)
        elif isinstance(verdict, Refused):
            if len(batch) == 1:
                self._settle(batch, [Rejection(0, verdict.code, verdict.detail)], deadline)
            else:
                # One event in the batch is at fault: halving finds it and delivers the others.
                self._max_events = _half_of(batch)
        else:
            self._take(batch, prepared, verdict, deadline)

    def _take(self, batch: Sequence[SpooledText], prepared: PreparedBatch, verdict: Taken, deadline: float) -> None:
        self._bases.settled(prepared, {rejection.position for rejection in verdict.rejected})
        # A report whose base the server lacks stays in the spool and is sent again in full.
        again = {one.position for one in verdict.rejected if one.code == "base_mismatch" and one.position in prepared.based}
        left = [event for position, event in enumerate(batch) if position not in again]
        rejected = [
            one._replace(position=left.index(batch[one.position]))
            for one in verdict.rejected
            if one.position not in again and 0 <= one.position < len(batch)
        ]
        self._settle(left, rejected, deadline)
        for run in verdict.cancelled:
            self._listeners.on_cancelled(run)

    def _attempt(self, batch: Sequence[SpooledText], prepared: PreparedBatch, deadline: float) -> Verdict:
        url = self._connection.url
        body = f'{{"events":[{",".join(prepared.texts)}]}}'
        timeout = max(min(self._timeout, deadline - time.monotonic()), 0.001)
        answered = self._notice.expect_response(_PART, url)
        try:
            response = self._connection.send(EVENTS_PATH, "POST", body, timeout=timeout)
        except NoAnswerError as error:
            if error.is_timeout:
                # The connection may be too slow for a batch of this size.
                self._timeout = min(2 * self._timeout, _LONGEST_TIMEOUT)
                self._max_events = _half_of(batch)
            return Retry(str(error))
        except ClientClosedError as error:
            self._is_stopped = True
            return Retry(str(error))
        finally:
            answered()
        if response.status < 300:
            self._bases.learn(response.headers.get(FEATURES_HEADER))
        text = self._connection.safe(response.text)
        verdict = read_batch_response(response.status, text, response.headers.get("Retry-After"))
        if isinstance(verdict, Retry):
            return verdict._replace(reason=f"{url} answers with {verdict.reason}")
        return verdict

    def _settle(self, batch: Sequence[SpooledText], rejections: list[Rejection], deadline: float) -> None:
        try:
            self._spool.remove([key for key, _ in batch])
        except Exception as error:
            return self._failed(f"the spool cannot be written: {error}", None, deadline)
        for position, code, detail in rejections:
            self._listeners.on_rejected(RejectedReport(batch[position].text, code, detail))
        self._max_events = min(2 * self._max_events, _MAX_EVENTS)
        self._timeout = _FIRST_TIMEOUT
        self._backoff.reset()
        self._notice.end(_PART)

    def _failed(self, reason: str, retry_after: float | None, deadline: float) -> None:
        self._notice.begin(_PART, reason)
        until = min(time.monotonic() + self._backoff.next(retry_after), deadline)
        with self._changed:
            while not self._is_stopped and not self._is_hurried:
                left = until - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            self._is_hurried = False


def _half_of(batch: Sequence[SpooledText]) -> int:
    return (len(batch) + 1) // 2
