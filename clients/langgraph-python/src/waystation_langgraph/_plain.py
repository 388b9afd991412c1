"""What people read of a graph: chat messages and other values as JSON."""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

#: LangChain's types of messages, as roles of OpenAI's chat API.
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
#: Levels below which a value is only shown as text.
_MOST_LEVELS = 50


def chat_messages(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Messages in the shape of OpenAI's chat API, which people and models read."""
    return [_chat_message(one) for one in messages]


def chat_call(call_id: str | None, name: str, args: Any) -> dict[str, Any]:
    """A tool call in the same shape."""
    text = json.dumps(plain(args), ensure_ascii=False, default=str)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def plain(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """A value as JSON. What JSON cannot hold becomes text: showing a value must not end a graph."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return value if value.is_finite() else str(value)
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    if levels == 0:
        return str(value)
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(one, levels - 1) for name, one in value.items()}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)  # their order differs between processes
    if isinstance(value, (list, tuple)):
        return [plain(one, levels - 1) for one in value]
    return str(value)


def _chat_message(message: Any) -> dict[str, Any]:
    if isinstance(message, str):
        return {"role": "user", "content": message}
    kind = getattr(message, "type", None)
    if not isinstance(kind, str) or not hasattr(message, "content"):
        shown = plain(message)
        return shown if isinstance(shown, dict) else {"content": shown}
    calls = [chat_call(call.get("id"), call["name"], call["args"]) for call in getattr(message, "tool_calls", None) or []]
    others = {"name": getattr(message, "name", None), "tool_calls": calls or None, "tool_call_id": getattr(message, "tool_call_id", None)}
    return {
        "role": _ROLES.get(kind, kind),
        "content": plain(message.content),
        **{name: value for name, value in others.items() if value is not None},
    }
