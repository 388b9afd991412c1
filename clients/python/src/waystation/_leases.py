"""The leases of one client: renews them, and knows which reports belong to leased runs."""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Any, Callable, NamedTuple, Union
from urllib.parse import quote

from ._connection import DEFAULT_TIMEOUT, ApiConnection, ApiResponse, Backoff
from ._json import dumps, object_in
from ._patience import PatientRequests, call, deadline_of, seconds_left
from .errors import ApiRefusalError, LeaseHeldError, NoAnswerError, WaystationError


class LeasedRun(NamedTuple):
    thread_id: str
    trace_id: str


class _Held(NamedTuple):
    fence: int


class _Busy(NamedTuple):
    """Another process holds it."""

    holder: str
    expires_at: datetime | None


class _Stale(NamedTuple):
    """The named fence is outdated: another process has had the run since."""


class _Refused(NamedTuple):
    status: int
    detail: str

    @property
    def error(self) -> ApiRefusalError:
        return ApiRefusalError(self.status, f"the lease was refused: {self.detail}")


_Answer = Union[_Held, _Busy, _Stale, _Refused]


class RunLease:
    """The lease of a run that this client holds. A context manager: leaving it releases the lease."""

    def __init__(self, keeper: LeaseKeeper, run: LeasedRun, fence: int, ttl: float, claim: Mapping[str, Any]) -> None:
        self._keeper = keeper
        self._claim = claim
        self._ttl = ttl
        self._over = threading.Event()
        self._checked = threading.Event()
        self._is_left = False
        self.is_kept_for_run = False
        """For `Run`: leaving the lease does not release it; `run_has_ended` does."""
        self.run = run
        self.fence = fence
        self.lost = threading.Event()
        """Set when another process has taken the run over: stop working on it."""
        self.traces: set[str] = {run.trace_id}
        """The traces of the run and of its sub-runs reported here."""
        threading.Thread(target=self._renew, name="waystation-lease", daemon=True).start()

    def release(self, timeout: float | None = None) -> None:
        """
        Delivers pending reports, then releases the lease, so that others may continue at once. Waits while the API is down.

        `timeout`: seconds; None waits forever. Raises TimeoutError.
        """
        self._keeper.release(self, timeout)

    def __enter__(self) -> RunLease:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._is_left = True
        if not self.is_kept_for_run:
            self._leave(error)

    def run_has_ended(self, error: BaseException | None) -> None:
        """For `Run`, which reports its end first."""
        self.is_kept_for_run = False
        if self._is_left:
            self._leave(error)

    def _leave(self, error: BaseException | None) -> None:
        # A program that ends with an error must not hang on an unreachable server; the lease expires.
        try:
            self.release(None if error is None else 5.0)
        except (TimeoutError, WaystationError):
            if error is None:
                raise

    def check(self) -> None:
        """Checks at once that the lease is still held."""
        self._checked.set()

    def stop(self) -> None:
        """Stops renewing."""
        self._over.set()
        self._checked.set()

    def _renew(self) -> None:
        """
        Renews each time a third of the lease's time has passed. Keeps trying while the API is away: an expired lease still belongs to its
        holder until another process claims it.
        """
        backoff = Backoff()
        pause = self._ttl / 3
        while True:
            self._checked.wait(pause)
            self._checked.clear()
            if self._over.is_set():
                return
            try:
                # Never the current fence: the holder then gets its existing lease, but never a new one if the run was another process's
                # meanwhile, or is gone.
                response: _Answer | None = self._keeper.ask(self.run, {**self._claim, "fence": self.fence - 1})
            except WaystationError:
                response = None
            if self._over.is_set():
                return
            is_taken = isinstance(response, (_Busy, _Stale)) or (isinstance(response, _Held) and response.fence != self.fence)
            if is_taken:
                self.stop()
                self.lost.set()
                call(self._keeper.on_lost, self.run)
                return
            # A refusal concerns the token, not the lease.
            if response is None or (isinstance(response, _Refused) and response.error.is_passing):
                pause = min(backoff.next(), self._ttl / 3)
            else:
                backoff.reset()
                pause = self._ttl / 3


