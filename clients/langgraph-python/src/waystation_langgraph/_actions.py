"""Tool calls that the human-in-the-loop middleware of LangChain asks about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from waystation import CallDecision, Question


class _Action(NamedTuple):
    """How the middleware wants to hear of a decision."""

    edited: str
    """The member that has the changed call, as the middleware's language writes names."""
    allowed: Sequence[str] | None
    """The decisions that the agent takes, in LangChain's words; None where it does not say."""


def action_questions(interrupt_id: str, value: Any, number: int) -> list[Question] | None:
    """One for each tool call, in their order: all of them are answered together. None for an interrupt of anything else."""
    members = value if isinstance(value, Mapping) else {}
    is_python = "actionRequests" not in members
    requests = members.get("action_requests" if is_python else "actionRequests")
    configs = members.get("review_configs" if is_python else "reviewConfigs")
    if not isinstance(requests, (list, tuple)) or not requests or not all(map(_is_call, requests)):
        return None
    # Of several calls LangChain for JavaScript drops the approved ones as soon as one is rejected
    # (https://github.com/langchain-ai/langchainjs/issues/11437).
    whole = ["per_call"] if is_python or len(requests) == 1 else []
    questions = []
    for part, request in enumerate(requests):
        config = configs[part] if isinstance(configs, (list, tuple)) and part < len(configs) else {}
        allowed = config.get("allowed_decisions" if is_python else "allowedDecisions") if isinstance(config, Mapping) else None
        edits = ["edit_args"] if allowed is None or "edit" in allowed else []
        action = _Action("edited_action" if is_python else "editedAction", allowed)
        questions.append(Question(interrupt_id, request["name"], request["args"], number, part, True, (*whole, *edits), action))
    return questions


def is_action(question: Question) -> bool:
    return isinstance(question.context, _Action)


def response_to(questions: Sequence[Question], decisions: Sequence[CallDecision]) -> dict[str, Any]:
    """What the interrupt of these actions returns."""
    return {"decisions": [_response(*one) for one in zip(questions, decisions, strict=True)]}


def _response(question: Question, made: CallDecision) -> dict[str, Any]:
    edited, allowed = question.context
    if made.approved:
        changed = {"type": "edit", edited: {"name": question.name, "args": made.args}}
        return changed if made.is_edited else {"type": "approve"}
    if allowed is not None and "reject" not in allowed and "respond" in allowed:
        return {"type": "respond", "message": made.reason or "A person rejected it."}
    return {"type": "reject", **({} if made.reason is None else {"message": made.reason})}


def _is_call(request: Any) -> bool:
    return isinstance(request, Mapping) and isinstance(request.get("name"), str) and isinstance(request.get("args"), Mapping)
