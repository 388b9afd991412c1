from __future__ import annotations

import unittest
import uuid
from threading import Event
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from tests.support import client, saver
from waystation_langgraph import WaystationSaver, resume_when_decided


class Shown(unittest.TestCase):
    """A graph"""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return client(self).request(method, path, body)

    def graph(self, asks: Any = None, answers: list[Any] | None = None, checkpointer: Any = None) -> Any:
        """The model reports its usage; a node may ask."""

        def work(state: MessagesState) -> dict[str, Any]:
            usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
            return {"messages": [AIMessage("Hi", usage_metadata=usage, response_metadata={"model_name": "some-model"})]}

        def review(state: MessagesState) -> dict[str, Any]:
            if asks is not None and answers is not None:
                answers.append(interrupt(asks))
            return {}

        builder = StateGraph(MessagesState)
        builder.add_node("work", work)
        builder.add_node("review", review)
        for one, next_one in ((START, "work"), ("work", "review"), ("review", END)):
            builder.add_edge(one, next_one)
        return builder.compile(checkpointer=checkpointer or saver(self))

    def test_has_its_model_and_tokens_in_the_list_and_is_completed_when_it_has_ended(self) -> None:
        thread_id = str(uuid.uuid4())
        config: Any = {"configurable": {"thread_id": thread_id}}
        for _ in ("a turn", "another one"):
            self.graph().invoke({"messages": [("user", "Hello")]}, config)
            found = self.call("GET", f"/threads/langgraph:{thread_id}")
            self.assertEqual((found["status"], found["model"], found["tokens_used"]), ("completed", "some-model", 15))

    def test_shows_an_interrupt_by_its_action_else_by_its_node(self) -> None:
        for asks, name in (({"action": "refund", "amount": 5}, "refund"), ({"amount": 5}, "review"), ("Which size?", "review")):
            thread_id, answers = str(uuid.uuid4()), list[Any]()
            config: Any = {"configurable": {"thread_id": thread_id}}
            self.graph(asks, answers).invoke({"messages": [("user", "Hello")]}, config)
            (approval,) = self.call("GET", f"/approvals?trace_id=langgraph:{thread_id}")["items"]
            (call,) = approval["tool_calls"]
            self.assertEqual((call["name"], call["args"]), (name, asks))
            detail = self.call("GET", f"/threads/langgraph:{thread_id}")
            self.assertEqual((detail["status"], detail["tokens_used"]), ("waiting_for_approval", 15))

    def test_names_the_node_of_an_interrupt_whose_checkpoint_is_stored_at_the_same_time(self) -> None:
        has_looked, is_stored = Event(), Event()

        class Late(WaystationSaver):
            def get_tuple(self, config: Any) -> Any:
                found = super().get_tuple(config)
                if config["configurable"].get("checkpoint_id"):
                    has_looked.set()
                    is_stored.wait(10)
                return found

            def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
                is_before_review = "branch:to:review" in checkpoint["channel_values"]
                if is_before_review:
                    has_looked.wait(10)
                stored = super().put(config, checkpoint, metadata, new_versions)
                if is_before_review:
                    is_stored.set()
                return stored

        thread_id = str(uuid.uuid4())
        config: Any = {"configurable": {"thread_id": thread_id}}
        self.graph({"amount": 5}, [], saver(self, of=Late)).invoke({"messages": [("user", "Hello")]}, config)
        self.assertTrue(has_looked.is_set())
        (approval,) = self.call("GET", f"/approvals?trace_id=langgraph:{thread_id}")["items"]
        self.assertEqual([call["name"] for call in approval["tool_calls"]], ["review"])

    def test_gets_the_text_that_a_person_puts_in_the_place_of_a_question(self) -> None:
        thread_id, answers = str(uuid.uuid4()), list[Any]()
        config: Any = {"configurable": {"thread_id": thread_id}}
        self.graph("Which size?", answers).invoke({"messages": [("user", "Hello")]}, config)
        trace_id = f"langgraph:{thread_id}"
        (approval,) = self.call("GET", f"/approvals?trace_id={trace_id}")["items"]
        decision = {"decisions": [{"index": 0, "decision": "approve", "args": "Large"}]}
        self.call("POST", f"/approvals/{trace_id}/{approval['step']}/approve", decision)
        resume_when_decided(self.graph("Which size?", answers), config, timeout=60)
        self.assertEqual(answers, ["Large"])
