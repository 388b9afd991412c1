from __future__ import annotations

import asyncio
import os
import random
import unittest
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.memory import InMemorySaver

from tests.support import saver

#: Number of sequences, and the seed of the first. After changing the saver, take hundreds, and other seeds.
SEQUENCES = int(os.environ.get("WAYSTATION_TEST_SEQUENCES", "16"))
STEPS = 16
CHANNELS = ["messages", "notes", "order", "branch:to:a"]
FILTERS: list[dict[str, Any]] = [{"source": "loop"}, {"step": 1, "run": 7}, {"note": None}, {"note": "\u00fc", "step": 0}, {}]
SPECIAL = ["__error__", "__interrupt__", "__resume__", "__scheduled__"]
JSON: list[Any] = [None, 0, -1, 2**60, 1.5, "text", "", "\u00fc", {"a": [1]}]
VALUES: list[Any] = [*JSON, "\0", b"\x00\xff", [], {"a": {"b": (1,)}}, True, {1, 2}, "x" * 5000]


class Sequence:
    """The same operations for both savers, chosen by a seed, as LangGraph might call them."""

    def __init__(self, seed: int, ours: BaseCheckpointSaver[Any]) -> None:
        self.random = random.Random(seed)
        self.memory: InMemorySaver = InMemorySaver()
        self.ours = ours
        self.threads = [str(uuid.uuid4()) for _ in range(2)]
        self.stored: list[dict[str, Any]] = []
        """Configurations of all checkpoints."""
        self.checkpoints: dict[str, dict[str, Any]] = {}

    def place(self) -> dict[str, Any]:
        return {"thread_id": self.random.choice(self.threads), "checkpoint_ns": self.random.choice(["", "", "child:1"])}

    def put(self) -> None:
        place = self.place()
        parents = [one for one in self.stored if one["thread_id"] == place["thread_id"] and one["checkpoint_ns"] == place["checkpoint_ns"]]
        parent = self.random.choice(parents[-3:]) if parents and self.random.random() < 0.9 else None
        before = self.checkpoints[parent["checkpoint_id"]] if parent else {"channel_values": {}, "channel_versions": {}}
        versions, values, new = dict(before["channel_versions"]), dict(before["channel_values"]), {}
        for channel in self.random.sample(CHANNELS, self.random.randint(0, 3)):
            versions[channel] = new[channel] = self.memory.get_next_version(max(versions.values(), default=None), None)
            values.pop(channel, None)
            if self.random.random() < 0.8:
                values[channel] = self.random.choice(VALUES)
        checkpoint: Any = {
            "v": 4,
            "id": str(uuid6()),
            "ts": "2026-01-01T00:00:00+00:00",
            "channel_values": values,
            "channel_versions": versions,
            "versions_seen": {"a": dict(new)},
            "updated_channels": sorted(new) or None,
        }
        source, note = self.random.choice(["loop", "input"]), self.random.choice(JSON)
        metadata: Any = {"source": source, "step": len(parents), "parents": {}, "note": note}
        of_parent = {"checkpoint_id": parent["checkpoint_id"]} if parent else {}
        config: Any = {"configurable": {**place, **of_parent}, "metadata": {"run": 7}}
        self.checkpoints[checkpoint["id"]] = checkpoint
        given = [one.put(config, {**checkpoint, "channel_values": dict(values)}, dict(metadata), new) for one in (self.memory, self.ours)]
        same(given[1], given[0])
        self.stored.append(given[0]["configurable"])

    def put_writes(self) -> None:
        if not self.stored:
            return
        config: Any = {"configurable": dict(self.random.choice(self.stored[-4:]))}
        channels = (
            self.random.choices(CHANNELS, k=self.random.randint(1, 3)) if self.random.random() < 0.7 else [self.random.choice(SPECIAL)]
        )
        writes = [(channel, self.random.choice(VALUES)) for channel in channels]
        task_id, task_path = self.random.choice(["t1", "t2", "t3"]), self.random.choice(["", "~a"])
        for one in (self.memory, self.ours):
            one.put_writes(config, writes, task_id, task_path)

    def get(self) -> None:
        config: Any = {"configurable": self.random.choice([self.place(), {"thread_id": self.threads[0]}, *self.stored])}
        same(plain(self.ours.get_tuple(config)), plain(self.memory.get_tuple(config)))
        other: Any = {"configurable": {**config["configurable"], "checkpoint_id": str(uuid6())}}
        same(self.ours.get_tuple(other), None)

    def list(self) -> None:
        place, is_whole = self.place(), self.random.random() < 0.5
        config: Any = {"configurable": place if is_whole else {"thread_id": place["thread_id"]}}
        options: dict[str, Any] = {}
        if self.random.random() < 0.5:
            options["filter"] = self.random.choice(
                [{"source": "loop"}, {"step": 1, "run": 7}, {"note": None}, {"note": "\u00fc", "step": 0}, {}]
            )
        if self.stored and self.random.random() < 0.4:
            options["before"] = {"configurable": self.random.choice(self.stored)}
        if is_whole and self.random.random() < 0.4:
            options["limit"] = self.random.randint(0, 3)
        if self.stored and self.random.random() < 0.2:
            config = {"configurable": self.random.choice(self.stored)}
        ours, memory = ([plain(one) for one in saver.list(config, **options)] for saver in (self.ours, self.memory))
        if not is_whole:  # no saver promises an order of namespaces
            ours, memory = sorted(ours, key=repr), sorted(memory, key=repr)
        same(ours, memory)

    def delete(self) -> None:
        if self.random.random() < 0.15:
            thread_id = self.random.choice(self.threads)
            for one in (self.memory, self.ours):
                one.delete_thread(thread_id)
            self.stored = [one for one in self.stored if one["thread_id"] != thread_id]

    def run(self) -> None:
        for _ in range(STEPS):
            self.random.choice([self.put, self.put, self.put_writes, self.get, self.list, self.delete])()
        for thread_id in self.threads:
            config: Any = {"configurable": {"thread_id": thread_id}}
            same(*([sorted((plain(one) for one in saver.list(config)), key=repr)] for saver in (self.ours, self.memory)))


