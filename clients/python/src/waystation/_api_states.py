"""Checkpoints of graphs, call by call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ._api_threads import Group, Json
from ._requests import Query, place
from .errors import ApiRefusalError


class StatesApi(Group):
    """Checkpoints of graphs, request by request; `StateStore` sends no value twice. With a token of scope `runner` or `admin`."""

    def put(self, thread_id: str, checkpoint_id: str, state: Mapping[str, Any], **query: Query) -> Json:
        """
        Stores a checkpoint durably.

        Raises ApiRefusalError with the code `unknown_digest` in its problem if the thread lacks a value.
        """
        return cast(Json, self._requests.send("PUT", _path(thread_id, checkpoint_id), query=query, body=state, is_repeatable=True))

    def put_writes(self, thread_id: str, checkpoint_id: str, writes: Mapping[str, Any], **query: Query) -> None:
        """Stores the writes of a task durably. Their checkpoint may follow later."""
        path = f"{_path(thread_id, checkpoint_id)}/writes"
        self._requests.send("POST", path, query=query, body=writes, is_repeatable=True)

    def put_step(self, thread_id: str, step: Mapping[str, Any], **query: Query) -> Json:
        """
        Stores a checkpoint, the writes of tasks and the events that show them, durably and in one request. `events` in the result says
        which events were refused.

        Raises ApiRefusalError with the code `unknown_digest` in its problem if the thread lacks a value: then nothing is stored.
        """
        return cast(Json, self._requests.send("POST", _path(thread_id), query=query, body=step, is_repeatable=True))

    def get(self, thread_id: str, checkpoint_id: str | None = None, **query: Query) -> Json | None:
        """A checkpoint, the newest without an id; None if there is none."""
        try:
            return cast(Json, self._requests.send("GET", _path(thread_id, checkpoint_id), query=query))
        except ApiRefusalError as refusal:
            # Any other 404 is not from the server; None would make the graph begin again.
            if refusal.problem.get("code") == "state_not_found":
                return None
            raise

    def each(self, **query: Query) -> Iterator[Json]:
        """Checkpoints with their values and writes, highest ids first."""
        return self._requests.items(lambda **page: self._requests.send("GET", "/v1/runners/state", query=page), query)

    def each_outline(self, **query: Query) -> Iterator[Json]:
        """The same checkpoints in the same order, without serialised data."""
        return self._requests.items(lambda **page: self._requests.send("GET", "/v1/runners/state/index", query=page), query)

    def delete_some(self, thread_id: str, checkpoints: Sequence[Mapping[str, Any]], **query: Query) -> None:
        """Deletes up to 1,000 checkpoints of a thread with their writes, of one agent or of all that the token may speak for."""
        body = {"checkpoints": [*checkpoints]}
        self._requests.send("POST", f"{_path(thread_id)}/delete", query=query, body=body, is_repeatable=True)

    def delete(self, thread_id: str, **query: Query) -> None:
        """Deletes the checkpoints and writes of a thread, of one agent or of all that the token may speak for."""
        self._requests.send("DELETE", _path(thread_id), query=query, is_repeatable=True)


def _path(thread_id: str, checkpoint_id: str | None = None) -> str:
    of_thread = f"/v1/runners/threads/{place(thread_id)}/state"
    return of_thread if checkpoint_id is None else f"{of_thread}/{place(checkpoint_id)}"
