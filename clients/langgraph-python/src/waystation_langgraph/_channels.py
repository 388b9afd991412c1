"""LangGraph's channels: conversations, interrupts and the next nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME, SCHEDULED, TASKS
from waystation import Question, back_to_values, chat_message

from ._actions import action_questions, call_questions_in

#: A task is unfinished if it wrote nothing else.
_UNFINISHED = {ERROR, "__error_source_node__", INTERRUPT, RESUME, SCHEDULED}
#: Where providers name the model.
_MODEL_NAMES = ("model_name", "model", "model_id", "modelId")
#: Prefix of the channels of scheduled nodes.
_NEXT = "branch:to:"
#: The metadata's counters of each delta channel: updates, and steps since the last snapshot.
_COUNTERS = "counters_since_delta_snapshot"


def history_in(channels: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of a checkpoint in the shape of OpenAI's chat API; empty if the channel holds something else."""
    messages = channels.get("messages")
    return [chat_message(one) for one in messages] if isinstance(messages, (list, tuple)) else []


def status_in(channels: Mapping[str, Any]) -> str:
    """The run's status: in progress while a node is scheduled, according to LangGraph's own channels."""
    return "in_progress" if any(_is_work(name, value) for name, value in channels.items()) else "completed"


def usage_in(channels: Mapping[str, Any], turn_start: int | None = None) -> dict[str, Any]:
    """
    The model, and the tokens of the turn, from the model's messages; empty if they name none.

    `turn_start`: the number of messages before the last input; None if another process received it.
    """
    messages = channels.get("messages")
    if not isinstance(messages, (list, tuple)):
        return {}
    last_input = max((at for at, one in enumerate(messages) if getattr(one, "type", None) == "human"), default=-1)
    begin = turn_start if turn_start is not None and turn_start <= len(messages) else last_input + 1
    used = [one.usage_metadata for one in messages[begin:] if getattr(one, "usage_metadata", None)]
    names = [_model_of(getattr(one, "response_metadata", None)) for one in messages]
    model = next((name for name in reversed(names) if name), None)
    found: dict[str, Any] = {} if model is None else {"model": model}
    if used:
        tokens_in, tokens_out = (sum(one.get(f"{way}_tokens") or 0 for one in used) for way in ("input", "output"))
        total = sum(one.get("total_tokens") or (one.get("input_tokens") or 0) + (one.get("output_tokens") or 0) for one in used)
        found.update(input_tokens=tokens_in, output_tokens=tokens_out, tokens_used=total)
    return found


def _model_of(said: Any) -> str | None:
    values = (said.get(name) for name in _MODEL_NAMES) if isinstance(said, Mapping) else ()
    return next((value for value in values if isinstance(value, str) and value), None)


def next_node(channels: Mapping[str, Any]) -> str | None:
    """The next node; None if there are several, or none."""
    sends = channels.get(TASKS)
    nodes = {name.removeprefix(_NEXT) for name in channels if name.startswith(_NEXT)}
    nodes |= {node for one in (sends if isinstance(sends, (list, tuple)) else ()) if isinstance(node := getattr(one, "node", None), str)}
    return nodes.pop() if len(nodes) == 1 else None


def _is_work(name: str, value: Any) -> bool:
    if name == TASKS:
        return bool(value)
    if name.startswith("join:"):  # waits for all nodes in its name; has those finished, and if deferred, whether it may run
        come = value[0] if isinstance(value, tuple) else value
        # From a name like `join:FIRST+SECOND:NEXT`. A node's name may contain a plus, but each occurs once, in any order.
        return len("+".join(come)) == len(name.removeprefix("join:").rpartition(":")[0])
    return name == "__start__" or name.startswith("branch:")


def interrupts_in(writes: Iterable[tuple[str, Any]], node: str | None = None) -> list[Question]:
    """
    The interrupts of one task, from its writes: channels with their values. LangGraph gives all interrupts of a node the node's id, so
    each gets the number of answers before it. An interrupt with LangChain's tool calls has a question for each; any other is shown by the
    action that its value names, otherwise by the node.
    """
    last = dict(writes)  # the last write to each channel counts
    answers, found = last.get(RESUME), last.get(INTERRUPT)
    number = len(answers) if isinstance(answers, list) else 0
    interrupts = found if isinstance(found, (list, tuple)) else ()
    return [
        question
        for one in interrupts
        if hasattr(one, "id") and hasattr(one, "value")
        for question in action_questions(str(one.id), one.value, number, getattr(one, "response_schema", None))
        or [_bare_question(str(one.id), one.value, number, node)]
    ]


def _bare_question(interrupt_id: str, value: Any, number: int, node: str | None) -> Question:
    name = _action_in(value) or node or "interrupt"
    return Question(interrupt_id, name, value, number, allows=("edit_args", "per_call"), questions=call_questions_in(value))


def _action_in(value: Any) -> str | None:
    """The action named in an interrupt's value, as in LangGraph's templates."""
    members = value if isinstance(value, Mapping) else {}
    request = members.get("action_request")
    named = (request.get("action") if isinstance(request, Mapping) else None, members.get("action"), members.get("tool"))
    return next((name for name in named if isinstance(name, str) and name), None)


def waiting_in(pending_writes: Sequence[tuple[str, str, Any]], node: str | None = None) -> list[Question] | None:
    """The interrupts of all unfinished tasks; None if no task was interrupted."""
    by_task: dict[str, list[tuple[str, Any]]] = {}
    for task_id, channel, value in pending_writes:
        by_task.setdefault(task_id, []).append((channel, value))
    if not any(channel == INTERRUPT for _, channel, _ in pending_writes):
        return None
    unfinished = [writes for writes in by_task.values() if all(channel in _UNFINISHED for channel, _ in writes)]
    return [one for writes in unfinished for one in interrupts_in(writes, node)]


def needed_ancestors(newest: Mapping[str, Any], ancestors: Sequence[Mapping[str, Any]]) -> int:
    """
    A checkpoint has a delta channel's value only if it is a snapshot. Otherwise the writes of its ancestors back to the snapshot are
    needed.
    """
    # A copy does not continue the counters, so the channels are collected from all.
    counters = [counted for one in (newest, *ancestors) for counted in (one["metadata"].get(_COUNTERS) or {}).items()]
    snapshots = {channel for one in ancestors for channel in one["channels"]}
    needed = {channel for channel, (updates, *_) in counters if updates or channel in snapshots}
    return back_to_values(needed - set(newest["channels"]), ancestors)
