from __future__ import annotations

import unittest
import uuid
from typing import Annotated, Any, TypedDict

from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import START, StateGraph
from waystation import ApiRefusalError
from waystation._states import pruned as left_out

from tests.support import saver
from waystation_langgraph import WaystationSaver
from waystation_langgraph._channels import needed_ancestors


def added(before: list[str], writes: list[list[str]]) -> list[str]:
    return before + [word for write in writes for word in write]


class Seldom(TypedDict):
    said: Annotated[list[str], DeltaChannel(added)]
    never: Annotated[list[str], DeltaChannel(added)]


class Often(TypedDict):
    said: Annotated[list[str], DeltaChannel(added, snapshot_frequency=3)]
    never: Annotated[list[str], DeltaChannel(added, snapshot_frequency=3)]


def outline(number: int, parent: int | None, counters: Any = None, channels: str = "", ns: str = "") -> dict[str, Any]:
    metadata = {} if counters is None else {"counters_since_delta_snapshot": counters}
    names = {"ns": ns, "checkpoint_id": str(number), "parent_id": None if parent is None else str(parent)}
    return {**names, "metadata": metadata, "channels": channels.split()}


def pruned(outlines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["ns"], one["checkpoint_id"]) for one in left_out(iter(outlines), needed_ancestors)]


class Pruning(unittest.TestCase):
    """Pruning a thread"""

    def setUp(self) -> None:
        self.saver = saver(self, report=False, thread_prefix=f"{uuid.uuid4()}:")
        self.config: Any = {"configurable": {"thread_id": "order-4711"}}

    def ids(self, made: WaystationSaver | None = None) -> list[str]:
        return [one.checkpoint["id"] for one in (made or self.saver).list(self.config)]

    def test_keeps_what_delta_channels_are_put_together_from(self) -> None:
        for number, (schema, most) in enumerate(((Seldom, None), (Often, 8))):
            self.config = {"configurable": {"thread_id": f"order-{number}"}}
            builder = StateGraph(schema)
            builder.add_node("answer", lambda state: {"said": [f"answer {len(state['said'])}"]})
            builder.add_edge(START, "answer")
            graph = builder.compile(checkpointer=self.saver)
            for turn in range(6):
                graph.invoke({"said": [f"turn {turn}"]}, self.config)
            state, before = graph.get_state(self.config), self.ids()
            self.saver.prune([self.config["configurable"]["thread_id"]])
            self.assertEqual(graph.get_state(self.config), state)
            self.assertEqual(len(state.values["said"]), 12)
            if most is None:
                self.assertEqual(self.ids(), before)
            else:
                self.assertLess(len(self.ids()), most)
            again = graph.invoke({"said": ["after"]}, self.config)
            self.assertEqual(again["said"], [*state.values["said"], "after", "answer 13"])

    def test_keeps_no_ancestors_that_nobody_needs(self) -> None:
        chain = [outline(5, 4, {"a": [1, 1]}), outline(4, 3, {"a": [1, 3]}), outline(3, 2, None, "a"), outline(2, 1), outline(1, None)]
        self.assertEqual(pruned(chain), [("", "2"), ("", "1")])
        self.assertEqual(pruned([outline(5, 4, {"b": [0, 5]}, "a"), *chain[1:]]), [("", str(number)) for number in (4, 3, 2, 1)])
        # Not written since, but a snapshot contains its value.
        self.assertEqual(pruned([outline(5, 4, {"a": [0, 5]}), *chain[1:]]), [("", "2"), ("", "1")])
        # A copy has lost the counters.
        self.assertEqual(pruned([outline(5, 4), *chain[1:]]), [("", "2"), ("", "1")])
        # Without a snapshot all writes count, but only of its own branch.
        fork = [outline(5, 2, {"a": [2, 3]}), outline(4, 3, {"a": [3, 4]}), outline(3, 2, {"a": [2, 3]}), outline(2, None, {"a": [1, 2]})]
        self.assertEqual(pruned(fork), [("", "4"), ("", "3")])
        spaces = [outline(4, 3, None, "a", "child"), outline(3, None, None, "a", "child"), outline(2, 1), outline(1, None)]
        self.assertEqual(pruned(spaces), [("child", "3"), ("", "1")])
        self.assertEqual(pruned([outline(2, 1, {"a": [1, 1]}), outline(1, 2, {"a": [1, 1]})]), [])

    def test_beside_a_fork_lets_it_have_all_values_or_refuses_it(self) -> None:
        def checkpoint(versions: dict[str, int], values: dict[str, Any]) -> Any:
            return {**empty_checkpoint(), "channel_versions": versions, "channel_values": values}

        other = saver(self, report=False, thread_prefix=self.saver._prefix)  # of another process
        for is_named in (True, False):
            self.config = {"configurable": {"thread_id": f"order-{is_named}"}}
            first = checkpoint({"said": 1, "a": 1}, {"said": ["snapshot"], "a": "long"})
            stored = self.saver.put(self.config, first, {}, {"said": 1, "a": 1})
            if is_named:
                other.put(stored, checkpoint({"said": 1, "a": 2}, {"a": "changed"}), {}, {"a": 2})
            else:
                other.put(stored, checkpoint({"said": 2, "a": 2}, {"said": [], "a": "changed"}), {}, {"said": 2, "a": 2})
            other.prune([self.config["configurable"]["thread_id"]])
            left = self.ids()
            # Like any delta channel without a snapshot, it is not among the values that LangGraph holds.
            fork = checkpoint({"said": 1, "a": 1}, {"a": "long"})
            if is_named:
                found = self.saver.get_tuple(self.saver.put(stored, fork, {}, {}))
                self.assertEqual(found and found.checkpoint["channel_values"], {"said": ["snapshot"], "a": "long"})
            else:
                with self.assertRaises(ApiRefusalError) as refused:
                    self.saver.put(stored, fork, {}, {})
                self.assertEqual(refused.exception.problem.get("channels"), ["said"])
                self.assertEqual(self.ids(), left)

    def test_takes_away_runs_of_its_own_threads_alone(self) -> None:
        other = saver(self, report=False, thread_prefix=f"{uuid.uuid4()}:")
        for made in (self.saver, other):
            for run_id in ("r1", "r2"):
                made.put(self.config, empty_checkpoint(), {"run_id": run_id}, {})
        self.saver.delete_for_runs(["r1", "none"])
        self.assertEqual([len(self.ids()), len(self.ids(other))], [1, 2])

    def test_takes_away_all_or_says_that_it_does_not_know_how(self) -> None:
        for _ in range(3):
            self.saver.put(self.config, empty_checkpoint(), {}, {})
        with self.assertRaisesRegex(ValueError, "keep_all"):
            self.saver.prune(["order-4711"], strategy="keep_all")
        self.assertEqual(len(self.ids()), 3)
        self.saver.prune(["order-4711"], strategy="delete")
        self.assertEqual(self.ids(), [])
