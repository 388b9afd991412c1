"""
An agent with one tool that a person must approve. Its model is scripted, so it only needs the server.

    python examples/refund_agent.py order-4711

End it at any moment, even with kill -9, and start it again: it continues where it was.
"""

from __future__ import annotations

import sys
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from waystation_langgraph import WaystationSaver, resume_when_decided


def answer(messages: list[AnyMessage]) -> AIMessage:
    """A model's answer."""
    if isinstance(messages[-1], ToolMessage):
        return AIMessage(f"Done: {messages[-1].content}")
    return AIMessage("", tool_calls=[{"id": "call_1", "name": "issue_refund", "args": {"order": 4711, "amount": 25}}])


def model(state: MessagesState) -> dict[str, Any]:
    return {"messages": [answer(state["messages"])]}


def refund(state: MessagesState) -> dict[str, Any]:
    [call] = state["messages"][-1].tool_calls
    decision = interrupt({"tool": call["name"], "args": call["args"]})
    content = f"refunded {call['args']['amount']}" if decision["approved"] else f"refused: {decision['reason'] or 'no reason'}"
    return {"messages": [ToolMessage(content, tool_call_id=call["id"])]}


def next_of(state: MessagesState) -> str:
    return "refund" if state["messages"][-1].tool_calls else END


builder = StateGraph(MessagesState)
builder.add_node("model", model)
builder.add_node("refund", refund)
builder.add_edge(START, "model")
builder.add_conditional_edges("model", next_of, ["refund", END])
builder.add_edge("refund", "model")
graph = builder.compile(checkpointer=WaystationSaver())


def main() -> None:
    config: RunnableConfig = {"configurable": {"thread_id": sys.argv[1] if len(sys.argv) > 1 else "order-4711"}}
    state = graph.get_state(config)
    if not state.next and not state.values:
        graph.invoke({"messages": [HumanMessage("Refund order 4711")]}, config)
    elif state.next and not state.interrupts:
        graph.invoke(None, config)
    while graph.get_state(config).interrupts:
        print("waiting for a person", flush=True)
        resume_when_decided(graph, config)
    print(graph.get_state(config).values["messages"][-1].content)


if __name__ == "__main__":
    main()
