from __future__ import annotations

import importlib.util
import unittest
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from waystation import ApiRefusalError, Question
from waystation._questions import unanswered, with_model_ids

from tests.support import client, saver
from waystation_langgraph import resume_when_decided
from waystation_langgraph._actions import action_questions

#: Seconds; decisions exist before they are waited for.
PATIENCE = 60.0
REFUND = {"name": "refund", "args": {"order": 4711, "amount": 25}}
MAIL = {"name": "mail", "args": {"to": "ada@example.org"}}
ALL = ["approve", "edit", "reject", "respond"]


def requests(*actions: dict[str, Any], allowed: Sequence[str] = ALL) -> dict[str, Any]:
    """The request of the middleware of langchain 1.4.2."""
    configs = [{"action_name": one["name"], "allowed_decisions": [*allowed]} for one in actions]
    return {"action_requests": [{**one, "description": "Tool execution requires approval"} for one in actions], "review_configs": configs}


class ScriptedModel(GenericFakeChatModel):
    """Calls tools, and then repeats their results."""

    calls: list[dict[str, Any]]

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        last = messages[-1]
        said = AIMessage(f"Heard: {last.content}") if isinstance(last, ToolMessage) else AIMessage("", tool_calls=self.calls)
        return ChatResult(generations=[ChatGeneration(message=said)])

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


