from __future__ import annotations

import asyncio
import operator
import os
import threading
import time
import unittest
import unittest.mock
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from waystation import NoDecisionError, RunIds

from tests.support import client, saver
from waystation_langgraph import Decision, aresume_when_decided, resume_when_decided

#: Seconds; decisions exist before they are waited for.
PATIENCE = 60.0


class Said(TypedDict):
    said: Annotated[list[Any], operator.add]


Node = Callable[[Said], dict[str, Any]]


def asking(questions: list[str]) -> Node:
    """A node that asks its questions in turn."""
    return lambda _: {"said": [(one, interrupt({"question": one})["approved"]) for one in questions]}


class Graphs(unittest.TestCase):
    """A graph"""

    def setUp(self) -> None:
        self.api = client(self)
        self.config: RunnableConfig = {"configurable": {"thread_id": str(uuid.uuid4())}}
        self.trace_id = f"langgraph:{self.config['configurable']['thread_id']}"

    def graph(self, nodes: Mapping[str, Any], **options: Any) -> Any:
        """Its nodes run in one step; built as in another process."""
        builder = StateGraph(Said)
        for name, node in nodes.items():
            builder.add_node(name, node)
            builder.add_edge(START, name)
        return builder.compile(checkpointer=saver(self, **options))

    def asked(self) -> list[Any]:
        """The current questions to people, ordered by their words."""
        items = self.api.request("GET", "/approvals", query={"trace_id": self.trace_id, "status": "pending"})["items"]
        return sorted(call["args"]["question"] for item in items for call in item["tool_calls"])

    def decide(self, decision: str = "approve", **body: Any) -> None:
        [item] = self.api.request("GET", "/approvals", query={"trace_id": self.trace_id, "status": "pending"})["items"]
        self.api.request("POST", f"/approvals/{self.trace_id}/{item['step']}/{decision}", body)

    def shown(self) -> Any:
        return self.api.request("GET", f"/threads/{self.trace_id}")

    def rounds(self, nodes: Mapping[str, Any], expected: list[list[str]]) -> None:
        self.graph(nodes).invoke({"said": []}, self.config)
        for questions in expected:
            self.assertEqual(self.asked(), questions)
            self.decide()
            # Another process, which does not know the earlier questions.
            resume_when_decided(self.graph(nodes), self.config, timeout=PATIENCE)
        state = self.graph(nodes).get_state(self.config)
        said = sorted((one, True) for questions in expected for one in questions)
        self.assertEqual((sorted(map(tuple, state.values["said"])), state.next), (said, ()))

    def test_asks_equal_questions_of_a_node_one_after_the_other(self) -> None:
        self.rounds({"a": asking(["same", "same", "same"])}, [["same"], ["same"], ["same"]])

    def test_asks_equal_questions_of_a_graph_within_a_node_one_after_the_other(self) -> None:
        inner = StateGraph(Said)
        inner.add_node("inner", asking(["same", "same"]))
        inner.add_edge(START, "inner")
        self.rounds({"outer": inner.compile()}, [["same"], ["same"]])

    def test_asks_only_what_is_open(self) -> None:
        self.rounds({"a": asking(["a1"]), "b": asking(["b1", "b2"])}, [["a1", "b1"], ["b2"]])

    def test_asks_only_what_is_open_in_one_process(self) -> None:
        graph = self.graph({"a": asking(["a1"]), "b": asking(["b1", "b2"])})
        graph.invoke({"said": []}, self.config)
        for questions in (["a1", "b1"], ["b2"]):
            self.assertEqual(self.asked(), questions)
            self.decide()
            resume_when_decided(graph, self.config, timeout=PATIENCE)
        self.assertEqual(len(graph.get_state(self.config).values["said"]), 3)

    def test_gives_each_node_its_own_decision_though_one_failed_before_it_asked(self) -> None:
        def fail(_: Said) -> dict[str, Any]:
            deadline = time.monotonic() + PATIENCE
            while not self.asked() and time.monotonic() < deadline:
                time.sleep(0.02)
            raise RuntimeError("killed")

        with self.assertRaisesRegex(RuntimeError, "killed"):
            self.graph({"a": asking(["first"]), "b": fail}).invoke({"said": []}, self.config)
        nodes = {"a": asking(["first"]), "b": asking(["second"])}
        with self.assertRaises(TimeoutError):
            resume_when_decided(self.graph(nodes), self.config, timeout=0)
        self.assertEqual(self.asked(), ["first"])
        self.decide()
        resume_when_decided(self.graph(nodes), self.config, timeout=PATIENCE)
        self.assertEqual(self.asked(), ["second"])
        self.decide("reject")
        said = resume_when_decided(self.graph(nodes), self.config, timeout=PATIENCE)["said"]
        self.assertEqual(sorted(map(tuple, said)), [("first", True), ("second", False)])

    def test_is_not_asked_again_what_its_node_knew_before_it_failed(self) -> None:
        failures = [True]

        def node(_: Said) -> dict[str, Any]:
            said = [interrupt({"question": "first"})["approved"]]
            if failures:
                failures.pop()
                raise RuntimeError("the bank is away")
            return {"said": [*said, interrupt({"question": "second"})["approved"]]}

        self.graph({"a": node}).invoke({"said": []}, self.config)
        self.decide()
        with self.assertRaisesRegex(RuntimeError, "the bank is away"):
            resume_when_decided(self.graph({"a": node}), self.config, timeout=PATIENCE)
        resume_when_decided(self.graph({"a": node}), self.config, timeout=PATIENCE)
        self.assertEqual(self.asked(), ["second"])
        self.decide("reject")
        resumed = resume_when_decided(self.graph({"a": node}), self.config, timeout=PATIENCE)
        self.assertEqual(resumed["said"], [True, False])

    def test_that_a_person_has_cancelled_does_nothing_more_though_all_is_answered(self) -> None:
        begun: list[bool] = []

        def node(_: Said) -> dict[str, Any]:
            begun.append(True)
            interrupt({"question": "first"})
            raise RuntimeError("the bank is away")

        self.graph({"a": node}).invoke({"said": []}, self.config)
        self.decide()
        with self.assertRaisesRegex(RuntimeError, "the bank is away"):
            resume_when_decided(self.graph({"a": node}), self.config, timeout=PATIENCE)
        self.api.api.runs.cancel(RunIds(self.trace_id, self.trace_id))
        with self.assertRaisesRegex(NoDecisionError, "cancelled"):
            resume_when_decided(self.graph({"a": node}), self.config, timeout=PATIENCE)
        with self.assertRaisesRegex(NoDecisionError, "cancelled"):
            asyncio.run(aresume_when_decided(self.graph({"a": node}), self.config, timeout=PATIENCE))
        self.assertEqual(len(begun), 2)
        self.assertEqual(self.shown()["status"], "cancelled")
        self.graph({"a": asking(["second"])}).invoke({"said": []}, self.config)  # somebody asks for something new
        self.assertEqual(self.asked(), ["second"])
        self.assertEqual(self.shown()["run_list"][0]["attempts"], 1)
        self.decide()
        resume_when_decided(self.graph({"a": asking(["second"])}), self.config, timeout=PATIENCE)
        self.assertEqual(self.shown()["status"], "completed")

    def test_is_asked_again_where_a_person_has_retried_the_run_that_called_it(self) -> None:
        thread_id = self.config["configurable"]["thread_id"]
        given = {"WAYSTATION_THREAD_ID": thread_id, "WAYSTATION_TRACE_ID": "caller"}
        with unittest.mock.patch.dict(os.environ, given):
            self.api.start(thread_id, "caller")
            self.api.flush()
            self.graph({"a": asking(["really?"])}).invoke({"said": []}, self.config)
            self.api.api.runs.cancel(RunIds(thread_id, "caller"))
            with self.assertRaisesRegex(NoDecisionError, "cancelled"):
                resume_when_decided(self.graph({"a": asking(["really?"])}), self.config, timeout=PATIENCE)
            self.api.start(thread_id, "caller")  # as an agent process does for a retry
            self.api.flush()
            with self.assertRaises(TimeoutError):
                resume_when_decided(self.graph({"a": asking(["really?"])}), self.config, timeout=0)
            self.assertEqual(self.asked(), ["really?"])
            self.decide()
            resumed = resume_when_decided(self.graph({"a": asking(["really?"])}), self.config, timeout=PATIENCE)
        self.assertEqual(resumed["said"], [("really?", True)])

    def test_gets_what_a_person_decided(self) -> None:
        graph = self.graph({"a": lambda _: {"said": [interrupt({"question": "Really?"})]}})
        graph.invoke({"said": []}, self.config)
        with self.assertRaises(TimeoutError):
            resume_when_decided(graph, self.config, timeout=0)
        self.decide("reject", reason="too much", decided_by="Ada")
        resumed = resume_when_decided(graph, self.config, timeout=PATIENCE)
        decision: Decision = {"approved": False, "reason": "too much", "decided_by": "Ada", "value": {"question": "Really?"}}
        self.assertEqual(resumed["said"], [decision])

    def test_gets_the_answer_in_its_own_form_asynchronously(self) -> None:
        async def use() -> Any:
            graph = self.graph({"a": lambda _: {"said": [interrupt("Really?")]}})
            await graph.ainvoke({"said": []}, self.config)
            [item] = self.api.request("GET", "/approvals", query={"trace_id": self.trace_id, "status": "pending"})["items"]
            self.assertEqual(item["tool_calls"][0]["args"], "Really?")
            waiting = asyncio.create_task(aresume_when_decided(graph, self.config, to_resume=lambda one: one["value"] + "!"))
            self.decide()
            return await asyncio.wait_for(waiting, PATIENCE)

        self.assertEqual(asyncio.run(use())["said"], ["Really?!"])

    def test_keeps_its_checkpoints_while_more_wait_for_people_than_the_loop_has_threads(self) -> None:
        async def use(release: threading.Event) -> Any:
            loop, begun = asyncio.get_running_loop(), asyncio.Semaphore(0)
            loop.set_default_executor(ThreadPoolExecutor(2))
            graph = self.graph({"a": asking(["Really?"])})
            runners = graph.checkpointer.client.api.runners
            wait = runners.decisions

            def held(*args: Any) -> Any:
                loop.call_soon_threadsafe(begun.release)
                release.wait()
                return wait(*args)

            runners.decisions = held
            configs = [self.config, *({"configurable": {"thread_id": str(uuid.uuid4())}} for _ in range(5))]
            for config in configs:
                await graph.ainvoke({"said": []}, config)
            own, *others = [asyncio.create_task(aresume_when_decided(graph, config)) for config in configs]
            try:
                for _ in configs:
                    await asyncio.wait_for(begun.acquire(), PATIENCE)
                another: Any = {"configurable": {"thread_id": str(uuid.uuid4()), "checkpoint_ns": ""}}
                await asyncio.wait_for(graph.checkpointer.aput(another, empty_checkpoint(), {}, {}), PATIENCE)
                self.assertFalse(any(one.done() for one in (own, *others)))
                for one in others:
                    one.cancel()
                ends = await asyncio.gather(*others, return_exceptions=True)
                self.assertEqual([type(end) for end in ends], [asyncio.CancelledError] * len(others))
                self.decide()
            finally:
                release.set()
            return await asyncio.wait_for(own, PATIENCE)

        self.assertEqual(asyncio.run(use(threading.Event()))["said"], [("Really?", True)])

    def test_that_waits_for_nobody_is_refused(self) -> None:
        graph = self.graph({"a": lambda _: {"said": [1]}})
        graph.invoke({"said": []}, self.config)
        with self.assertRaisesRegex(ValueError, "waits for nobody"):
            resume_when_decided(graph, self.config)
        with self.assertRaisesRegex(ValueError, "no WaystationSaver"):
            resume_when_decided(StateGraph(Said).add_node("a", asking([])).add_edge(START, "a").compile(), self.config)

    def test_is_shown_with_its_conversation(self) -> None:
        messages = [
            AIMessage("", tool_calls=[{"id": "call_1", "name": "look", "args": {"order": 4711}}], name="shop"),
            ToolMessage([{"type": "text", "text": "found"}], tool_call_id="call_1"),
            AIMessage("Here it is."),
        ]
        builder = StateGraph(MessagesState)
        for at, message in enumerate(messages):
            builder.add_node(f"n{at}", lambda _, message=message: {"messages": [message]})
        builder.add_edge(START, "n0")
        builder.add_edge("n0", "n1")
        builder.add_edge(["n0", "n1"], "n2")  # one that waits for two
        builder.compile(checkpointer=saver(self)).invoke({"messages": [("user", "Where is it?")]}, self.config)
        shown = self.shown()
        call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"order": 4711}'}}
        history = self.api.request("GET", f"/v1/runners/threads/{self.trace_id}/latest")["history"]
        self.assertEqual(
            history,
            [
                {"role": "user", "content": "Where is it?"},
                {"role": "assistant", "content": "", "name": "shop", "tool_calls": [call]},
                {"role": "tool", "content": [{"type": "text", "text": "found"}], "tool_call_id": "call_1"},
                {"role": "assistant", "content": "Here it is."},
            ],
        )
        self.assertEqual((shown["status"], shown["run_list"][0]["steps"]), ("completed", 5))

    def test_has_all_its_values_in_a_copy_of_any_checkpoint(self) -> None:
        builder = StateGraph(Said).add_node("a", lambda _: {"said": ["a"]}).add_node("b", lambda _: {"said": ["b"]})
        graph = builder.add_edge(START, "a").add_edge("a", "b").compile(checkpointer=saver(self))
        graph.invoke({"said": ["begin"]}, self.config)
        originals = list(graph.get_state_history(self.config))
        self.assertEqual(originals[0].values, {"said": ["begin", "a", "b"]})
        for original in originals:
            copy = graph.get_state(graph.update_state(original.config, None, "__copy__"))
            self.assertNotEqual(copy.config, original.config)
            self.assertEqual((copy.values, copy.next), (original.values, original.next))

    def test_goes_on_as_a_copy_of_its_thread(self) -> None:
        graph = self.graph({"a": asking(["a1"])})
        graph.invoke({"said": ["begin"]}, self.config)
        original, config = self.config["configurable"]["thread_id"], self.config
        self.config = {"configurable": {"thread_id": f"{original}-copy"}}
        self.trace_id = f"langgraph:{original}-copy"
        graph.checkpointer.copy_thread(original, f"{original}-copy")
        self.assertEqual(graph.get_state(self.config).values, graph.get_state(config).values)
        with self.assertRaises(TimeoutError):
            resume_when_decided(graph, self.config, timeout=0)
        self.decide()
        self.assertEqual(resume_when_decided(graph, self.config, timeout=PATIENCE)["said"], ["begin", ("a1", True)])
        self.assertEqual(graph.get_state(config).next, ("a",))
        graph.checkpointer.delete_thread(f"{original}-copy")
        self.assertEqual(graph.get_state(self.config).values, {})
        self.assertEqual(self.shown()["status"], "completed")
