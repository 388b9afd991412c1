"""A run of an agent, begun or continued, as a context manager."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Callable, Protocol

from ._attaching import FileSource
from ._decisions import ENDED, CallDecision, call_decisions
from ._effects import Effect
from ._leases import RunLease
from .errors import LeaseHeldError, RunCancelledError
from .types import Checkpoint, RunIds

#: With these errors, others end the run.
_OTHERS = (RunCancelledError, LeaseHeldError)


class RunReporter(Protocol):
    """What a run needs from the client."""

    def latest_delivered(self, run: RunIds, resume: str, timeout: float | None) -> Checkpoint | None: ...
    def watch_cancel(self, run: RunIds, listener: Callable[[], None]) -> None: ...
    def unwatch_cancel(self, run: RunIds) -> None: ...
    def start(self, thread_id: str, trace_id: str | None, parent_trace_id: str | None, model: str | None) -> RunIds: ...
    def checkpoint(self, run: RunIds, history: Sequence[Any], **fields: Any) -> None: ...
    def append(self, run: RunIds, messages: Sequence[Any], **fields: Any) -> None: ...
    def attach(self, run: RunIds, file: FileSource, *others: Any, **options: Any) -> None: ...
    def complete(self, run: RunIds, **fields: Any) -> None: ...
    def fail(self, run: RunIds, error: Any, **fields: Any) -> None: ...
    def effect(self, run: RunIds, key: str, tool: str, args: Any, *others: Any, **options: Any) -> Effect: ...
    def lease(self, run: RunIds, *others: Any, **options: Any) -> RunLease: ...
    def wait_for_approval(self, run: RunIds, timeout: float | None) -> Checkpoint: ...


class Run:
    """
    One run in a thread:

        with ws.run("order-1") as run:
            history = run.history or [{"role": "user", "content": "Where is my parcel?"}]
            if run.has_asked:
                history += results_of(run.decisions())
            history.append(model(history))
            run.step(history)

    Entering reads the agent's latest checkpoint in the thread. A run that has begun and not ended continues under its trace; otherwise a
    new one begins. `history` is the conversation so far. Leaving completes the run; an exception fails it and is reraised. Anything
    but an `Exception`, such as KeyboardInterrupt, leaves the run as it is, to be continued later.
    """

    def __init__(self, client: RunReporter, ids: RunIds, model: str | None, resume: str | None, timeout: float | None) -> None:
        self._client = client
        self._ids = ids
        self._model = model
        self._resume = resume or "true"
        self._timeout = timeout
        self._is_over = False
        self._cancelled = threading.Event()
        self._lease: RunLease | None = None
        self.latest: Checkpoint | None = None
        """The checkpoint to continue from; None for none."""
        self.history: list[Any] = []
        """The conversation so far; empty in a new thread."""
        self.is_resumed = False
        """Whether the run began earlier and has not ended."""

    @property
    def ids(self) -> RunIds:
        return self._ids

    @property
    def thread_id(self) -> str:
        return self._ids.thread_id

    @property
    def trace_id(self) -> str:
        return self._ids.trace_id

    @property
    def status(self) -> str | None:
        """The status of `latest`, such as `waiting_for_approval`; None in a new thread."""
        return self.latest.get("status") if self.latest else None

    @property
    def has_asked(self) -> bool:
        """
        Whether people were asked about tool calls before this process began, and the run has not continued since: `decisions` then waits
        for their decisions, or returns them at once.
        """
        # If a person cancelled the waiting run and it was retried, nobody can decide its calls.
        if self.latest is None or not self.is_resumed or (self.latest.get("approval") or {}).get("status") == "superseded":
            return False
        return bool(self.latest.get("pending_tool_calls")) or self.status in ("approved", "rejected")

    @property
    def is_cancelled(self) -> bool:
        """Whether a person has cancelled the run, by the responses to its reports."""
        return self._cancelled.is_set()

    def __enter__(self) -> Run:
        """Waits while the API is down. Raises ApiRefusalError; TimeoutError after the timeout of `run`."""
        asked = self._ids.trace_id or None
        self.latest = self._client.latest_delivered(self._ids, self._resume, self._timeout)
        trace_id = asked or str(uuid.uuid4())
        if self.latest is not None:
            self.history = self.latest.get("history") or []
            self.is_resumed = self.latest.get("status") not in ENDED
            if self.is_resumed:
                trace_id = self.latest.get("trace_id") or trace_id
        self._ids = self._ids._replace(trace_id=trace_id)
        self._client.watch_cancel(self._ids, self._cancelled.set)
        if not self.is_resumed:
            self._client.start(self.thread_id, trace_id, self._ids.parent_trace_id, self._model)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._client.unwatch_cancel(self._ids)
        try:
            self._end(error)
        finally:
            if self._lease is not None:
                self._lease.run_has_ended(error)

    def _end(self, error: BaseException | None) -> None:
        is_lost = self._lease is not None and self._lease.lost.is_set()
        if self._is_over or self.is_cancelled or is_lost:
            return
        if error is None:
            self.complete()
        elif isinstance(error, Exception) and not isinstance(error, _OTHERS):
            self.fail(error)

    def step(self, history: Sequence[Any], **fields: Any) -> None:
        """
        Reports the history after a turn, as the next step. The history is copied at once: later changes to it do not matter.

        `fields`: of the checkpoint, such as `tokens_used`, `run_cost_usd`, `pending_tool_calls`, `status`, `step_index`.
        Raises RunCancelledError if a person has cancelled the run.
        """
        self._refuse_cancelled()
        self._client.checkpoint(self._ids, history, **fields)

    def append(self, messages: Sequence[Any], **fields: Any) -> None:
        """Appends messages to the run's latest checkpoint, whoever reported it. Raises RunCancelledError."""
        self._refuse_cancelled()
        self._client.append(self._ids, messages, **fields)

    def attach(self, file: FileSource, **options: Any) -> None:
        """
        Sends a file to the run's chat, with the answer: `WaystationClient.attach`. Raises RunCancelledError if a person has cancelled the
        run.
        """
        self._refuse_cancelled()
        self._client.attach(self._ids, file, **options)

    def complete(self, **fields: Any) -> None:
        """Reports that the run is finished. Leaving the run does the same."""
        self._is_over = True
        self._client.complete(self._ids, **fields)

    def fail(self, error: Any, **fields: Any) -> None:
        """Reports that the run failed."""
        self._is_over = True
        self._client.fail(self._ids, error, **fields)

    def effect(self, key: str, tool: str, args: Any = None, **options: Any) -> Effect:
        """A tool call with side effects, made at most once: `WaystationClient.effect`."""
        return self._client.effect(self._ids, key, tool, args, **options)

    def lease(self, **options: Any) -> RunLease:
        """
        Leases the run, so that only this process drives it: `WaystationClient.lease`. Leaving it keeps the lease until the run is left, so
        that the run's end is reported under it; its `release` ends it earlier. If the lease is lost, the other process ends the run.

        Raises LeaseHeldError while another process holds it: do not catch it, and the run is left to that process.
        """
        self._lease = self._client.lease(self._ids, **options)
        self._lease.is_kept_for_run = True
        return self._lease

    def wait_for_approval(self, timeout: float | None = None) -> Checkpoint:
        """Waits for the decision on the last step's tool calls, or returns an earlier one: `WaystationClient.wait_for_approval`."""
        return self._client.wait_for_approval(self._ids, timeout)

    def decisions(self, timeout: float | None = None) -> dict[str, CallDecision]:
        """The same as decisions by call id: whether each call may be made, and with which arguments."""
        return call_decisions(self.wait_for_approval(timeout)) or {}

    def _refuse_cancelled(self) -> None:
        if self.is_cancelled:
            raise RunCancelledError(f"a person has cancelled the run {self.trace_id}")