class Actions(unittest.TestCase):
    """The human-in-the-loop middleware"""

    def setUp(self) -> None:
        self.api = client(self)
        self.config: RunnableConfig = {"configurable": {"thread_id": str(uuid.uuid4())}}
        self.trace_id = f"langgraph:{self.config['configurable']['thread_id']}"
        self.made: list[Any] = []

    def graph(self, value: dict[str, Any], calls: Sequence[dict[str, Any]] = (), fails: Callable[[], bool] = lambda: False) -> Any:
        """A graph that asks as the middleware does, after the model has called tools."""

        def ask(_: MessagesState) -> dict[str, Any]:
            self.made.append(interrupt(value))
            if fails():
                raise RuntimeError("the bank is away")
            return {"messages": []}

        builder = StateGraph(MessagesState)
        builder.add_node("model", lambda _: {"messages": [AIMessage("", tool_calls=[*calls])]})
        builder.add_node("ask", ask)
        builder.add_edge(START, "model")
        builder.add_edge("model", "ask")
        return builder.compile(checkpointer=saver(self))

    def agent(self, *calls: dict[str, Any]) -> Any:
        if importlib.util.find_spec("langchain") is None:
            self.skipTest("langchain is not installed")
        from langchain.agents import create_agent
        from langchain.agents.middleware import HumanInTheLoopMiddleware

        def refund(order: int, amount: int) -> str:
            """Pays back."""
            self.made.append(("refund", order, amount))
            return f"refunded {amount}"

        def mail(to: str) -> str:
            """Writes."""
            self.made.append(("mail", to))
            return f"wrote to {to}"

        middleware = HumanInTheLoopMiddleware({"refund": True, "mail": True})
        model = ScriptedModel(messages=iter(()), calls=[{**one, "id": f"call_{number}"} for number, one in enumerate(calls)])
        return create_agent(model, [refund, mail], middleware=[middleware], checkpointer=saver(self))

    def asked(self) -> Any:
        [item] = self.api.request("GET", "/approvals", query={"trace_id": self.trace_id, "status": "pending"})["items"]
        return item

    def decide(self, verb: str, **body: Any) -> None:
        self.api.request("POST", f"/approvals/{self.trace_id}/{self.asked()['step']}/{verb}", body)

    def resume(self, graph: Any, **options: Any) -> Any:
        return resume_when_decided(graph, self.config, timeout=PATIENCE, **options)

    def begin(self, graph: Any) -> Any:
        graph.invoke({"messages": [("user", "Refund order 4711")]}, self.config)
        return graph

    def test_has_its_calls_decided_one_by_one(self) -> None:
        graph = self.begin(self.agent(REFUND, MAIL))
        asked = self.asked()
        self.assertEqual(
            [(call["id"], call["name"], call["args"]) for call in asked["tool_calls"]],
            [
                ("call_0", "refund", REFUND["args"]),
                ("call_1", "mail", MAIL["args"]),
            ],
        )
        self.assertEqual(sorted(asked["approval_features"]), ["edit_args", "per_call"])
        changed = {"index": 0, "decision": "approve", "args": {"order": 4711, "amount": 20}}
        self.decide("approve", decisions=[changed, {"index": 1, "decision": "reject", "reason": "She knows."}])
        said = self.resume(graph, to_resume=lambda decision: decision["approved"])["messages"]
        self.assertEqual(self.made, [("refund", 4711, 20)])
        told = {one.tool_call_id: one.content for one in said if isinstance(one, ToolMessage)}
        self.assertIn("refunded 20", told["call_0"])
        self.assertIn("She knows.", told["call_1"])

    def test_makes_a_call_that_was_approved(self) -> None:
        graph = self.begin(self.agent(REFUND))
        self.decide("approve")
        self.assertEqual(self.resume(graph)["messages"][-1].content, "Heard: refunded 25")

    def test_gets_decisions_in_the_order_of_its_actions(self) -> None:
        value = requests(MAIL, REFUND, REFUND)
        graph = self.begin(self.graph(value, [{**REFUND, "id": "a"}, {**MAIL, "id": "b"}]))
        interrupt_id = graph.get_state(self.config).tasks[0].interrupts[0].id
        calls = self.asked()["tool_calls"]
        places = {call["id"]: call["index"] for call in calls}
        self.assertEqual(set(places), {"a", "b", f"{interrupt_id}:0:2"})
        self.decide("approve", decisions=[{"index": places["a"], "decision": "reject"}])
        self.resume(graph)
        self.assertEqual(self.made, [{"decisions": [{"type": "approve"}, {"type": "reject"}, {"type": "approve"}]}])

    def test_offers_only_what_the_agent_takes(self) -> None:
        self.begin(self.graph(requests(REFUND, allowed=["approve", "respond"])))
        self.assertEqual(self.asked()["approval_features"], ["per_call"])
        changed = [{"index": 0, "decision": "approve", "args": {}}]
        with self.assertRaises(ApiRefusalError):
            self.decide("approve", decisions=changed)
        self.decide("reject", reason="It is paid.")
        self.resume(self.graph(requests(REFUND, allowed=["approve", "respond"])))
        self.assertEqual(self.made, [{"decisions": [{"type": "respond", "message": "It is paid."}]}])

    def test_is_asked_once_though_its_node_fails_after_the_answer(self) -> None:
        value, calls, failures = requests(REFUND), [{**REFUND, "id": "a"}], [True]
        self.begin(self.graph(value, calls))
        self.decide("approve")
        with self.assertRaises(RuntimeError):
            self.resume(self.graph(value, calls, lambda: failures.pop()))
        # Another process, which does not know the earlier questions.
        self.resume(self.graph(value, calls))
        self.assertEqual(self.made, [{"decisions": [{"type": "approve"}]}] * 2)

    def test_answers_the_middleware_of_javascript_in_its_own_words(self) -> None:
        value = {"actionRequests": [REFUND], "reviewConfigs": [{"actionName": "refund", "allowedDecisions": ["approve", "edit"]}]}
        graph = self.begin(self.graph(value))
        self.decide("approve", decisions=[{"index": 0, "decision": "approve", "args": {"amount": 1}}])
        self.resume(graph)
        self.assertEqual(self.made, [{"decisions": [{"type": "edit", "editedAction": {"name": "refund", "args": {"amount": 1}}}]}])

    def test_is_told_from_other_interrupts(self) -> None:
        for value in ({"action_requests": []}, {"action_requests": "all"}, {"action_requests": [{"name": "a"}]}, "text", None, [REFUND]):
            self.assertIsNone(action_questions("i", value, 0))
        [one] = action_questions("i", {"action_requests": [REFUND], "review_configs": 7}, 0) or []
        self.assertEqual((one.call_id, one.name, one.allows), ("i:0:0", "refund", ("per_call", "edit_args")))

    def test_is_asked_again_where_the_same_call_comes_a_second_time(self) -> None:
        history = [{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "refund", "arguments": '{"x": 1}'}}]}]
        first = Question("i", "refund", {"x": 1}, 0, 0, True)
        [asked] = with_model_ids([first], history)
        [second] = with_model_ids([first._replace(number=1)], history)
        self.assertEqual((asked.call_id, second.call_id), ("a", "i:1:0"))

        def latest(call_id: str) -> dict[str, Any]:
            return {"pending_tool_calls": [{"id": call_id, "function": {"arguments": '{"x": 1}'}}]}

        self.assertEqual(unanswered([asked], latest("a")), ([asked], True))
        self.assertEqual(unanswered([second], latest("a")), ([], True))
        self.assertEqual(unanswered([second], latest("i:1:0")), ([second], True))