def same(ours: Any, memory: Any) -> None:
    if ours != memory:
        raise AssertionError(f"ours:   {ours!r}\nmemory: {memory!r}")


def plain(found: CheckpointTuple | None) -> Any:
    """Without the order of writes: ours is LangGraph's order of applying them, the other is the order of arrival."""
    if found is None:
        return None
    checkpoint = {**found.checkpoint, "channel_values": dict(sorted(found.checkpoint["channel_values"].items()))}
    config = {name: found.config["configurable"].get(name, "") for name in ("thread_id", "checkpoint_ns", "checkpoint_id")}
    writes = sorted(found.pending_writes or [], key=repr)
    return config, checkpoint, dict(sorted(found.metadata.items())), found.parent_config, writes


class Asynchronous(InMemorySaver):
    """A saver's asynchronous methods, in synchronous form."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__()
        self._saver = saver

    def get_tuple(self, config: Any) -> CheckpointTuple | None:
        return asyncio.run(self._saver.aget_tuple(config))

    def list(self, config: Any, **options: Any) -> Iterator[CheckpointTuple]:
        async def found() -> list[CheckpointTuple]:
            return [one async for one in self._saver.alist(config, **options)]

        return iter(asyncio.run(found()))

    def put(self, *args: Any) -> Any:
        return asyncio.run(self._saver.aput(*args))

    def put_writes(self, *args: Any) -> None:
        asyncio.run(self._saver.aput_writes(*args))

    def delete_thread(self, thread_id: str) -> None:
        asyncio.run(self._saver.adelete_thread(thread_id))


class SameAsMemory(unittest.TestCase):
    """The saver"""

    def test_answers_like_the_one_that_keeps_all_in_memory(self) -> None:
        def sequence(seed: int) -> str:
            ours: BaseCheckpointSaver[Any] = saver(self, thread_prefix=f"{uuid.uuid4()}:", report=seed % 2 == 0)
            try:
                Sequence(seed, Asynchronous(ours) if seed % 3 == 0 else ours).run()
            except Exception as error:
                return f"with seed {seed}: {error!r}"
            return ""

        first = int(os.environ.get("WAYSTATION_TEST_SEED", "0"))
        with ThreadPoolExecutor(4) as pool:
            faults = [fault for fault in pool.map(sequence, range(first, first + SEQUENCES)) if fault]
        self.assertEqual("\n".join(faults[:3]), "")
