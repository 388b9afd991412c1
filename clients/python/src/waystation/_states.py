"""Checkpoints of graphs, as used by the LangGraph savers."""

from __future__ import annotations

import base64
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Callable, NamedTuple

from ._api_states import StatesApi
from ._forks import tell_of_forks
from ._json import dumps
from ._requests import Query
from ._step_queue import EventsBeside, StepQueue
from .errors import ApiRefusalError

#: Limit of checkpoints whose digests are remembered.
_MOST_REMEMBERED = 200
#: Limit of checkpoints per response, as they may be large.
_PAGE = 20
#: The same for outlines.
_OUTLINES = 200
#: Limit of checkpoints deleted per request; fits even with the longest names.
_MOST_DELETED = 200

Json = dict[str, Any]
#: A serialised value: the name of its format, and bytes that the server never interprets.
Serialized = tuple[str, bytes]
#: How many of a newest checkpoint's nearest ancestors are needed; all are outlines, nearest first.
NeededAncestors = Callable[[Json, Sequence[Json]], int]


class StatePlace(NamedTuple):
    """Identifies a checkpoint of a graph; without an id, the newest one."""

    thread_id: str
    ns: str = ""
    """The namespace of a subgraph."""
    checkpoint_id: str | None = None


class OwnValue(NamedTuple):
    """A value of a checkpoint to store."""

    version: Any
    """A string or a number."""
    dump: Callable[[], Serialized] | None = None
    """Called only if the value must be sent."""
    is_new: bool = False
    """Whether it changed since the parent. If not, and the parent has this version, only its digest is sent."""


class StateContents(NamedTuple):
    """The content of a checkpoint, as the program wrote it."""

    checkpoint: Any
    """Everything but its values."""
    values: dict[str, Any]
    """By channel."""
    writes: list[tuple[str, str, Any]]
    """The task, the channel and the value of each."""


