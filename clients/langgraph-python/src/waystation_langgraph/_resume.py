"""Going on with a graph after a person has decided."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from waystation import CallDecision

from ._interrupts import Interrupted
from ._saver import WaystationSaver

#: LangGraph takes answers by such ids alone.
_INTERRUPT_ID = re.compile(r"[0-9a-f]{32}")


class Decision(TypedDict):
    """What a person decided about an interrupt: what `interrupt()` returns in the graph."""

    approved: bool
    reason: str | None
    decided_by: str | None
    value: Any
    """The value of the interrupt; changed, where the person was allowed to."""


ToResume = Callable[[Decision], Any]


def resume_when_decided(graph: Any, config: RunnableConfig, *, to_resume: ToResume | None = None, timeout: float | None = None) -> Any:
    """
    Waits until a person has decided about the interrupts of the graph, however long that takes or the server is away meanwhile, and goes
    on with the graph. Where all are answered, but the process died, the graph goes on at once.

    `to_resume`: gives what `interrupt()` is to return; by default the decision itself. `timeout`: seconds to wait for the person; None
    waits for ever.
    Returns what `graph.invoke` does. Raises ValueError where the graph has no WaystationSaver, waits for nobody, or waits with several
    interrupts without usable ids; NoDecisionError where nobody can decide any more; TimeoutError.
    """
    saver = _saver_of(graph)
    waiting = _some(saver.waiting(config))
    decisions = saver.client.api.runners.decisions(saver.run_of(config), timeout) if waiting else {}
    return graph.invoke(_input_of(waiting, decisions, to_resume), config)


async def aresume_when_decided(
    graph: Any, config: RunnableConfig, *, to_resume: ToResume | None = None, timeout: float | None = None
) -> Any:
    """The same with `graph.ainvoke`. Each wait has a thread of its own, none of the loop's."""
    saver = _saver_of(graph)
    waiting = _some(await asyncio.to_thread(saver.waiting, config))
    decisions = await saver.client.api.runners.adecisions(saver.run_of(config), timeout) if waiting else {}
    return await graph.ainvoke(_input_of(waiting, decisions, to_resume), config)


def _saver_of(graph: Any) -> WaystationSaver:
    saver = getattr(graph, "checkpointer", None)
    if not isinstance(saver, WaystationSaver):
        raise ValueError("The graph has no WaystationSaver as its checkpointer.")
    return saver


def _some(waiting: Sequence[Interrupted] | None) -> Sequence[Interrupted]:
    if waiting is None:
        raise ValueError("The graph waits for nobody.")
    # An answer without an id would go to all of them.
    if len(waiting) > 1 and not all(_INTERRUPT_ID.fullmatch(one.interrupt_id) for one in waiting):
        raise ValueError("The graph waits with several interrupts, and LangGraph takes no answer by the id of one of them.")
    return waiting


def _input_of(waiting: Sequence[Interrupted], decisions: Mapping[str, CallDecision], to_resume: ToResume | None) -> Any:
    """Each answer with the id of its interrupt: a node gets no other's."""
    from langgraph.types import Command  # only here: the saver itself does without the package of graphs

    given: dict[str, Any] = {}
    for one in waiting:
        made = decisions.get(one.question.id)
        if made is None:
            raise ValueError(f"Nobody was asked about the interrupt {one.interrupt_id}.")
        value = made.args if made.is_edited else one.value
        decision = Decision(approved=made.approved, reason=made.reason, decided_by=made.decided_by, value=value)
        given[one.interrupt_id] = to_resume(decision) if to_resume else decision
    if not given:
        return None
    by_id = all(_INTERRUPT_ID.fullmatch(interrupt_id) for interrupt_id in given)
    return Command(resume=given if by_id else next(iter(given.values())))
