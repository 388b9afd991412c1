"""The checkpointer."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from waystation import ApiRefusalError, RunIds, WaystationClient

from ._interrupts import Question, questions_in, waiting_in
from ._pruning import pruned
from ._reports import RunReporter
from ._states import Place, States, dump, json_filter, load


class WaystationSaver(BaseCheckpointSaver[Any]):
    """
    Keeps the checkpoints of graphs in Waystation, durably before each call returns. It shows each checkpoint of the graph itself as a step
    of the run `langgraph:THREAD_ID`, and asks people about its interrupts.

    All methods may be called by many threads at once. They raise ApiRefusalError when the server refuses, and TimeoutError when it is away
    for long. The asynchronous ones do the same in a thread.
    """

    def __init__(
        self,
        *,
        client: WaystationClient | None = None,
        agent_id: str | None = None,
        thread_prefix: str | None = None,
        report: bool = True,
        timeout: float = 60.0,
        serde: SerializerProtocol | None = None,
    ) -> None:
        """
        `client`: default is a new one, with its settings from the environment.
        `agent_id`: the agent under whose name the graph runs, which has its own states. Default: the client's, `WAYSTATION_AGENT_ID`, else
        `langgraph`.
        `thread_prefix`: the thread is this, followed by LangGraph's id. Default: `langgraph:`; nothing in a program that
        `waystation agent` started, whose token is for the thread `WAYSTATION_THREAD_ID` alone.
        `report`: whether graphs are shown as runs, and their interrupts as approvals.
        `timeout`: seconds to wait for a server that is away. The wait for a person has no limit.

        Raises ClientSettingError when the address or the token of the server is missing or unusable.
        """
        super().__init__(serde=serde)
        agent_id = agent_id or (client.agent_id if client else _env("WAYSTATION_AGENT_ID")) or "langgraph"
        self.client = client or WaystationClient(agent_id=agent_id)
        self._agent_id = agent_id
        self._prefix = thread_prefix if thread_prefix is not None else "" if _env("WAYSTATION_THREAD_ID") else "langgraph:"
        self._states = States(self.client, agent_id, self._prefix, timeout)
        self._reporter = RunReporter(self.client, timeout) if report else None

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        state = self._states.find(_place_of(config))
        return None if state is None else self._tuple_of(state)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Those with the highest ids first. `filter`: whole members of the metadata, as JSON."""
        wanted = (config or {}).get("configurable", {})
        thread_id, checkpoint_id = wanted.get("thread_id"), wanted.get("checkpoint_id")
        query = {
            "thread_id": None if thread_id is None else f"{self._prefix}{thread_id}",
            "thread_prefix": self._prefix if thread_id is None else None,
            "ns": wanted.get("checkpoint_ns"),
            "before": (before or {}).get("configurable", {}).get("checkpoint_id"),
            "filter": json_filter(filter or {}),
        }
        absent = [name for name, value in (filter or {}).items() if value is None]
        left = float("inf") if limit is None else limit
        if left <= 0:
            return
        is_narrow = checkpoint_id is None and not absent and limit is not None
        for state in self._states.each(query, int(left)) if is_narrow else self._states.each(query):
            if checkpoint_id not in (None, state["checkpoint_id"]) or any(state["metadata"].get(name) is not None for name in absent):
                continue
            yield self._tuple_of(state)
            left -= 1
            if left <= 0:
                return

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """
        The metadata must be JSON. Raises ApiRefusalError with the code `unknown_digest` where another process has deleted the parent with a
        value that goes on from it, and that LangGraph does not hold: that of a delta channel.
        """
        parent = _place_of(config)
        place = parent._replace(checkpoint_id=checkpoint["id"])
        run, reporter = self.run_of(config), self._reporter if place.ns == "" else None
        with reporter.turn(run) if reporter else nullcontext():
            self._store(place, parent, checkpoint, get_checkpoint_metadata(config, metadata), new_versions)
            if reporter:
                reporter.step(run, checkpoint["id"], checkpoint["channel_values"])
        return _config_of(place.thread_id, place.ns, checkpoint["id"])

    def put_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        place = _place_of(config)
        if place.checkpoint_id is None:
            raise _missing("checkpoint_id")
        questions = questions_in(writes)
        if self._reporter:
            self._ask(self._reporter, config, task_id, questions)
        numbered = {
            idx: {"idx": idx, "channel": channel, **dump(self.serde, value)}
            for idx, channel, value in ((WRITES_IDX_MAP.get(channel, at), channel, value) for at, (channel, value) in enumerate(writes))
        }
        body = {"task_id": task_id, "task_path": task_path, "writes": [*numbered.values()]}
        self._states.put_writes(place, body)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes the checkpoints and writes. What people see of the run stays until the thread is deleted in Waystation."""
        self._states.delete(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """
        Deletes the checkpoints whose metadata has one of these as `run_id`, with their writes, in all threads of the prefix. As LangGraph
        warns: a delta channel loses what these runs wrote, where later checkpoints have no snapshot of it.
        """
        for run_id in run_ids:
            by_thread: dict[str, list[tuple[str, str]]] = {}
            for one in self._states.outlines({"thread_prefix": self._prefix, "filter": json.dumps({"run_id": str(run_id)})}):
                by_thread.setdefault(one["thread_id"][len(self._prefix) :], []).append((one["ns"], one["checkpoint_id"]))
            for thread_id, names in by_thread.items():
                self._states.delete_some(thread_id, names)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """
        `strategy`: "keep_latest" keeps the newest checkpoint of each namespace, with the ancestors from which LangGraph puts the values of
        delta channels together; "delete" keeps none. What people see stays. Raises ValueError for another one.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f'There is no strategy "{strategy}": "keep_latest" and "delete" are.')
        for thread_id in map(str, thread_ids):
            if strategy == "delete":
                self._states.delete(thread_id)
            else:
                self._states.delete_some(thread_id, pruned(self._states.outlines({"thread_id": f"{self._prefix}{thread_id}"})))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copies all checkpoints and writes. Where it did not come to its end, do it again. People see the copy from its next step on."""
        for state in self._states.each({"thread_id": f"{self._prefix}{source_thread_id}"}):
            place = Place(str(target_thread_id), state["ns"], state["checkpoint_id"])
            values = {name: {part: value[part] for part in ("version", "type", "data")} for name, value in state["values"].items()}
            self._states.put(place, {**{part: state[part] for part in ("parent_id", "checkpoint", "metadata")}, "values": values})
            by_task: dict[tuple[str, str], Any] = {}
            for write in state["writes"]:
                sent = {part: write[part] for part in ("idx", "channel", "type", "data")}
                by_task.setdefault((write["task_id"], write["task_path"]), []).append(sent)
            for (task_id, task_path), writes in by_task.items():
                self._states.put_writes(place, {"task_id": task_id, "task_path": task_path, "writes": writes})

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Goes on from the versions of LangGraph's own savers, too, whose checkpoints may have been brought here."""
        if not isinstance(current, str):
            return super().get_next_version(current, channel)
        return f"{int(current.partition('.')[0]) + 1:032}.{random.random():016}"

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await asyncio.to_thread(self.prune, thread_ids, strategy=strategy)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    def run_of(self, config: RunnableConfig) -> RunIds:
        """The run that shows the graph of a configuration."""
        thread_id = _place_of(config).thread_id
        shown = f"{self._prefix}{thread_id}"
        parent = _env("WAYSTATION_TRACE_ID") if _env("WAYSTATION_THREAD_ID") == shown else None
        return RunIds(shown, f"langgraph:{thread_id}", parent, self._agent_id)

    def questions(self, config: RunnableConfig) -> Sequence[Question] | None:
        """
        The questions of a graph that nobody has answered, after people were asked, unless they were before.

        Returns None where no task of the graph was interrupted; none where the answers did not come to their end.
        """
        found = self.get_tuple(config)
        waiting = waiting_in(found.pending_writes or []) if found else None
        if found is None or waiting is None or self._reporter is None:
            return waiting
        run, checkpoint = self.run_of(config), found.checkpoint
        with self._reporter.turn(run):
            self._reporter.recall(run, checkpoint["id"], checkpoint["channel_values"])
            return self._reporter.ask_again(run, checkpoint["id"], map(self._reporter.numbered, waiting))

    def _ask(self, reporter: RunReporter, config: RunnableConfig, task_id: str, questions: Sequence[Question]) -> None:
        """Before the writes are stored: a question that is stored was asked."""
        place, run = _place_of(config), self.run_of(config)
        numbered = [reporter.numbered(one) for one in questions]
        if place.ns != "" or place.checkpoint_id is None:  # the graph around it will ask
            return
        with reporter.turn(run):
            reporter.note(run, place.checkpoint_id, task_id, numbered)
            if numbered and not reporter.knows(run, place.checkpoint_id):
                found = self.get_tuple(config)
                if found is not None:
                    reporter.recall(run, place.checkpoint_id, found.checkpoint["channel_values"])
            if numbered:
                reporter.ask(run, place.checkpoint_id)

    def _store(
        self,
        place: Place,
        parent: Place,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> None:
        held = checkpoint["channel_values"]
        inherited = self._inherited(parent, checkpoint, new_versions)
        # A copy stands beside its original: what changed in the original is new to the parent of both, though LangGraph does not say so.
        may_differ = parent.checkpoint_id is not None or metadata.get("source") == "fork"
        values: dict[str, dict[str, Any]] = {}
        for channel, version in checkpoint["channel_versions"].items():
            before = inherited.get(channel)
            if channel not in new_versions and before is not None and before["version"] == version:
                values[channel] = dict(before)
            elif channel in held and (may_differ or channel in new_versions):
                values[channel] = {"version": version, **dump(self.serde, held[channel])}
        state = {
            "parent_id": parent.checkpoint_id,
            "checkpoint": dump(self.serde, {**checkpoint, "channel_values": {}}),
            "metadata": metadata,
            "values": values,
        }
        try:
            self._states.put(place, state)
        except ApiRefusalError as refusal:
            if refusal.problem.get("code") != "unknown_digest":
                raise
            # What the parent has was deleted meanwhile. Without a value that is not held here, the checkpoint would lose it: it is refused.
            whole = {
                channel: {"version": value["version"], **dump(self.serde, held[channel])} if channel in held else value
                for channel, value in values.items()
            }
            self._states.put(place, {**state, "values": whole})

    def _inherited(self, parent: Place, checkpoint: Checkpoint, new_versions: ChannelVersions) -> Mapping[str, Any]:
        """What the parent has of channels that did not change."""
        is_any = any(channel not in new_versions for channel in checkpoint["channel_versions"])
        return self._states.values_of(parent) if is_any and parent.checkpoint_id is not None else {}

    def _tuple_of(self, state: Mapping[str, Any]) -> CheckpointTuple:
        thread_id = state["thread_id"][len(self._prefix) :]
        checkpoint: Checkpoint = load(self.serde, state["checkpoint"])
        checkpoint["channel_values"] = {channel: load(self.serde, value) for channel, value in state["values"].items()}
        return CheckpointTuple(
            config=_config_of(thread_id, state["ns"], state["checkpoint_id"]),
            checkpoint=checkpoint,
            metadata=state["metadata"],
            parent_config=_config_of(thread_id, state["ns"], state["parent_id"]) if state["parent_id"] is not None else None,
            pending_writes=[(one["task_id"], one["channel"], load(self.serde, one)) for one in state["writes"]],
        )


def _place_of(config: RunnableConfig) -> Place:
    given = config.get("configurable", {})
    if given.get("thread_id") is None:
        raise _missing("thread_id")
    return Place(str(given["thread_id"]), given.get("checkpoint_ns") or "", given.get("checkpoint_id") or None)


def _config_of(thread_id: str, ns: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}}


def _missing(name: str) -> ValueError:
    return ValueError(f'The configuration of the graph has no "{name}" in its "configurable".')


def _env(name: str) -> str | None:
    """An environment variable; None where it is empty."""
    return os.environ.get(name, "").strip() or None