class StateStore:
    """
    The checkpoints of one agent's graphs: whatever it stores is durable when the call returns, and unchanged values are not sent again.
    Thread-safe.
    """

    def __init__(self, states: StatesApi, agent_id: str) -> None:
        """`states`: of a `WaystationApi`. `agent_id`: the agent that the graphs run as."""
        self._states = states
        self.agent_id = agent_id
        self._known: OrderedDict[StatePlace, Json] = OrderedDict()
        self._steps = StepQueue(states, agent_id)
        self.after_fork()
        tell_of_forks(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()

    def get(self, at: StatePlace) -> Json | None:
        """A checkpoint with its values and writes, the newest without an id; None if there is none."""
        state = self._states.get(at.thread_id, at.checkpoint_id, ns=at.ns, agent_id=self.agent_id)
        if state is not None:
            self._remember(at._replace(checkpoint_id=state["checkpoint_id"]), state["values"])
        return state

    def each(
        self,
        *,
        thread_id: str | None = None,
        thread_prefix: str | None = None,
        ns: str | None = None,
        checkpoint_id: str | None = None,
        before: str | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int | None = None,
    ) -> Iterator[Json]:
        """
        Checkpoints with their values and writes, highest ids first; absent arguments select all.

        `before`: only those with lower ids. `filter`: members of their metadata to match exactly; None for a missing member.
        `limit`: how many.
        """
        members = dict(filter or {})
        absent = [name for name, value in members.items() if value is None]
        page = _PAGE if limit is None or checkpoint_id is not None or absent else min(limit, _PAGE)
        query = {"thread_id": thread_id, "thread_prefix": thread_prefix, "ns": ns, "before": before}
        given = _filter({name: value for name, value in members.items() if value is not None})
        found = (
            state
            for state in self._states.each(**query, filter=given, agent_id=self.agent_id, limit=page)
            if checkpoint_id in (None, state["checkpoint_id"]) and all(state["metadata"].get(name) is None for name in absent)
        )
        return found if limit is None else islice(found, max(limit, 0))

    def values_of(self, at: StatePlace) -> Json:
        """Version, type and digest of each value of a checkpoint, by channel; empty if there is no checkpoint."""
        known = self._known.get(at)
        if known is None and self.get(at) is not None:
            known = self._known.get(at)
        return known or {}

    def put(
        self,
        at: StatePlace,
        parent_id: str | None,
        checkpoint: Serialized,
        metadata: Mapping[str, Any],
        values: Mapping[str, OwnValue],
        events: EventsBeside = list,
    ) -> None:
        """
        Stores a checkpoint. If the server has lost a value because the parent was deleted meanwhile, sends all values in full.

        `at`: with its id. `checkpoint`: everything but its values. `values`: by channel; those that the parent lacks and that have no
        `dump` are left out. `events`: events to report in the same request. Raises ApiRefusalError with the code `unknown_digest` in its
        problem if a lost value has no `dump`; also if an event is refused.
        """
        is_any_old = any(not value.is_new for value in values.values())
        held = self.values_of(at._replace(checkpoint_id=parent_id)) if is_any_old and parent_id is not None else {}
        sent: dict[str, Any] = {}
        for channel, value in values.items():
            before = held.get(channel)
            if not value.is_new and before is not None and before["version"] == value.version:
                sent[channel] = dict(before)
            elif value.dump:
                sent[channel] = {"version": value.version, **_in_base64(value.dump())}
        state = {"parent_id": parent_id, "checkpoint": _in_base64(checkpoint), "metadata": metadata, "values": sent}
        reported: list[Mapping[str, Any]] = []

        def report() -> Sequence[Mapping[str, Any]]:
            reported[:] = events()
            return reported

        try:
            self._send(at, state, report)
        except ApiRefusalError as refusal:
            if refusal.problem.get("code") != "unknown_digest":
                raise
            for channel, value in values.items():
                if channel in sent and value.dump:
                    sent[channel] = {"version": value.version, **_in_base64(value.dump())}
            self._send(at, state, lambda: reported)

    def put_writes(
        self,
        at: StatePlace,
        task_id: str,
        writes: Sequence[tuple[int, str, Serialized]],
        task_path: str = "",
        events: EventsBeside = list,
    ) -> None:
        """
        Stores the writes of a task for the checkpoint `at`, which may follow later. `writes`: a number, a channel and a value each. A
        negative number replaces an earlier write; otherwise the first one stays; of several in one call the last counts. `events`: events
        to report in the same request.
        """
        sent = {idx: {"idx": idx, "channel": channel, **_in_base64(value)} for idx, channel, value in writes}
        self._put_writes(at, {"task_id": task_id, "task_path": task_path, "writes": [*sent.values()]}, events)

    def delete(self, thread_id: str) -> None:
        """Deletes the checkpoints and writes of a thread. Its recorded runs stay."""
        self._states.delete(thread_id, agent_id=self.agent_id)
        self._forget(thread_id)

    def delete_found(
        self, *, thread_id: str | None = None, thread_prefix: str | None = None, filter: Mapping[str, Any] | None = None
    ) -> None:
        """
        Deletes the matching checkpoints with their writes, for example those of a run by their metadata.

        Raises ValueError without arguments: it would delete all checkpoints of the agent.
        """
        if not (thread_id or thread_prefix or filter):
            raise ValueError("Without a thread, a prefix or a filter this would delete all checkpoints of the agent.")
        by_thread: dict[str, list[Json]] = {}
        for one in self._outlines(thread_id=thread_id, thread_prefix=thread_prefix, filter=_filter(filter)):
            by_thread.setdefault(one["thread_id"], []).append(one)
        for found, outlines in by_thread.items():
            self._delete_some(found, outlines)

    def prune(self, thread_id: str, needed: NeededAncestors | None = None) -> None:
        """
        Deletes all checkpoints of a thread except the newest of each namespace and the needed number of its nearest ancestors.

        `needed`: none by default.
        """
        self._delete_some(thread_id, pruned(self._outlines(thread_id=thread_id), needed))

    def copy(self, from_thread_id: str, to_thread_id: str) -> None:
        """Copies all checkpoints and writes of a thread. If interrupted, repeat it."""
        for state in self.each(thread_id=from_thread_id):
            at = StatePlace(to_thread_id, state["ns"], state["checkpoint_id"])
            values = {name: {part: value[part] for part in ("version", "type", "data")} for name, value in state["values"].items()}
            self._send(at, {**{part: state[part] for part in ("parent_id", "checkpoint", "metadata")}, "values": values})
            by_task: dict[tuple[str, str], list[Json]] = {}
            for write in state["writes"]:
                sent = {part: write[part] for part in ("idx", "channel", "type", "data")}
                by_task.setdefault((write["task_id"], write["task_path"]), []).append(sent)
            for (task_id, task_path), writes in by_task.items():
                self._put_writes(at, {"task_id": task_id, "task_path": task_path, "writes": writes})

    def _outlines(self, **query: Query) -> Iterator[Json]:
        return self._states.each_outline(**query, agent_id=self.agent_id, limit=_OUTLINES)

    def _delete_some(self, thread_id: str, outlines: Sequence[Json]) -> None:
        """Missing checkpoints count as deleted."""
        names = [{"ns": one["ns"], "checkpoint_id": one["checkpoint_id"]} for one in outlines]
        for at in range(0, len(names), _MOST_DELETED):
            self._states.delete_some(thread_id, names[at : at + _MOST_DELETED], agent_id=self.agent_id)
        self._forget(thread_id)

    def _send(self, at: StatePlace, state: Mapping[str, Any], events: EventsBeside = list) -> None:
        checkpoint = {"ns": at.ns, "checkpoint_id": str(at.checkpoint_id), **state}
        stored = self._steps.send(at.thread_id, checkpoint=checkpoint, events=events) or {}
        digests = stored["digests"]
        self._remember(at, {name: {**value, "digest": digests[name]} for name, value in state["values"].items()})

    def _put_writes(self, at: StatePlace, task: Mapping[str, Any], events: EventsBeside = list) -> None:
        self._steps.send(at.thread_id, writes={"ns": at.ns, "checkpoint_id": str(at.checkpoint_id), **task}, events=events)

    def _forget(self, thread_id: str) -> None:
        with self._lock:
            for at in [one for one in self._known if one.thread_id == thread_id]:
                del self._known[at]

    def _remember(self, at: StatePlace, values: Mapping[str, Any]) -> None:
        kept = {name: {part: value[part] for part in ("version", "type", "digest")} for name, value in values.items()}
        with self._lock:
            self._known[at] = kept
            self._known.move_to_end(at)
            if len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)


