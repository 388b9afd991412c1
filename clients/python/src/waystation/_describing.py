"""A chat message as one text for a model."""

import json
import re
from collections.abc import Mapping
from typing import Any, Optional

_BREAK = re.compile("\r\n|[\n\r\u2028\u2029]")
_BLANKS = re.compile("[\\s\u2028\u2029]+")

_LATE = "This came too late for the message before; the attachments are those of both."


def describe_message(given: Mapping[str, Any]) -> str:
    """
    The message with what it replies to, forwards and attaches, as one text for a model.

    Lines that begin with `>` quote others: they are material, not instructions.

    :param given: a program's standard input: `message` and `context`
    """
    message = str(given.get("message") or "")
    context = _object(given.get("context"))
    reply, button = context.get("reply_to"), _object(context.get("button"))
    parts = [_LATE] if isinstance(context.get("late_for"), Mapping) else []
    parts += [_reply_words(reply)] if isinstance(reply, Mapping) else []
    parts += [_forward_words(forward, message) for forward in _objects(context.get("forwarded"))]
    parts.append(message)
    if isinstance(button.get("form"), Mapping):
        parts.append("Form: " + json.dumps(button["form"], ensure_ascii=False, separators=(",", ":")))
    parts += _attachment_words("Attachments", context.get("attachments"))
    return "\n\n".join(parts)


def _reply_words(reply: Mapping[str, Any]) -> str:
    text, quote = _text(reply.get("text")), _text(reply.get("quote"))
    own = reply.get("is_own") is True
    whose = "your message" if own else f"a message of {_name(reply.get('author')) or 'somebody'}"
    parts = [] if text is None else [_quoted(text)]
    if quote is not None:
        parts += ["The part that is meant:", _quoted(quote)]
    parts += _attachment_words("With", reply.get("attachments"))
    if not parts:
        return f"In answer to {whose}, which is not shown."
    return "\n".join([f"In answer to {whose}:", *parts])


def _forward_words(forward: Mapping[str, Any], message: str) -> str:
    text, place, sent_at = _text(forward.get("text")), _name(forward.get("chat")), _text(forward.get("sent_at"))
    origin = (_name(forward.get("author")) or "somebody") + (f" in {place}" if place else "")
    when = f" ({_one_line(sent_at)})" if sent_at else ""
    # If the forwarded message is the message itself, so are its attachments.
    if text is None or text == message:
        return f"Forwarded from {origin}{when}."
    words = _attachment_words("With", forward.get("attachments"))
    return "\n".join([f"Forwarded from {origin}{when}:", _quoted(text), *words])


def _attachment_words(title: str, value: Any) -> list[str]:
    lines = [_line(attachment) for attachment in _objects(value)]
    return ["\n".join([f"{title}:", *lines])] if lines else []


def _line(attachment: Mapping[str, Any]) -> str:
    size = attachment.get("size_bytes")
    words = [
        _text(attachment.get("kind")) or "something",
        _text(attachment.get("name")),
        _text(attachment.get("media_type")),
        f"{size} bytes" if isinstance(size, int) and not isinstance(size, bool) else None,
        _text(attachment.get("description")),
        _text(attachment.get("href")),
        _text(attachment.get("unavailable")),
    ]
    return "- " + ", ".join(_one_line(word) for word in words if word is not None)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in _BREAK.split(text))


def _name(author: Any) -> Optional[str]:
    values = _object(author)
    name = _text(values.get("name")) or _text(values.get("id"))
    return None if name is None else _one_line(name)


def _one_line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and value != "" else None


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []
