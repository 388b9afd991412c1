"""The meaning of the response to a batch of events."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Union

from ._json import object_in


class RejectedReport(NamedTuple):
    """An event that the API refused for good."""

    event: str
    """The event as it was sent, JSON text."""
    code: str
    """The API's stable code, such as `invalid_event` or `agent_not_allowed`; `too_large_for_proxy` if it never reached the API."""
    detail: str
    """A message for people; the API's messages name the field."""


class CancelledRun(NamedTuple):
    """A run of this client that a person has cancelled: its program must stop."""

    thread_id: str
    trace_id: str


class Rejection(NamedTuple):
    position: int
    code: str
    detail: str


class Taken(NamedTuple):
    """Stored, except the listed ones (by position in the batch), which the API refuses for good."""

    rejected: list[Rejection]
    cancelled: list[CancelledRun]


class Refused(NamedTuple):
    """The whole batch was refused; smaller ones show which event is to blame."""

    code: str
    detail: str


class Retry(NamedTuple):
    """The same batch may succeed later."""

    reason: str
    retry_after: float | None = None
    """In seconds."""
    is_timeout: bool = False


Verdict = Union[Taken, Refused, Retry]

#: Retrying would fail, too, and would block everything behind it forever.
_TOO_LARGE_FOR_PROXY = Refused(
    "too_large_for_proxy",
    "Status 413, but not of the API: something on the way to it lets no body of this size through.",
)


def read_batch_response(status: int, text: str, retry_after: str | None) -> Verdict:
    """
    Except for size, only the API may refuse events for good: after a response from anything else, such as a proxy, or about the token, the
    client retries.
    """
    body = object_in(text)
    rejected, code, detail = body.get("rejected"), body.get("code"), body.get("detail")
    if status in (200, 207) and isinstance(rejected, list):
        return Taken(_rejections(rejected), _cancelled_in(body.get("control")))
    if status in (400, 413, 422) and isinstance(code, str):
        if isinstance(rejected, list):
            return Taken(_rejections(rejected), [])
        return Refused(code, str(detail or ""))
    if status == 413:
        return _TOO_LARGE_FOR_PROXY
    words = f": {detail}" if isinstance(detail, str) else ""
    is_seconds = retry_after is not None and re.fullmatch(r"[0-9]{1,6}", retry_after)
    return Retry(f"status {status}{words}", float(retry_after or 0) if is_seconds else None)


def _rejections(items: list[Any]) -> list[Rejection]:
    found = [item for item in items if isinstance(item, dict) and isinstance(item.get("index"), int)]
    return [Rejection(item["index"], str(item.get("code")), str(item.get("detail"))) for item in found]


def _cancelled_in(control: object) -> list[CancelledRun]:
    """Ignores actions unknown to this version."""
    runs = []
    for item in control if isinstance(control, list) else []:
        if not isinstance(item, dict) or item.get("action") != "cancel":
            continue
        thread_id, trace_id = item.get("thread_id"), item.get("trace_id")
        if isinstance(thread_id, str) and isinstance(trace_id, str):
            runs.append(CancelledRun(thread_id, trace_id))
    return runs
