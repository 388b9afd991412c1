"""Results of the API. Every dictionary may have further members: the server stores and returns unknown ones."""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict


class Checkpoint(TypedDict, total=False):
    """A checkpoint as the API returns it, with the unknown members of its report."""

    thread_id: str
    trace_id: str
    agent_id: str
    parent_trace_id: str | None
    step_index: int
    status: str
    history: list[Any]
    history_meta: list[dict[str, Any]]
    tokens_used: int
    input_tokens: int
    output_tokens: int
    model: str
    turn_start_history_len: int
    pending_tool_calls: list[Any]
    run_cost_usd: float
    budget_usd: float
    budget_warning: bool
    updated_at: str
    """ISO 8601 in UTC with milliseconds."""
    error: Any
    """The error of `thread_error`; otherwise None."""
    approval: dict[str, Any] | None
    """The decision on its tool calls; None if there is none yet."""
    effects: list[dict[str, Any]]
    """With `resume="safe"`: unsettled effects, and settled ones whose call has no result in `history`."""
    history_for_model: list[Any]
    """With `resume="safe"`: a copy of `history` that providers accept: each tool call has one result. Equals `history` if `repairs` says
    `not_understood`."""
    repairs: list[dict[str, Any]]
    """With `resume="safe"`: the changes between `history` and `history_for_model`. `not_understood` is not a change: the server does not
    know the shape."""
    waiting: list[dict[str, Any]]
    """With `resume="safe"`: runs of the thread that wait for a person."""


class ListedThread(TypedDict, total=False):
    """A thread in the list, with its latest checkpoint."""

    thread_id: str
    trace_id: str
    agent_id: str
    status: str
    """`in_progress`, `waiting_for_approval` and `error`, even if reported under an alias; or another text."""
    silent: bool
    """The run is in progress, but has had no event, heartbeat or lease for a long time."""
    in_doubt: bool
    """It has an effect with an unknown outcome."""
    model: str
    total_tokens: int
    total_cost_usd: float
    pending_approvals: int
    last_message: Any
    started_at: str
    updated_at: str
    error: Any


class RunEvent(TypedDict, total=False):
    """A person's action on a run."""

    type: str
    """`retried` or `cancelled`."""
    at: str
    by: str | None
    through: str | None
    """The name of the token, or `console`."""
    reason: str | None
    attempt: int | None


class ThreadRun(TypedDict, total=False):
    """A run of a thread."""

    trace_id: str
    parent_trace_id: str | None
    agent_id: str
    status: str
    silent: bool
    in_doubt: bool
    attempts: int
    """For a retry, when it was made."""
    attempt_started_at: str
    duration_ms: int
    """Without the pauses between an end and a retry."""
    events: list[RunEvent]
    """Retries and cancels, in order."""
    cancelled_by: str
    cancel_reason: str
    cancelled_with: str
    """The run with which it was cancelled."""


class RunIds(NamedTuple):
    """Identifies a run in every report."""

    thread_id: str
    """1 to 512 characters."""
    trace_id: str
    parent_trace_id: str | None = None
    """The parent run."""
    agent_id: str | None = None
    """Default: the client's agent."""

    def members(self) -> dict[str, Any]:
        return {name: value for name, value in self._asdict().items() if value is not None}


class ServerEvent(NamedTuple):
    """One event of a stream."""

    event: str
    """Such as `checkpoint`, `status`, `approval`, `effect`, `log`; `message` if the server gave no name."""
    data: Any
    """The JSON value."""
    id: str
    """Resumes the stream after this event."""
