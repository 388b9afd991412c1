"""Tool calls that LangChain's human-in-the-loop middleware asks about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from waystation import CallDecision, Question

#: Possible decisions on a call without questions.
_OFFERED = ("approve", "edit", "reject")
_MAX_TEXT = 4_000
_MAX_OPTIONS = 50
_MAX_LABEL = 200
#: NUL and lone surrogates.
_UNREADABLE = re.compile("[\0\ud800-\udfff]")


class _Action(NamedTuple):
    """The format of the middleware's answers."""

    edited: str
    """The name of the edited call's member, which depends on the middleware's language."""
    allowed: Sequence[str] | None
    """The possible decisions, in LangChain's words; None if not specified."""
    is_batch: bool
    """Whether one interrupt asks about all calls of a message, or about a single one."""


def action_questions(interrupt_id: str, value: Any, number: int, schema: Any = None) -> list[Question] | None:
    """
    One per tool call, in order: those of one interrupt are answered together. None for any other interrupt.

    `schema`: of the response, as the interrupt describes it.
    """
    members = value if isinstance(value, Mapping) else {}
    if members.get("type") == "tool_approval":  # since langchain 1.4.6, and 1.5.18 for JavaScript
        return _approval(interrupt_id, members, number, schema)
    is_python = "actionRequests" not in members
    requests = members.get("action_requests" if is_python else "actionRequests")
    configs = members.get("review_configs" if is_python else "reviewConfigs")
    if not isinstance(requests, (list, tuple)) or not requests or not all(map(_is_call, requests)):
        return None
    # Before 1.6.1, LangChain for JavaScript drops approved calls when another one is rejected
    # (https://github.com/langchain-ai/langchainjs/issues/11437).
    is_per_call = is_python or len(requests) == 1
    questions = []
    for part, request in enumerate(requests):
        config = configs[part] if isinstance(configs, (list, tuple)) and part < len(configs) else {}
        allowed = config.get("allowed_decisions" if is_python else "allowedDecisions") if isinstance(config, Mapping) else None
        action = _Action("edited_action" if is_python else "editedAction", allowed, True)
        questions.append(_question(interrupt_id, request, number, part, action, is_per_call))
    return questions


def call_questions_in(value: Any) -> Sequence[Mapping[str, Any]]:
    """The questions in an interrupt's value if it has Waystation's format; otherwise none."""
    questions = value.get("questions") if isinstance(value, Mapping) else None
    asked = questions if isinstance(questions, (list, tuple)) else ()
    return asked if asked and all(isinstance(one, Mapping) and isinstance(one.get("text"), str) for one in asked) else ()


def is_action(question: Question) -> bool:
    return isinstance(question.context, _Action)


def response_to(questions: Sequence[Question], decisions: Sequence[CallDecision]) -> dict[str, Any]:
    """The value for the interrupt of these actions to return."""
    responses = [_response(*one) for one in zip(questions, decisions, strict=True)]
    return {"decisions": responses} if questions[0].context.is_batch else responses[0]


def _approval(interrupt_id: str, request: Mapping[str, Any], number: int, schema: Any) -> list[Question] | None:
    if not _is_call(request):
        return None
    question = _question(interrupt_id, request, number, None, _Action("edited_action", _decisions_in(schema), False), True)
    return [question._replace(model_id=request.get("tool_call_id") or None)]


def _question(interrupt_id: str, request: Mapping[str, Any], number: int, part: int | None, action: _Action, is_per_call: bool) -> Question:
    allowed = action.allowed
    whole = ["per_call"] if is_per_call else []
    asked = Question(interrupt_id, request["name"], request["args"], number, part, True, whole, action)
    if allowed and all(one == "respond" for one in allowed):
        return asked._replace(questions=[_asked(request)])
    # Without `reject`, a person may refuse in an answer.
    offered = [one for one in _OFFERED if allowed is None or one in allowed or (one == "reject" and "respond" in allowed)]
    edits = ["edit_args"] if "edit" in offered else []
    return asked._replace(allows=(*whole, *edits), allowed_decisions=offered if len(offered) < len(_OFFERED) else None)


def _asked(request: Mapping[str, Any]) -> dict[str, Any]:
    """Tools that ask people name the question and its options like this; otherwise the middleware describes the call."""
    args = request["args"]
    text = next(filter(_is_readable, (args.get("question"), request.get("description"))), request["name"])
    # The server counts UTF-16 code units.
    asked: dict[str, Any] = {"text": text.encode("utf-16-le", "replace")[: 2 * _MAX_TEXT].decode("utf-16-le", "ignore")}
    options = args.get("options")
    if isinstance(options, (list, tuple)) and 0 < len(options) <= _MAX_OPTIONS and all(map(_is_label, options)):
        asked.update(free_text=True, options=[{"label": label} for label in dict.fromkeys(options)])
    return asked


def _response(question: Question, made: CallDecision) -> dict[str, Any]:
    edited, allowed, _ = question.context
    if made.answers is not None:
        texts = [text for one in made.answers.values() for text in ([one] if isinstance(one, str) else one)]
        return {"type": "respond", "message": ", ".join(texts)}
    if made.approved:
        # Keeps the call's name: changed arguments of another one would not be checked
        # (https://github.com/langchain-ai/langchain/issues/40166).
        changed = {"type": "edit", edited: {"name": question.name, "args": made.args}}
        return changed if made.is_edited else {"type": "approve"}
    if allowed is not None and "reject" not in allowed and "respond" in allowed:
        return {"type": "respond", "message": made.reason or "A person rejected it."}
    return {"type": "reject", **({} if made.reason is None else {"message": made.reason})}


def _decisions_in(schema: Any) -> list[str] | None:
    """The decisions in a JSON schema, which has a branch with a `type` for each. None if it has none."""
    members = _members_of(schema)
    definitions = _members_of(members.get("$defs"))
    branches = next((one for one in (members.get("oneOf"), members.get("anyOf")) if isinstance(one, list)), [members])
    types: list[str] = []
    for branch in map(_members_of, branches):
        named = branch.get("$ref")
        found = _members_of(definitions.get(named.removeprefix("#/$defs/"))) if isinstance(named, str) else branch
        named_type = _members_of(_members_of(found.get("properties")).get("type")).get("const")
        if not isinstance(named_type, str):
            return None
        types.append(named_type)
    return types or None


def _members_of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_call(request: Any) -> bool:
    return isinstance(request, Mapping) and isinstance(request.get("name"), str) and isinstance(request.get("args"), Mapping)


def _is_label(option: Any) -> bool:
    return _is_readable(option) and len(option) <= _MAX_LABEL


def _is_readable(text: Any) -> bool:
    """The server refuses questions that people could not read."""
    return isinstance(text, str) and bool(text.strip()) and not _UNREADABLE.search(text)