class LeaseKeeper:
    def __init__(
        self,
        connection: ApiConnection,
        requests: PatientRequests,
        deliver: Callable[[float | None], None],
        on_lost: Callable[[LeasedRun], None],
    ) -> None:
        """`deliver`: waits until all reports so far are delivered, or raises TimeoutError after its deadline."""
        self._connection = connection
        self._requests = requests
        self._deliver = deliver
        self.on_lost = on_lost
        self.after_fork()

    def after_fork(self) -> None:
        """A child process holds none of its parent's leases."""
        self._holder = f"{socket.gethostname()[:100]} {os.getpid()} {uuid.uuid4()}"
        self._lock = threading.Lock()
        self._held: list[RunLease] = []

    def claim(
        self, run: LeasedRun, agent_id: str, ttl_seconds: int, holder: str | None, fence: int | None, timeout: float | None
    ) -> RunLease:
        deadline = deadline_of(timeout)
        # Later, reports without a fence would be refused.
        self._deliver(deadline)
        claim = {"holder": holder or self._holder, "agent_id": agent_id, "ttl_seconds": ttl_seconds, "fence": fence}

        def granted(left: float) -> int:
            response = self.ask(run, claim, left)
            if isinstance(response, _Held):
                return response.fence
            if isinstance(response, _Busy):
                raise LeaseHeldError(response.holder, response.expires_at)
            if isinstance(response, _Stale):
                raise ApiRefusalError(409, "the run was handed over to another process since that fence")
            raise response.error

        lease = RunLease(self, run, self._requests.until_response(deadline, granted), float(ttl_seconds), claim)
        with self._lock:
            doubled = [other for other in self._held if other.run == run]
            self._held = [other for other in self._held if other.run != run] + [lease]
        for other in doubled:
            other.stop()
        return lease

    def ask(self, run: LeasedRun, claim: Mapping[str, Any], left: float = DEFAULT_TIMEOUT) -> _Answer:
        response = self._connection.send(_path(run), "POST", dumps(claim), timeout=min(left, DEFAULT_TIMEOUT))
        return self._read(response)

    def fence_for(self, data: Mapping[str, Any]) -> int | None:
        """The fence for a report of a leased run or a sub-run; None for others."""
        with self._lock:
            for lease in self._held:
                trace, parent = data.get("trace_id"), data.get("parent_trace_id")
                if data.get("thread_id") != lease.run.thread_id or not {trace, parent} & lease.traces:
                    continue
                if isinstance(trace, str):
                    lease.traces.add(trace)
                return lease.fence
        return None

    def check(self) -> None:
        """After a refused report, checks at once that the leases are still held."""
        for lease in self._leases():
            lease.check()

    def release(self, lease: RunLease, timeout: float | None) -> None:
        if lease not in self._leases():
            return
        deadline = deadline_of(timeout)
        self._deliver(deadline)
        self._requests.until_response(deadline, lambda left: self._give_back(lease, left))

    def release_all(self, deadline: float) -> None:
        """Releases as many as time permits. Does not wait for an unreachable API: there they expire."""
        for lease in self._leases():
            left = seconds_left(deadline)
            if left <= 0:
                return
            with suppress(WaystationError):
                self._give_back(lease, left)

    def stop(self) -> None:
        """Stops renewing."""
        with self._lock:
            held, self._held = self._held, []
        for lease in held:
            lease.stop()

    def _leases(self) -> list[RunLease]:
        with self._lock:
            return list(self._held)

    def _give_back(self, lease: RunLease, left: float) -> None:
        lease.stop()
        path = f"{_path(lease.run)}?fence={lease.fence}"
        status = self._connection.send(path, "DELETE", timeout=min(left, DEFAULT_TIMEOUT)).status
        refusal = ApiRefusalError(status, f"the release of the lease was refused with status {status}")
        if refusal.is_passing:
            raise refusal
        # Whatever the API says, the lease is no longer this client's.
        with self._lock:
            self._held = [other for other in self._held if other is not lease]

    def _read(self, response: ApiResponse) -> _Answer:
        body = object_in(response.text)
        fence, code, detail = body.get("fence"), body.get("code"), body.get("detail")
        if response.status in (200, 201) and isinstance(fence, int):
            return _Held(fence)
        if response.status == 409 and code == "lease_held":
            return _Busy(self._connection.safe(str(body.get("holder"))), _time_in(body.get("expires_at")))
        if response.status == 409 and code == "stale_fence":
            return _Stale()
        if response.status >= 400 and not isinstance(code, str):
            raise NoAnswerError(f"{self._connection.url} answers with status {response.status}, but not as the API")
        words = self._connection.safe(detail) if isinstance(detail, str) else f"status {response.status}"
        return _Refused(response.status, words)


def _path(run: LeasedRun) -> str:
    return f"/v1/runners/threads/{quote(run.thread_id, safe='')}/runs/{quote(run.trace_id, safe='')}/lease"


def _time_in(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