def read_state(state: Mapping[str, Any], loads: Callable[[Serialized], Any]) -> StateContents:
    """The content of a checkpoint from the server. `loads`: of the serialiser that wrote it."""

    def read(value: Mapping[str, Any]) -> Any:
        return loads((value["type"], bytes_of(value)))

    values = {channel: read(value) for channel, value in state["values"].items()}
    return StateContents(read(state["checkpoint"]), values, [(one["task_id"], one["channel"], read(one)) for one in state["writes"]])


def back_to_values(channels: Iterable[str], ancestors: Sequence[Mapping[str, Any]]) -> int:
    """
    How many of a checkpoint's nearest ancestors are needed for channels whose values are assembled from the writes since they were last
    stored: those back to the nearest with a value. For a channel without any value, all of them.

    `ancestors`: outlines, nearest first.
    """
    nearest = (next((at for at, one in enumerate(ancestors, 1) if name in one["channels"]), len(ancestors)) for name in channels)
    return max(nearest, default=0)


def bytes_of(value: Mapping[str, Any]) -> bytes:
    """The bytes of a value from the server."""
    return base64.b64decode(value["data"])


def pruned(outlines: Iterator[Json], needed: NeededAncestors | None = None) -> list[Json]:
    """The checkpoints that `StateStore.prune` deletes, from all those of a thread, newest first."""
    by_name = {(one["ns"], one["checkpoint_id"]): one for one in outlines}
    kept: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for name, newest in by_name.items():
        if name[0] in seen:
            continue
        seen.add(name[0])
        ancestors = _ancestors(by_name, newest)
        most = needed(newest, ancestors) if needed else 0
        kept.update((one["ns"], one["checkpoint_id"]) for one in (newest, *ancestors[:most]))
    return [one for name, one in by_name.items() if name not in kept]


def _ancestors(by_name: Mapping[tuple[str, str], Json], newest: Json) -> list[Json]:
    """Nearest first."""
    found, met = [newest], {newest["checkpoint_id"]}
    while (parent := by_name.get((newest["ns"], found[-1]["parent_id"]))) is not None and parent["checkpoint_id"] not in met:
        met.add(parent["checkpoint_id"])
        found.append(parent)
    return found[1:]


def _filter(members: Mapping[str, Any] | None) -> str | None:
    return dumps(dict(members)) if members else None


def _in_base64(value: Serialized) -> Json:
    return {"type": value[0], "data": base64.b64encode(value[1]).decode("ascii")}
