"""The leases of one client: renews them, and knows which reports are of leased runs."""

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
from .errors import ApiRefusalError, LeaseHeldError, WaystationError


class LeasedRun(NamedTuple):
    thread_id: str
    trace_id: str


class _Held(NamedTuple):
    fence: int


class _Busy(NamedTuple):
    """Somebody else holds it."""

    holder: str
    expires_at: datetime | None


class _Stale(NamedTuple):
    """The claim names a fence, and somebody else has had the run since."""


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
        """The run's trace and those of the runs below it, as far as they were reported here."""
        threading.Thread(target=self._renew, name="waystation-lease", daemon=True).start()

    def release(self, timeout: float | None = None) -> None:
        """
        Delivers what was reported, then gives the run back, so that others may go on with it at once. While the API is down it waits.

        `timeout`: seconds; None waits for ever. Raises TimeoutError.
        """
        self._keeper.release(self, timeout)

    def __enter__(self) -> RunLease:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._is_left = True
        if not self.is_kept_for_run:
            self._leave(error)

    def run_has_ended(self, error: BaseException | None) -> None:
        """For `Run`, which reports its end before."""
        self.is_kept_for_run = False
        if self._is_left:
            self._leave(error)

    def _leave(self, error: BaseException | None) -> None:
        # A program that ends by an error must not hang on a server that is away: the lease runs out.
        try:
            self.release(None if error is None else 5.0)
        except (TimeoutError, WaystationError):
            if error is None:
                raise

    def check(self) -> None:
        """Looks at once whether the lease is still there."""
        self._checked.set()

    def stop(self) -> None:
        """Renews it no longer."""
        self._over.set()
        self._checked.set()

    def _renew(self) -> None:
        """
        After each third of its time. While the API is away it tries again and again: a lease that has run out still is its holder's as
        long as nobody else came for it.
        """
        backoff = Backoff()
        pause = self._ttl / 3
        while True:
            self._checked.wait(pause)
            self._checked.clear()
            if self._over.is_set():
                return
            try:
                # A fence that is not the current one: so it gets the lease that the holder has, and never a new one where the run was
                # somebody else's meanwhile, or is gone.
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
            # A refusal speaks of the token, not of the lease.
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
        """`deliver`: waits until everything was delivered that was reported so far, or raises TimeoutError after its deadline."""
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
        # What was reported without a fence would be refused.
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
        """The fence of the run that a report is of, or that one below it is; None where it is not leased here."""
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
        """Looks at once whether the leases are still there: a report was refused."""
        for lease in self._leases():
            lease.check()

    def release(self, lease: RunLease, timeout: float | None) -> None:
        if lease not in self._leases():
            return
        deadline = deadline_of(timeout)
        self._deliver(deadline)
        self._requests.until_response(deadline, lambda left: self._give_back(lease, left))

    def release_all(self, deadline: float) -> None:
        """Gives them back as far as there is time. Does not wait for an API that is away: they run out."""
        for lease in self._leases():
            left = seconds_left(deadline)
            if left <= 0:
                return
            with suppress(WaystationError):
                self._give_back(lease, left)

    def stop(self) -> None:
        """Renews them no longer."""
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
        # Whatever else the API says, it is not this client's any more.
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
        words = self._connection.safe(detail) if isinstance(detail, str) else f"status {response.status}"
        return _Refused(response.status, words)


def _path(run: LeasedRun) -> str:
    return f"/v1/runners/threads/{quote(run.thread_id, safe='')}/runs/{quote(run.trace_id, safe='')}/lease"


def _time_in(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
