"""The client of an agent."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Callable, cast
from urllib.parse import quote, urlencode

from ._api import WaystationApi
from ._appending import RunAppender
from ._attaching import FileAttacher, FileSource
from ._batch_responses import CancelledRun, RejectedReport
from ._cancels import CancelNotices
from ._connection import ApiConnection
from ._decisions import ENDED, QuestionAnswer, call_decisions
from ._delivery import Delivery, Listeners
from ._effects import Effect, EffectMeans
from ._events import EventStamper, PendingCallTracker, calls_digest
from ._json import dumps
from ._latest import Found, LatestQuery, read_latest
from ._leases import LeasedRun, LeaseKeeper, RunLease
from ._lifetime import EXIT_SECONDS, end_with_process
from ._patience import OutageNotice, PatientRequests, call, deadline_of, print_error, seconds_left
from ._requests import ApiRequests
from ._runs import Run
from ._settings import client_settings
from ._spool import MemorySpool, Spool
from ._streams import follow
from .errors import ClientClosedError, UnsupportedError
from .types import Checkpoint, RunIds, ServerEvent

#: Part of the time to close that is left for threads to end.
_STOP_SECONDS = 0.3


class WaystationClient:
    """
    Reports an agent's runs and reads their latest checkpoints. It accepts reports at once and delivers them in the background: in
    batches, in order, with retries while the API is down. Delivering a report twice changes nothing, because each has an id.

    All methods are thread-safe. After `os.fork`, parent and child continue separately: each delivers its own reports, and the child holds
    no leases. The end of the interpreter closes the client, which takes at most 5 seconds.
    """

    def __init__(
        self,
        api_url: str | None = None,
        token: str | None = None,
        agent_id: str | None = None,
        *,
        spool: Spool | None = None,
        on_rejected: Callable[[RejectedReport], None] | None = None,
        on_dropped: Callable[[int], None] | None = None,
        on_cancel: Callable[[CancelledRun], None] | None = None,
        on_lease_lost: Callable[[LeasedRun], None] | None = None,
        on_trouble: Callable[[str], None] | None = None,
        on_recovered: Callable[[], None] | None = None,
    ) -> None:
        """
        `api_url`: base address of the API server. Default: `WAYSTATION_API_URL`, else the running server of `WAYSTATION_HOME`, else
        `http://127.0.0.1:8000`.
        `token`: of scope `runner`. Default: `WAYSTATION_TOKEN`, or the content of the file `WAYSTATION_TOKEN_FILE`.
        `agent_id`: the agent for which the client reports. Default: `WAYSTATION_AGENT_ID`.
        `spool`: holds reports for the API. Default: 64 MiB of memory. `DiskSpool(folder)` survives the end of the process.

        The listeners are called by the client's own threads, and must not wait for the client.
        `on_rejected`: for a report that was refused for good and dropped. Default: a line on standard error.
        `on_dropped`: when the spool was full and dropped that many of its oldest reports. Default: a line on standard error.
        `on_cancel`: when a person has cancelled the run: stop working on it. Called once per start of a run.
        `on_lease_lost`: when another process has taken over a run leased by this client. Its reports are refused.
        `on_trouble`: when reports cannot be delivered; they wait. Called once until delivery works again. Default: a line on standard
        error, and another on recovery. `on_recovered`: when delivery works again.

        Raises ClientSettingError when the address, the token or the agent is missing or unusable; sends no request.
        """
        settings = client_settings(api_url, token, agent_id)
        self.agent_id = settings.agent_id
        self._connection = ApiConnection(settings.api, settings.token)
        if on_trouble is None and on_recovered is None:
            on_trouble, on_recovered = self._say_trouble, self._say_recovered
        self._notice = OutageNotice(on_trouble or _ignore, on_recovered or _ignore)
        self._spool = spool or MemorySpool()
        self._on_rejected = on_rejected or _say_rejected
        self._on_dropped = on_dropped or _say_dropped
        self._cancels = CancelNotices(on_cancel or _ignore)
        listeners = Listeners(self._tell_rejected, self._cancels.tell)
        self._delivery = Delivery(self._connection, self._spool, listeners, self._notice)
        self._requests = PatientRequests(self._connection, self._notice)
        self.api = WaystationApi.of(ApiRequests(self._connection, self._requests, None))
        """The API call by call; repeatable calls wait while it is down."""
        self._leases = LeaseKeeper(self._connection, self._requests, self._deliver, on_lease_lost or _ignore)
        self._files = FileAttacher(self._connection, self._requests)
        self._effects = EffectMeans(self._connection, self._requests, self._deliver, self.report)
        self._stamper = EventStamper()
        self._asked = PendingCallTracker()
        self._order = threading.Lock()
        self._appender = RunAppender(self._connection, self._requests, self._checkpoint_event)
        self._is_closed = False
        end_with_process(self)
        if self._spool.peek(1, 1):  # left by an earlier process
            self._delivery.wake()

    # Runs

    def run(
        self,
        thread_id: str,
        trace_id: str | None = None,
        *,
        parent_trace_id: str | None = None,
        model: str | None = None,
        resume: str | None = None,
        timeout: float | None = None,
    ) -> Run:
        """
        A run as a context manager: begins it, or continues one that has not ended; see `Run`.

        `resume`: with `"safe"`, `run.latest` includes the outcomes of tool calls; see `latest`.
        `timeout`: seconds to wait for an API that is down; None waits forever.
        """
        return Run(self, RunIds(thread_id, trace_id or "", parent_trace_id, self.agent_id), model, resume, timeout)

    def start(
        self,
        thread_id: str,
        trace_id: str | None = None,
        parent_trace_id: str | None = None,
        model: str | None = None,
    ) -> RunIds:
        """
        Starts a run, or continues it after a restart if its trace is known.
        Returns the run's ids, with a new trace if none was given; pass them to the other reports.
        """
        run = RunIds(thread_id, trace_id or str(uuid.uuid4()), parent_trace_id, self.agent_id)
        self._cancels.begin(run)
        self.report("thread_started", {**run.members(), **({} if model is None else {"model": model})})
        return run

    def checkpoint(self, run: RunIds, history: Sequence[Any], **fields: Any) -> None:
        """
        Reports a snapshot after a turn. It copies the snapshot at once: later changes to `history` do not matter.

        `fields`: `step_index` (absent for the next one), `status`, `history_meta`, `pending_tool_calls`, `tokens_used`,
        `run_cost_usd` and the others of the API; the server stores and returns unknown ones.
        """
        self.report("checkpoint", {**run.members(), **fields, "history": history})

    def append(self, run: RunIds, messages: Sequence[Any], **fields: Any) -> None:
        """
        Appends messages to the latest checkpoint of the run, as its next step. Several processes may append to one run without replacing
        each other's messages. The first messages of a run follow the agent's earlier history in the thread. If the server supports it,
        only new messages are sent. Delivers pending reports first; waits while the API is down.

        Raises ApiRefusalError when the report is refused for good; ClientClosedError.
        """
        self._append(run, messages, fields, None)

    def complete(self, run: RunIds, **fields: Any) -> None:
        """Reports that the run is finished. `fields`: `tokens_used`, `model`, `run_cost_usd`, `budget_usd`."""
        self.report("thread_completed", {**run.members(), **fields})

    def fail(self, run: RunIds, error: Any, **fields: Any) -> None:
        """Reports that the run failed. `error`: for people and programs: an exception, a message, or JSON of any shape."""
        if isinstance(error, BaseException):
            error = {"message": str(error) or type(error).__name__, "type": type(error).__name__}
        self.report("thread_error", {**run.members(), **fields, "error": error})

    def report(self, type: str, data: Mapping[str, Any]) -> None:
        """
        Reports an event of any type. Returns when the spool has the event; see `flush` for delivery.

        Raises TypeError and ValueError for data that is not JSON, ClientClosedError, and the spool's errors.
        """
        data = {**data, "agent_id": data.get("agent_id") or self.agent_id}
        data_text = dumps(data)
        thread_id = str(data.get("thread_id", ""))
        with self._order:  # the spool has events in the order of their stamps
            if self._is_closed:
                raise ClientClosedError()
            text = self._stamper.stamp(type, data_text, fence=self._leases.fence_for(data))
            self._asked.note(type, data)
            dropped = self._spool.append(thread_id, text)
        if dropped > 0:
            call(self._on_dropped, dropped)
        self._delivery.wake()

    # Questions

    def latest(
        self,
        thread_id: str,
        *,
        trace_id: str | None = None,
        agent_id: str | None = None,
        resume: str | None = None,
        history: str | None = None,
        timeout: float | None = None,
    ) -> Checkpoint | None:
        """
        The latest checkpoint of a thread, or None if there is none. It does not include undelivered reports: `flush` first. Give
        `trace_id` or `agent_id` if several agents share the thread. Numbers are exact: those that a float cannot hold become `Decimal`.

        `resume`: `"true"` replaces an empty history with the run's last nonempty one. `"safe"` includes the outcomes of tool calls: give
        `history_for_model` to the model, unless `repairs` says `not_understood`: then it equals the reported history.
        `history`: `"none"` leaves the lists empty, for callers that only watch the run.
        `timeout`: seconds to wait while the API is down; None waits forever.
        Raises ApiRefusalError when the token or the request is wrong, TimeoutError, ClientClosedError.
        """
        return self._ask(LatestQuery(thread_id, trace_id, agent_id, resume, history), deadline_of(timeout))

    def wait_for_approval(self, run: RunIds, timeout: float | None = None) -> Checkpoint:
        """
        Waits, without polling, for a decision on the tool calls of the run's latest checkpoint, and returns that checkpoint: `status` is
        `approved` or `rejected`, `approval` has the calls and the decisions. Delivers pending reports first.

        `timeout`: seconds; None waits forever.
        Raises NoDecisionError when nobody decided and nobody can: the tool calls did not arrive, or the run continued or ended without
        them; also when a person has cancelled the run, whatever was decided before. ApiRefusalError when the run is unknown or the token
        is wrong; TimeoutError.
        """
        deadline = deadline_of(timeout)
        self._deliver(deadline)
        left = None if deadline is None else seconds_left(deadline)
        try:
            for checkpoint in self.api.runners.watch(run.thread_id, left, trace_id=run.trace_id):
                decided = self._asked.decided(run.thread_id, run.trace_id, dict(checkpoint))
                if decided is not None:
                    return cast(Checkpoint, decided)
        except TimeoutError:
            raise TimeoutError("nobody has decided in time") from None
        raise AssertionError  # a watch has no end

    def ask(self, run: RunIds, questions: Sequence[Mapping[str, Any]], timeout: float | None = None, **fields: Any) -> QuestionAnswer:
        """
        Asks people questions, as the run's next step, and waits for the answers. Called again with the same questions after a crash, it
        continues waiting, or returns the answer given meanwhile. Delivers pending reports first; waits while the API is down.

        `questions`: `[{"text": "Which colour?", "options": [{"label": "Blue"}]}]`, in the API's format. `timeout`: seconds in all; None
        waits forever. `fields`: of the step, such as `approval_timeout_seconds`.
        Returns the answers by question id (`q0`, `q1`, ...), with the defaults when time runs out; `answers` is None if a person declined,
        or time ran out and a question has neither a default nor `required` false.
        Raises UnsupportedError while a server on the storage is too old to take answers; as `append` and `wait_for_approval`.
        """
        deadline = deadline_of(timeout)
        self._deliver(deadline)
        if "questions" not in self._delivery.features(lambda ask: self._requests.until_response(deadline, ask)):
            raise UnsupportedError("a server on this storage is too old to take answers to questions")
        call_id = f"ask-{calls_digest(dumps(list(questions)))}"
        latest = self._ask(LatestQuery(run.thread_id, run.trace_id), deadline)
        is_answered = self._asked.is_answered(run.thread_id, run.trace_id, latest["step_index"] if latest else None)
        if is_answered or not _asks_now(latest, call_id):
            call_asked = {"id": call_id, "name": "ask", "args": {}, "questions": list(questions)}
            asking = {"status": "waiting_for_approval", "approval_features": ["answer"], "pending_tool_calls": [call_asked]}
            self._append(run, [], {**fields, **asking}, deadline)
        decided = self.wait_for_approval(run, None if deadline is None else max(seconds_left(deadline), 0.0))
        self._asked.note_answered(run.thread_id, run.trace_id, decided["step_index"])
        made = (call_decisions(cast("Mapping[str, Any]", decided)) or {}).get(call_id)
        return QuestionAnswer(made.answers, made.reason, made.decided_by) if made else QuestionAnswer(None, None, None)

    def stream(self, thread_id: str, last_event_id: str | None = None) -> Iterator[ServerEvent]:
        """
        Follows a thread without end: the latest checkpoint first, then every change. An interrupted connection is resumed without loss.
        Needs a token of scope `reader` or `admin`.

        `last_event_id`: begins after this event. Raises ApiRefusalError, ClientClosedError.
        """
        return self._follow(f"/threads/{quote(thread_id, safe='')}/stream", last_event_id)

    def stream_threads(self, last_event_id: str | None = None, **filters: str) -> Iterator[ServerEvent]:
        """Follows all threads: `thread`, `approval`, `effect`, `left`, `deleted`. `filters`: `agent_id`, `model`, `status`, `q`."""
        return self._follow(f"/v1/threads/stream{'?' + urlencode(filters) if filters else ''}", last_event_id)

    def stream_approvals(self) -> Iterator[ServerEvent]:
        """Follows what waits for a person: `opened`, `reminder`, `closed`, `doubt_opened`, `doubt_closed`. Begins with what is pending."""
        return self._follow("/approvals/stream", None)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """
        Sends any other request to the API, such as `ws.request("GET", "/approvals")`. While the API is down it waits and retries, so the
        request must be safe to repeat.

        `body`: JSON. `timeout`: seconds; None waits forever. Returns the JSON of the response; None for an empty one.
        Raises ApiRefusalError, TimeoutError, ClientClosedError.
        """
        return self.api.within(timeout).request(method, path, body, query)

    # Effects and leases

    def effect(
        self,
        run: RunIds,
        key: str,
        tool: str,
        args: Any = None,
        *,
        kind: str | None = None,
        call_id: str | None = None,
        holder: str | None = None,
        fence: int | None = None,
        doubt_after_seconds: int | None = None,
        timeout: float | None = None,
    ) -> Effect:
        """
        A tool call with side effects, made at most once; a context manager, see `Effect`. While the API is down it waits before the call,
        but never after it: the settlement then waits in the spool.

        `key`: describes the action, not its place in the run: `refund:order-4711`. Unique for an agent in a thread. Pass it on to what the
        tool calls. `args`: JSON; a key always stands for these arguments. `kind`: `write` (default), or `idempotent` for a call that may
        be made twice. `call_id`: the framework's id of the call; if a person was asked about it, their decision applies. `holder`: the
        caller's name, for people to read. `doubt_after_seconds`: after which a `write` claimed without a lease is in doubt; default 300.
        `timeout`: seconds to wait for the API before the call; None waits forever.
        """
        own = {"thread_id": run.thread_id, "trace_id": run.trace_id, "agent_id": run.agent_id or self.agent_id}
        claim = {
            "trace_id": own["trace_id"],
            "agent_id": own["agent_id"],
            "key": key,
            "tool": tool,
            "args": args,
            "kind": kind,
            "call_id": call_id,
            "holder": holder,
            "doubt_after_seconds": doubt_after_seconds,
            "fence": fence or self._leases.fence_for(own),
        }
        given = {name: value for name, value in claim.items() if value is not None}
        return Effect(self._effects, own, given, timeout)

    def attach(
        self,
        run: RunIds,
        file: FileSource,
        *,
        name: str | None = None,
        media_type: str | None = None,
        caption: str | None = None,
        timeout: float | None = None,
    ) -> None:
        """
        Sends a file to the run's chat; it goes out with the answer when the run ends well. A run without a chat only has it in its log.
        The file is stored at the server first; waits while that is down.

        `file`: its path, or its bytes; at most 50 MiB. `name`: default is the path's file name. `media_type`: such as `image/png`; default
        is derived from the name. `caption`: text with the file, in Markdown; chats show 1,024 characters. `timeout`: seconds to wait for
        the API; None waits forever. Raises OSError for an unreadable file, ApiRefusalError, TimeoutError, ClientClosedError.
        """
        said = self._files.store(run.thread_id, file, name, media_type, caption, timeout)
        self.report("attachment", {**run.members(), **said})

    def settle(self, run: RunIds, effect: Mapping[str, Any], outcome: str, result: Any = None, timeout: float | None = None) -> Any:
        """
        Settles an effect in doubt, for a program that has found out its outcome.

        `effect`: of `EffectInDoubtError`. `outcome`: `completed` (with its `result`), `failed` or `not_done`; after `not_done` it can be
        claimed again. Raises ApiRefusalError, for example if somebody else has settled it meanwhile; TimeoutError.
        """
        path = f"/v1/runners/threads/{quote(run.thread_id, safe='')}/effects/{quote(str(effect['key']), safe='')}"
        body = {"attempt": effect["attempt"], "outcome": outcome, "result": result}
        return self.request("PUT", path, body, {"agent_id": run.agent_id or self.agent_id}, timeout)

    def lease(
        self,
        run: RunIds,
        ttl_seconds: int = 60,
        *,
        holder: str | None = None,
        fence: int | None = None,
        timeout: float | None = None,
    ) -> RunLease:
        """
        Leases a run, so that only this process drives it: other processes' reports of it and its sub-runs are refused. The client renews
        the lease until it is released or lost, and puts its fence into reports and claims of effects. The run need not have begun.
        Delivers pending reports first; waits while the API is down. A context manager: leaving it releases the lease.

        Under `waystation agent`, which has already leased the run, this is that process's lease.

        `ttl_seconds`: without a renewal, after which others may take the run over, 5 to 3600. `holder`: identifies this process: the same
        name gets the same lease. `fence`: the current one, if an earlier holder has handed the run over.
        Raises LeaseHeldError while another process holds it; ApiRefusalError; TimeoutError.
        """
        agent_id = run.agent_id or self.agent_id
        return self._leases.claim(LeasedRun(run.thread_id, run.trace_id), agent_id, ttl_seconds, holder, fence, timeout)

    # The end

    def flush(self, timeout: float = 30.0) -> bool:
        """
        Waits until the API has stored, or refused for good, every earlier report.

        `timeout`: limit in seconds. Returns False on timeout; nothing is lost.
        """
        if self._requests.ended.is_set():
            raise ClientClosedError()
        return self._delivery.drained(timeout)

    def close(self, timeout: float = EXIT_SECONDS) -> bool:
        """
        Accepts no more reports, flushes, then releases leases and stops. Undelivered reports stay in the spool; then leases expire.

        `timeout`: limit in seconds. Returns whether everything was delivered.
        """
        with self._order:
            self._is_closed = True
        if self._requests.ended.is_set():
            return True
        deadline = time.monotonic() + timeout
        is_done = self._delivery.drained(timeout - min(timeout / 10, _STOP_SECONDS))
        if is_done:
            self._leases.release_all(deadline)
        self._leases.stop()
        self._requests.ended.set()
        self._connection.end()
        self._delivery.stop(max(deadline - time.monotonic(), 0.0))
        self._spool.close()
        return is_done

    def __enter__(self) -> WaystationClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def latest_delivered(self, run: RunIds, resume: str, timeout: float | None) -> Checkpoint | None:
        """For `Run`: the checkpoint to continue from, after delivering what an earlier process left in the spool."""
        deadline = deadline_of(timeout)
        self._deliver(deadline)
        query = LatestQuery(run.thread_id, run.trace_id or None, run.agent_id or self.agent_id, resume)
        return self._ask(query, deadline)

    def watch_cancel(self, run: RunIds, listener: Callable[[], None]) -> None:
        """For `Run`: calls the listener when a person has cancelled the run."""
        self._cancels.watch(run, listener)

    def unwatch_cancel(self, run: RunIds) -> None:
        self._cancels.unwatch(run)

    def after_fork(self) -> None:
        """For the package, in the child of a fork."""
        self._order = threading.Lock()
        parts = (self._connection, self._notice, self._spool, self._stamper, self._requests, self._leases, self._delivery)
        for part in parts:
            part.after_fork()

    def _deliver(self, deadline: float | None) -> None:
        if self._is_closed:
            raise ClientClosedError()
        while not self.flush(max(min(seconds_left(deadline), 1.0), 0.0)):
            if seconds_left(deadline) <= 0:
                raise TimeoutError("the reports could not be delivered in time")

    def _append(self, run: RunIds, messages: Sequence[Any], fields: Mapping[str, Any], deadline: float | None) -> None:
        self._deliver(deadline)
        data = {**fields, **run.members()}
        self._asked.note("checkpoint", data)
        self._delivery.learn_features(lambda ask: self._requests.until_response(deadline, ask))
        self._appender.append(run, messages, data, lambda: self._delivery.may_use_bases, deadline)

    def _ask(self, query: LatestQuery, deadline: float | None) -> Checkpoint | None:
        response = self._requests.until_response(deadline, lambda left: read_latest(self._connection, query, left))
        return response.checkpoint if isinstance(response, Found) else None

    def _checkpoint_event(self, event_id: str, data: dict[str, Any]) -> str:
        """The text of an event that bypasses the spool."""
        data = {**data, "agent_id": data.get("agent_id") or self.agent_id}
        return self._stamper.stamp("checkpoint", dumps(data), event_id, self._leases.fence_for(data))

    def _follow(self, path: str, last_event_id: str | None) -> Iterator[ServerEvent]:
        if self._requests.ended.is_set():
            raise ClientClosedError()
        return follow(self._connection, self._requests, path, last_event_id)

    def _tell_rejected(self, rejected: RejectedReport) -> None:
        if rejected.code == "stale_fence":
            self._leases.check()
        call(self._on_rejected, rejected)

    def _say_trouble(self, reason: str) -> None:
        print_error(f"{reason}; reports wait")

    def _say_recovered(self) -> None:
        print_error(f"{self._connection.url} answers again")


def _asks_now(latest: Checkpoint | None, call_id: str) -> bool:
    """Whether the checkpoint asks this call, or asked it last. False if a person has since cancelled the run and it was retried."""
    members = cast("Mapping[str, Any]", latest or {})
    approval = members.get("approval") or {}
    if approval.get("status") == "superseded" and members.get("status") not in ENDED:
        return False
    asked = members.get("pending_tool_calls") or approval.get("tool_calls") or [{}]
    return isinstance(asked[0], dict) and asked[0].get("id") == call_id


def _ignore(*_: object) -> None:
    return None


def _say_rejected(rejected: RejectedReport) -> None:
    print_error(f"a report was refused ({rejected.code}): {rejected.detail}")


def _say_dropped(count: int) -> None:
    print_error(f"the spool is full: the {count} oldest reports are lost")
