"""Messages and values of other programs for people: in the shape of OpenAI's chat API."""

from __future__ import annotations

import base64
import dataclasses
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

#: Deeper values are shown only as text.
_MOST_LEVELS = 50
#: Types of LangChain's messages, as roles.
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def chat_message(message: Any) -> dict[str, Any]:
    """
    A message as an entry of a history.

    `message`: of LangChain or similar, with a `type` such as `human`, `content`, and possibly `name`, `tool_calls` (each with `id`, `name`
    and `args`) and `tool_call_id`. A text is a user message; anything else stays as it is, as JSON.
    """
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


def tool_call(id: str | None, name: str, args: Any) -> dict[str, Any]:
    """A tool call in the shape of OpenAI's chat API, for people and models. Arguments in a text that is not JSON stay as they are."""
    text = args if isinstance(args, str) and not _is_json(args) else json.dumps(as_json(args), ensure_ascii=False, default=str)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def as_json(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """A value as JSON. Unsupported values become text: showing a value must not end a program."""
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
        return {str(name): as_json(one, levels - 1) for name, one in value.items()}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)  # their order differs between processes
    if isinstance(value, (list, tuple)):
        return [as_json(one, levels - 1) for one in value]
    return str(value)
