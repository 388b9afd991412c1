"""Appending to one run by several processes."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from ._batch_responses import Retry, Taken, read_batch_response
from ._connection import DEFAULT_TIMEOUT, ApiConnection
from ._delivery import EVENTS_PATH
from ._latest import Found, LatestQuery, read_latest
from ._patience import PatientRequests
from .errors import ApiRefusalError
from .types import RunIds

Data = dict[str, Any]

# Limit of consecutive refusals of the whole list on the same checkpoint; then it is stored without checking for concurrent changes. A
# single refusal only shows that another process was faster, and the checkpoint read next may not be that process's yet.
_MAX_REFUSALS = 4


class RunAppender:
    """Appends messages to the latest checkpoint of a run, whoever reported it, and retries when another process was faster."""

    def __init__(self, connection: ApiConnection, requests: PatientRequests, event_of: Callable[[str, Data], str]) -> None:
        """`event_of`: returns the text of the event with this id that reports the checkpoint."""
        self._connection = connection
        self._requests = requests
        self._event_of = event_of

    def append(
        self, run: RunIds, messages: Sequence[Any], data: Data, may_use_bases: Callable[[], bool], deadline: float | None = None
    ) -> None:
        """
        Returns when the server has stored the messages; waits while the server is away.

        `data`: of the checkpoint, with the ids of its run. `may_use_bases`: whether the server understands bases; without them, a
        concurrent append goes unnoticed. `deadline`: of `time.monotonic()`; None waits forever. Raises ApiRefusalError when the server
        refuses the report, TimeoutError after the deadline.
        """
        event_id = str(uuid.uuid4())
        tried: Any = None
        tried_whole: Any = ()  # neither an id nor None
        refusals = 0
        while may_use_bases():
            latest = self._latest_of(run, deadline, history="none") or {}
            base, length = latest.get("event_id"), latest.get("history_length")
            # No base without an id or messages (a run that begins, or waits), nor if the same id comes again: that is another agent's
            # checkpoint.
            if isinstance(base, str) and length != 0 and base != tried:
                history_base = {"id": base, "length": length, "is_latest": True}
                if self._is_stored(event_id, {**data, "history_base": history_base, "history": messages}, deadline):
                    return
                tried = base
                continue
            # Repeated refusals: the checkpoint is another agent's, or the server cannot check.
            refusals = refusals + 1 if base == tried_whole else 0
            if refusals == _MAX_REFUSALS:
                break
            if self._is_whole_stored(event_id, self._whole(run, data, messages, deadline), base, deadline):
                return
            tried_whole = base
        self._is_stored(event_id, self._whole(run, data, messages, deadline), deadline)

    def _latest_of(self, run: RunIds, deadline: float | None, resume: str | None = None, history: str | None = None) -> Data | None:
        query = LatestQuery(run.thread_id, run.trace_id, resume=resume, history=history)
        response = self._requests.until_response(deadline, lambda left: read_latest(self._connection, query, left))
        return dict(response.checkpoint) if isinstance(response, Found) else None

    def _whole(self, run: RunIds, data: Mapping[str, Any], messages: Sequence[Any], deadline: float | None) -> Data:
        whole = self._latest_of(run, deadline, resume="true") or {}
        history = [*(whole.get("history") or []), *messages]
        meta = [*(whole.get("history_meta") or []), *(data.get("history_meta") or [])]
        return {**data, "history": history, "history_meta": meta}

    def _is_whole_stored(self, event_id: str, whole: Mapping[str, Any], latest_id: Any, deadline: float | None) -> bool:
        """False if this is no longer the latest checkpoint, or if the server cannot check."""
        try:
            return self._is_stored(event_id, {**whole, "history_base": {"id": latest_id, "length": 0, "is_latest": True}}, deadline)
        except ApiRefusalError:
            if latest_id is None:  # servers of an earlier version require an id
                return False
            raise

    def _is_stored(self, event_id: str, data: Data, deadline: float | None) -> bool:
        """False if the base is no longer the latest checkpoint."""
        body = f'{{"events":[{self._event_of(event_id, data)}]}}'

        def sent(left: float) -> bool:
            response = self._connection.send(EVENTS_PATH, "POST", body, timeout=min(DEFAULT_TIMEOUT, left))
            verdict = read_batch_response(response.status, self._connection.safe(response.text), None)
            if isinstance(verdict, Taken):
                if not verdict.rejected:
                    return True
                code, detail = verdict.rejected[0].code, verdict.rejected[0].detail
            elif isinstance(verdict, Retry):
                raise ApiRefusalError(response.status, verdict.reason)
            else:
                code, detail = verdict.code, verdict.detail
            if code == "base_mismatch":
                return False
            raise ApiRefusalError(response.status, f"the report was refused ({code}): {detail}")

        return self._requests.until_response(deadline, sent)
