"""Requests for people: threads, runs and approvals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from ._requests import ApiRequests, Query, address, place
from .types import ListedThread, RunIds, ServerEvent

Json = dict[str, Any]
_STREAM = "/approvals/stream"


class Group:
    """Calls that belong together."""

    def __init__(self, requests: ApiRequests) -> None:
        self._requests = requests


class ThreadsApi(Group):
    """Threads with their runs, logs and costs. With a token of scope `reader` or `admin`."""

    def list(self, **query: Query) -> Json:
        """
        One page of `ListedThread` in `items`, most recently changed first. `silent=True` and `in_doubt=True` filter; `status` also accepts
        `running`, `waiting` and `failed`. `warnings`, if present, names statuses that no thread has.
        """
        return cast(Json, self._requests.send("GET", "/threads", query=query))

    def each(self, **query: Query) -> Iterator[ListedThread]:
        return cast("Iterator[ListedThread]", self._requests.items(self.list, query))

    def get(self, thread_id: str, **query: Query) -> Json:
        """A thread: a `ListedThread` with its history, logs and `run_list` of `ThreadRun`."""
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}", query=query))

    def checkpoints(self, thread_id: str, **query: Query) -> Json:
        """One page, ordered by run, attempt and step."""
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}/checkpoints", query=query))

    def each_checkpoint(self, thread_id: str, **query: Query) -> Iterator[Json]:
        return self._requests.items(lambda **page: self.checkpoints(thread_id, **page), query)

    def steps(self, thread_id: str, **query: Query) -> Json:
        """One page of checkpoints without messages."""
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}/steps", query=query))

    def messages(self, thread_id: str, **query: Query) -> Json:
        """Messages by the positions that steps name."""
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}/messages", query=query))

    def stream(self, thread_id: str, last_event_id: str | None = None) -> Iterator[ServerEvent]:
        """All events of a thread, beginning with the latest checkpoint."""
        return self._requests.follow(f"/threads/{place(thread_id)}/stream", {}, last_event_id)

    def watch(self, last_event_id: str | None = None, **query: Query) -> Iterator[ServerEvent]:
        """The changes of all threads from now on: `thread`, `approval`, `effect`, `left` and `deleted`."""
        return self._requests.follow("/v1/threads/stream", query, last_event_id)

    def delete(self, thread_id: str) -> None:
        """With scope `admin`."""
        self._requests.send("DELETE", f"/threads/{place(thread_id)}")

    def export(self, thread_id: str) -> Iterator[bytes]:
        """A whole thread as JSON lines, in chunks of UTF-8, for `import_`. With scope `reader`."""
        return self._requests.pieces(f"/v1/threads/{place(thread_id)}/export")

    def import_(self, lines: str | Iterable[bytes], **query: Query) -> Json:
        """Stores an exported thread: the result of `export`, or its text. `**{"as": id}`: another id. With scope `admin`."""
        text = lines if isinstance(lines, str) else b"".join(lines).decode("utf8")
        return cast(Json, self._requests.send_lines("/v1/threads/import", query, text))


class RunsApi(Group):
    """Cancels and retries runs. With a token of scope `admin`."""

    def cancel(self, run: RunIds, reason: str | None = None, decided_by: str | None = None) -> Json:
        """Ends a run and its sub-runs. `reason`: shown with the run, and reaches its program. `decided_by`: who ordered it."""
        return cast(Json, self._requests.send("POST", f"{_shown(run)}/cancel", body=_order(reason, decided_by)))

    def retry(self, run: RunIds, reason: str | None = None, decided_by: str | None = None) -> Json:
        """Makes the agent continue an ended or idle run. `reason`, `decided_by`: shown with the run."""
        return cast(Json, self._requests.send("POST", f"{_shown(run)}/retry", body=_order(reason, decided_by)))


def _order(reason: str | None, decided_by: str | None) -> Json | None:
    given = {"reason": reason, "decided_by": decided_by}
    return {name: value for name, value in given.items() if value is not None} or None


class ApprovalsApi(Group):
    """Tool calls that wait for a person. With a token of scope `approver`, `reader` (to look only) or `admin`."""

    def list(self, **query: Query) -> Json:
        """One page; without `status`, the pending ones."""
        return cast(Json, self._requests.send("GET", "/approvals", query=query))

    def each(self, **query: Query) -> Iterator[Json]:
        return self._requests.items(self.list, query)

    def get(self, trace_id: str, step: int, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", _approval(trace_id, step), query=query))

    def approve(self, trace_id: str, step: int, decision: Mapping[str, Any] | None = None, **query: Query) -> Json:
        """Raises ApiRefusalError with status 409 if it was decided otherwise, or the calls do not match `digest`."""
        return cast(Json, self._requests.send("POST", f"{_approval(trace_id, step)}/approve", query=query, body=decision or {}))

    def reject(self, trace_id: str, step: int, decision: Mapping[str, Any] | None = None, **query: Query) -> Json:
        """The same for a rejection."""
        return cast(Json, self._requests.send("POST", f"{_approval(trace_id, step)}/reject", query=query, body=decision or {}))

    def answer(self, trace_id: str, step: int, answer: Mapping[str, Any], **query: Query) -> Json:
        """Answers the questions of calls: `{"answers": [{"index": 0, "values": {"q0": "blue"}}]}`, with `decisions` on the other calls."""
        return cast(Json, self._requests.send("POST", f"{_approval(trace_id, step)}/answer", query=query, body=answer))

    def stream(self) -> Iterator[ServerEvent]:
        """`opened`, `reminder`, `closed`, `doubt_opened` and `doubt_closed` events with their records; begins with what is pending."""
        return self._requests.follow(_STREAM, {}, None)

    def wait(self, trace_id: str, step: int, timeout: float | None = None, **query: Query) -> Json:
        """
        Waits until a person has decided or nobody can any more; returns the approval with its outcome as `status`.

        `timeout`: seconds; None waits forever, even while the server is away. Raises ApiRefusalError if there is no such approval,
        TimeoutError.
        """

        def is_meant(data: Any) -> bool:
            return isinstance(data, dict) and data.get("trace_id") == trace_id

        try:
            for approval in self._requests.beside(address(_approval(trace_id, step), query), _STREAM, is_meant, timeout):
                if approval["status"] != "pending":
                    return cast(Json, approval)
        except TimeoutError:
            raise TimeoutError("nobody has decided in time") from None
        raise AssertionError  # the stream has no end


def _shown(run: RunIds) -> str:
    return f"/threads/{place(run.thread_id)}/runs/{place(run.trace_id)}"


def _approval(trace_id: str, step: int) -> str:
    return f"/approvals/{place(trace_id)}/{step}"
