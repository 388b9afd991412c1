"""Events as the exact JSON text to send."""

from __future__ import annotations

import base64
import hashlib
import threading
import time
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, NamedTuple

from ._json import dumps
from .errors import NoDecisionError

#: Leaves room for a thousand events per millisecond, so that numbers grow from one process to the next.
_NUMBERS_A_MILLISECOND = 1000
_ENDINGS = ("thread_completed", "thread_error", "thread_budget_exceeded", "thread_idle")


class EventStamper:
    """
    Gives each event an id, a number and a time, so that resending is always safe. Times never go back, even when the clock does: the
    server treats an event from before its run's start as late.
    """

    def __init__(self) -> None:
        self.after_fork()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._last_ms = 0
        self._last_number = _now_ms() * _NUMBERS_A_MILLISECOND

    def stamp(self, type: str, data_text: str, id: str | None = None, fence: int | None = None) -> str:
        """The JSON text of an event. `data_text`: JSON text of an object, sent exactly as it is."""
        with self._lock:
            self._last_ms = max(self._last_ms, _now_ms())
            self._last_number += 1
            number, ms = self._last_number, self._last_ms
        envelope: dict[str, Any] = {
            "type": type,
            "id": id or str(uuid.uuid4()),
            "sequence_num": number,
            "occurred_at": timestamp(ms),
        }
        if fence:
            envelope["fence"] = fence
        return f'{dumps(envelope)[:-1]},"data":{data_text}}}'


def timestamp(ms: int) -> str:
    """ISO 8601 in UTC with milliseconds."""
    seconds = datetime.fromtimestamp(ms // 1000, timezone.utc)
    return f"{seconds:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03}Z"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class _Asked(NamedTuple):
    digest: str
    step: int | None
    """None if the server counts the steps."""


class PendingCallTracker:
    """The tool calls that this client has reported for waiting runs: decisions on other calls do not count."""

    def __init__(self) -> None:
        self._by_run: dict[tuple[object, object], _Asked] = {}
        self._answered: dict[tuple[object, object], int] = {}

    def note(self, type: str, data: Mapping[str, Any]) -> None:
        """Call it for every report."""
        if type != "checkpoint" and type not in _ENDINGS:
            return
        key = (data.get("thread_id"), data.get("trace_id"))
        calls, step = data.get("pending_tool_calls"), data.get("step_index")
        self._by_run.pop(key, None)
        if type in _ENDINGS and type != "thread_idle":
            self._answered.pop(key, None)
        if type == "checkpoint" and isinstance(calls, (list, tuple)) and calls:
            self._by_run[key] = _Asked(calls_digest(dumps(calls)), step if isinstance(step, int) else None)

    def note_answered(self, thread_id: str, trace_id: str, step: int) -> None:
        """Records that this step's questions were answered: the same questions after it are new ones."""
        self._answered[(thread_id, trace_id)] = step

    def is_answered(self, thread_id: str, trace_id: str, step: int | None) -> bool:
        """Whether this step's questions were answered, in a continuing run."""
        return step is not None and self._answered.get((thread_id, trace_id)) == step

    def decided(self, thread_id: str, trace_id: str, checkpoint: dict[str, Any]) -> dict[str, Any] | None:
        """
        The checkpoint with the decision as its `status`, or None while it is pending. The status in the response may already differ, if
        the run has ended or was restarted since. Raises NoDecisionError.
        """
        approval, calls = checkpoint.get("approval"), checkpoint.get("pending_tool_calls")

        def none(why: str) -> NoDecisionError:
            return NoDecisionError(f"the run {trace_id} waits for no decision: {why} (step {checkpoint.get('step_index')})")

        if not isinstance(approval, dict):
            if calls:
                return None
            raise none("its latest checkpoint has no tool calls that wait")
        if approval.get("status") == "superseded":
            raise none("its tool calls were left behind")
        if checkpoint.get("status") == "cancelled":  # an earlier approval no longer counts
            raise none("a person has cancelled it")
        asked = self._by_run.get((thread_id, trace_id))
        # Calls reported before this process started are unknown here.
        is_asked = asked is None or (asked.digest == approval.get("digest") and asked.step in (None, checkpoint.get("step_index")))
        if not is_asked:
            raise none("its tool calls did not arrive, the latest decision is on others")
        return {**checkpoint, "status": "approved" if approval.get("status") == "approved" else "rejected"}


def calls_digest(text: str) -> str:
    """Identifies pending tool calls by the exact text of the reported array: 132 bits of SHA-256."""
    digest = hashlib.sha256(b"calls:" + text.encode("utf8")).digest()
    return base64.urlsafe_b64encode(digest).decode("ascii")[:22]
