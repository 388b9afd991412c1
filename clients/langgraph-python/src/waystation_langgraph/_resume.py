"""Going on with a graph after a person has decided."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig

from ._interrupts import Question
from ._saver import WaystationSaver

#: Seconds for which a thread waits for a decision at once: it outlives the end of its task for so long at most.
_PIECE = 10.0
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
    Returns what `graph.invoke` does. Raises ValueError where the graph has no WaystationSaver, or waits for nobody; NoDecisionError where
    nobody can decide any more; TimeoutError.
    """
    saver = _saver_of(graph)
    questions = _asked(saver.questions(config))
    approval = saver.client.wait_for_approval(saver.run_of(config), timeout).get("approval") if questions else None
    return graph.invoke(_input_of(questions, approval, to_resume), config)


async def aresume_when_decided(
    graph: Any, config: RunnableConfig, *, to_resume: ToResume | None = None, timeout: float | None = None
) -> Any:
    """The same with `graph.ainvoke`. Each wait has a thread of its own, none of the loop's."""
    saver = _saver_of(graph)
    questions = _asked(await asyncio.to_thread(saver.questions, config))
    approval = await _decision(saver, config, timeout) if questions else None
    return await graph.ainvoke(_input_of(questions, approval, to_resume), config)


async def _decision(saver: WaystationSaver, config: RunnableConfig, timeout: float | None) -> Mapping[str, Any] | None:
    """In the threads of the loop, many waits would leave no room for the calls of the saver."""
    loop = asyncio.get_running_loop()
    decided: asyncio.Future[Mapping[str, Any] | None] = loop.create_future()

    def settle(outcome: Callable[[], None]) -> None:
        if not decided.done():  # it may have been cancelled
            outcome()

    def wait() -> None:
        try:
            approval = _waited_for(saver, config, timeout, lambda: decided.done() or loop.is_closed())
            outcome = partial(decided.set_result, approval)
        except BaseException as error:
            outcome = partial(decided.set_exception, error)
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=copy_context().run, args=(wait,), name="waystation-decision", daemon=True).start()
    return await decided


def _waited_for(
    saver: WaystationSaver, config: RunnableConfig, timeout: float | None, is_over: Callable[[], bool]
) -> Mapping[str, Any] | None:
    """`is_over`: whether nobody wants the answer any more."""
    deadline = float("inf") if timeout is None else time.monotonic() + timeout
    while not is_over():
        piece = min(_PIECE, max(deadline - time.monotonic(), 0.0))
        try:
            return saver.client.wait_for_approval(saver.run_of(config), piece).get("approval")
        except TimeoutError:
            if time.monotonic() >= deadline:
                raise
    return None


def _saver_of(graph: Any) -> WaystationSaver:
    saver = getattr(graph, "checkpointer", None)
    if not isinstance(saver, WaystationSaver):
        raise ValueError("The graph has no WaystationSaver as its checkpointer.")
    return saver


def _asked(questions: Sequence[Question] | None) -> Sequence[Question]:
    if questions is None:
        raise ValueError("The graph waits for nobody.")
    return questions


def _input_of(questions: Iterable[Question], approval: Mapping[str, Any] | None, to_resume: ToResume | None) -> Any:
    """Each answer with the id of its interrupt: a node gets no other's."""
    from langgraph.types import Command  # only here: the saver itself does without the package of graphs

    decisions = {question.interrupt_id: _decision_on(question, approval or {}) for question in questions}
    if not decisions:
        return None
    given = {interrupt_id: to_resume(one) if to_resume else one for interrupt_id, one in decisions.items()}
    if all(_INTERRUPT_ID.fullmatch(interrupt_id) for interrupt_id in given):
        return Command(resume=given)
    [answer] = given.values()
    return Command(resume=answer)


def _decision_on(question: Question, approval: Mapping[str, Any]) -> Decision:
    for call in approval.get("tool_calls") or []:
        if call.get("id") == question.call_id:
            decided = call.get("decision")
            edited = call.get("edited_args")
            return Decision(
                approved=approval.get("status") == "approved" if decided is None else decided == "approve",
                reason=approval.get("reason"),
                decided_by=approval.get("decided_by"),
                value=question.value if edited is None else edited,
            )
    raise ValueError(f"Nobody was asked about the interrupt {question.interrupt_id}.")
