"""
A graph of many steps, with a checkpointer: `hundred_steps.py waystation` or `hundred_steps.py sqlite FILE`. Prints the milliseconds of
each run.
"""

from __future__ import annotations

import json
import operator
import sqlite3
import sys
import time
import uuid
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

STEPS = 100


class State(TypedDict):
    messages: Annotated[list[Any], operator.add]


def saver() -> Any:
    if sys.argv[1] == "waystation":
        from waystation_langgraph import WaystationSaver

        return WaystationSaver()
    from langgraph.checkpoint.sqlite import SqliteSaver  # type: ignore[import-not-found]

    connection = sqlite3.connect(sys.argv[2], check_same_thread=False)
    made = SqliteSaver(connection)
    made.setup()
    connection.execute("PRAGMA synchronous = FULL")  # as durable as Waystation
    return made


def work(state: State) -> dict[str, Any]:
    return {"messages": [{"role": "assistant", "content": f"Step {len(state['messages'])}"}]}


def main() -> None:
    builder = StateGraph(State)
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    builder.add_conditional_edges("work", lambda state: END if len(state["messages"]) > STEPS else "work")
    graph = builder.compile(checkpointer=saver())
    times = []
    for _ in range(5):  # the first runs are slow with any checkpointer
        config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}, "recursion_limit": STEPS + 10}
        begin = time.monotonic()
        graph.invoke({"messages": [{"role": "user", "content": "Begin"}]}, config)
        times.append(round((time.monotonic() - begin) * 1000))
    print(json.dumps(times))


main()
