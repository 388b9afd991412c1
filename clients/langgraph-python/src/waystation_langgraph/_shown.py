"""Checkpoints as people see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.checkpoint.serde.types import TASKS
from waystation import as_json, tool_call

#: LangChain's types of messages, as roles of OpenAI's chat API.
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def history_in(channels: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of a checkpoint in the shape of OpenAI's chat API; none where the channel holds others."""
    messages = channels.get("messages")
    return [_chat_message(one) for one in messages] if isinstance(messages, (list, tuple)) else []


def has_work(channels: Mapping[str, Any]) -> bool:
    """Whether a node is to run next: LangGraph says so in channels of its own."""
    return any(_is_work(name, value) for name, value in channels.items())


def _is_work(name: str, value: Any) -> bool:
    if name == TASKS:
        return bool(value)
    if name.startswith("join:"):  # it waits for all that its name lists, and says which have come; a deferred one also whether it may run
        come = value[0] if isinstance(value, tuple) else value
        # Of a name like `join:FIRST+SECOND:NEXT`. A node may have a plus in its own, but each comes once, in any order.
        return len("+".join(come)) == len(name.removeprefix("join:").rpartition(":")[0])
    return name == "__start__" or name.startswith("branch:")


def _chat_message(message: Any) -> dict[str, Any]:
    if isinstance(message, str):
        return {"role": "user", "content": message}
    kind = getattr(message, "type", None)
    if not isinstance(kind, str) or not hasattr(message, "content"):
        shown = as_json(message)
        return shown if isinstance(shown, dict) else {"content": shown}
    calls = [tool_call(call.get("id"), call["name"], call["args"]) for call in getattr(message, "tool_calls", None) or []]
    others = {"name": getattr(message, "name", None), "tool_calls": calls or None, "tool_call_id": getattr(message, "tool_call_id", None)}
    return {
        "role": _ROLES.get(kind, kind),
        "content": as_json(message.content),
        **{name: value for name, value in others.items() if value is not None},
    }
