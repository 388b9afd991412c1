"""What people decided about tool calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import NoDecisionError

#: Of runs that have ended: nobody decides about them later.
ENDED = ("cancelled", "error", "completed", "budget_exceeded")


class CallDecision(NamedTuple):
    """What a person decided about a tool call."""

    approved: bool
    """Whether the call may be made; of one that asks questions, whether they are answered."""
    reason: str | None
    """Of the call, else of the whole decision."""
    decided_by: str | None
    args: Any
    """With the changes that the person made."""
    is_edited: bool
    answers: Mapping[str, str | list[str]] | None = None
    """By the ids of the questions: a text, or several where the question takes several. None where there is no answer."""


class QuestionAnswer(NamedTuple):
    """What people answered."""

    answers: Mapping[str, str | list[str]] | None
    """By the ids of the questions; None where a person declined, or time ran out without defaults."""
    reason: str | None
    decided_by: str | None


def call_decisions(checkpoint: Mapping[str, Any]) -> dict[str, CallDecision] | None:
    """
    The decision on each tool call of a checkpoint, by the id of the call; None while it is pending. Of two calls with one id, neither is
    approved where people rejected one.

    Raises NoDecisionError when nobody can decide any more.
    """
    status, approval = checkpoint.get("status"), checkpoint.get("approval")
    # What was approved before somebody cancelled the run is not to be done any more.
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
        # Frameworks may give two calls one id: whoever looks by it makes neither, if one is rejected.
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
