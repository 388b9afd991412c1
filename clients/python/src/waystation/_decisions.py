"""People's decisions on tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import NoDecisionError

#: Statuses of ended runs, about which nobody decides any more.
ENDED = ("cancelled", "error", "completed", "budget_exceeded")


class CallDecision(NamedTuple):
    """What a person decided about a tool call."""

    approved: bool
    """Whether the call may be made; for a call that asks questions, whether they were answered."""
    reason: str | None
    """The call's own reason, otherwise that of the whole decision."""
    decided_by: str | None
    args: Any
    """The arguments with the person's changes."""
    is_edited: bool
    answers: Mapping[str, str | list[str]] | None = None
    """By question id: a text, or several if the question takes several. None without answers."""


class QuestionAnswer(NamedTuple):
    """People's answers."""

    answers: Mapping[str, str | list[str]] | None
    """By question id; None if a person declined, or time ran out without defaults."""
    reason: str | None
    decided_by: str | None


def call_decisions(checkpoint: Mapping[str, Any]) -> dict[str, CallDecision] | None:
    """
    The decision on each tool call of a checkpoint, by call id; None while it is pending. If calls share an id, all of them are rejected
    when one is.

    Raises NoDecisionError when nobody can decide any more.
    """
    status, approval = checkpoint.get("status"), checkpoint.get("approval")
    # An approval no longer counts once somebody has cancelled the run.
    has_ended = status in ENDED
    if status == "waiting_for_approval" or (not approval and checkpoint.get("pending_tool_calls") and not has_ended):
        return None
    if has_ended or not approval or approval["status"] == "superseded":
        raise NoDecisionError(
            f"nobody can decide about the run {checkpoint.get('trace_id')} any more (step {checkpoint.get('step_index')})"
        )
    decisions: dict[str, CallDecision] = {}
    for call in approval["tool_calls"]:
        earlier = decisions.get(call["id"])
        # Frameworks may give two calls the same id. A lookup by id must not approve a rejected one.
        if earlier is not None and not earlier.approved:
            continue
        decided, edited = call.get("decision"), call.get("edited_args")
        decisions[call["id"]] = CallDecision(
            approved=approval["status"] == "approved" if decided is None else decided != "reject",
            reason=approval.get("reason") if call.get("reason") is None else call["reason"],
            decided_by=approval.get("decided_by"),
            args=call.get("args") if edited is None else edited,
            is_edited=edited is not None,
            answers=call.get("answers"),
        )
    return decisions
