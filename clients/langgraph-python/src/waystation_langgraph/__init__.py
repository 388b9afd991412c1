"""
Stores the checkpoints of LangGraph in Waystation.

    from waystation_langgraph import WaystationSaver, resume_when_decided

    graph = builder.compile(checkpointer=WaystationSaver())
    config = {"configurable": {"thread_id": "order-4711"}}
    graph.invoke({"messages": [("user", "Refund order 4711")]}, config)
    resume_when_decided(graph, config)  # waits for a person, then resumes
"""

from ._resume import Decision, aresume_when_decided, resume_when_decided
from ._saver import WaystationSaver

__version__ = "0.1.0"

__all__ = ["Decision", "WaystationSaver", "__version__", "aresume_when_decided", "resume_when_decided"]
