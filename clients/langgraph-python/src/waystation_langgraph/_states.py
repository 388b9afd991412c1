"""The states of graphs as the API keeps them."""

from __future__ import annotations

import base64
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from langgraph.checkpoint.serde.base import SerializerProtocol
from waystation import ApiRefusalError, WaystationClient

#: Checkpoints whose digests are remembered.
_MOST_REMEMBERED = 200
#: Checkpoints of one answer at most.
_PAGE = 20
#: Outlines of one answer: most that there may be.
_OUTLINES = 200
#: Checkpoints that one request deletes. Even with the longest names they fit into a body.
_MOST_DELETED = 200


class Place(NamedTuple):
    """Names a checkpoint, or without an id the newest one."""

    thread_id: str
    """LangGraph's."""
    ns: str
    checkpoint_id: str | None


class States:
    """Stores and reads the checkpoints of one agent. Whatever it stores is stored durably when it returns."""

    def __init__(self, client: WaystationClient, agent_id: str, prefix: str, timeout: float) -> None:
        self._client = client
        self._agent_id = agent_id
        self._prefix = prefix
        self._timeout = timeout
        self._digests: OrderedDict[Place, Mapping[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, place: Place) -> dict[str, Any] | None:
        """None where there is none."""
        try:
            state = self._ask("GET", self._path(place), query=self._query(place))
        except ApiRefusalError as refusal:
            # Another 404 is not the server's: the graph would begin again.
            if refusal.problem.get("code") == "state_not_found":
                return None
            raise
        found: dict[str, Any] = state
        self._remember(place._replace(checkpoint_id=found["checkpoint_id"]), found["values"])
        return found

    def each(self, query: Mapping[str, str | None], page: int = _PAGE) -> Iterator[dict[str, Any]]:
        """Those with the highest ids first. A query of None lets all through."""
        given = {name: value for name, value in query.items() if value is not None}
        asked = {**given, "agent_id": self._agent_id, "limit": str(min(page, _PAGE))}
        return self._items("/v1/runners/state", asked)

    def outlines(self, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """The same, each with its metadata and the names of its channels, but without values and writes."""
        return self._items("/v1/runners/state/index", {**query, "agent_id": self._agent_id, "limit": str(_OUTLINES)})

    def put(self, place: Place, state: Mapping[str, Any]) -> None:
        """Raises ApiRefusalError with the code `unknown_digest` where the thread lacks a value that only its digest names."""
        digests = self._ask("PUT", self._path(place), state, self._query(place))["digests"]
        self._remember(place, {name: {**value, "digest": digests[name]} for name, value in state["values"].items()})

    def put_writes(self, place: Place, writes: Mapping[str, Any]) -> None:
        self._ask("POST", f"{self._path(place)}/writes", writes, self._query(place))

    def delete(self, thread_id: str) -> None:
        self._ask("DELETE", self._path(Place(thread_id, "", None)), query={"agent_id": self._agent_id})
        self._forget(thread_id)

    def delete_some(self, thread_id: str, names: Sequence[tuple[str, str]]) -> None:
        """Deletes checkpoints with their writes. `names`: a namespace and an id each. What is not there is as good as deleted."""
        path = f"{self._path(Place(thread_id, '', None))}/delete"
        for at in range(0, len(names), _MOST_DELETED):
            some = [{"ns": ns, "checkpoint_id": checkpoint_id} for ns, checkpoint_id in names[at : at + _MOST_DELETED]]
            self._ask("POST", path, {"checkpoints": some}, {"agent_id": self._agent_id})
        self._forget(thread_id)

    def values_of(self, place: Place) -> Mapping[str, Any]:
        """Version, type and digest of each value of a checkpoint, by its channel; empty where there is none."""
        known = self._digests.get(place)
        if known is None and self.find(place) is not None:
            known = self._digests.get(place)
        return known or {}

    def _items(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        cursor = None
        while True:
            answer = self._ask("GET", path, query=query if cursor is None else {**query, "cursor": cursor})
            yield from answer["items"]
            cursor = answer.get("next_cursor")
            if not cursor:
                return

    def _forget(self, thread_id: str) -> None:
        with self._lock:
            for place in [one for one in self._digests if one.thread_id == thread_id]:
                del self._digests[place]

    def _remember(self, place: Place, values: Mapping[str, Any]) -> None:
        kept = {name: {part: value[part] for part in ("version", "type", "digest")} for name, value in values.items()}
        with self._lock:
            self._digests[place] = kept
            self._digests.move_to_end(place)
            if len(self._digests) > _MOST_REMEMBERED:
                self._digests.popitem(last=False)

    def _path(self, place: Place) -> str:
        of_thread = f"/v1/runners/threads/{quote(self._prefix + place.thread_id, safe='')}/state"
        return of_thread if place.checkpoint_id is None else f"{of_thread}/{quote(place.checkpoint_id, safe='')}"

    def _query(self, place: Place) -> dict[str, str]:
        return {"ns": place.ns, "agent_id": self._agent_id}

    def _ask(self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None) -> Any:
        return self._client.request(method, path, body, query, self._timeout)


def dump(serde: SerializerProtocol, value: Any) -> dict[str, str]:
    kind, data = serde.dumps_typed(value)
    return {"type": kind, "data": base64.b64encode(data).decode("ascii")}


def load(serde: SerializerProtocol, stored: Mapping[str, Any]) -> Any:
    return serde.loads_typed((stored["type"], base64.b64decode(stored["data"])))


def json_filter(members: Mapping[str, Any]) -> str | None:
    """Of metadata; None where it lets all through. A member of None is for the caller to compare: it may be absent."""
    wanted = {name: value for name, value in members.items() if value is not None}
    return json.dumps(wanted) if wanted else None
