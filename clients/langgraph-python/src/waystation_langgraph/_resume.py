"""Resuming a graph after a person has decided."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from waystation import CallDecision, Question

from ._actions import is_action, response_to
from ._saver import WaystationSaver

#: LangGraph accepts answers only for ids of this form.
_INTERRUPT_ID = re.compile(r"[0-9a-f]{32}")


class _Decided(TypedDict):
    """See `Decision`."""

    approved: bool
    """Whether the person approved, or answered the questions of the interrupt."""
    reason: str | None
    decided_by: str | None
    value: Any
    """The interrupt's value, possibly edited by the person."""


class Decision(_Decided, total=False):
    """A person's decision on an interrupt: the result of `interrupt()` in the graph, unless LangChain's middleware has called it."""

    answers: Mapping[str, str | list[str]]
    """By question id; only if the interrupt asked questions and a person answered them."""


ToResume = Callable[[Decision], Any]


def resume_when_decided(graph: Any, config: RunnableConfig, *, to_resume: ToResume | None = None, timeout: float | None = None) -> Any:
    """
    Waits until a person has decided the graph's interrupts, even while the server is away, and resumes the graph. If all were answered
    before the process died, it resumes at once.

    `to_resume`: returns the result of `interrupt()`. Default: the decision itself, or a person's edited text if the interrupt asked with a
    text. LangChain's middleware always gets its own `decisions`.
    `timeout`: seconds to wait for the person; None waits forever.
    Returns the result of `graph.invoke`. Raises ValueError if the graph has no WaystationSaver, waits for nobody, or has several
    interrupts without usable ids; NoDecisionError when nobody can decide any more, or a person has cancelled the run; TimeoutError.
    """
    saver, waiting = _waiting_in(graph, config)
    decisions = saver.client.api.runners.decisions_about(saver.run_of(config), waiting, timeout)
    return graph.invoke(_input_of(waiting, decisions, to_resume), config)


async def aresume_when_decided(
    graph: Any, config: RunnableConfig, *, to_resume: ToResume | None = None, timeout: float | None = None
) -> Any:
    """The same with `graph.ainvoke`. Each wait has its own thread outside the loop's pool."""
    saver, waiting = await asyncio.to_thread(_waiting_in, graph, config)
    decisions = await saver.client.api.runners.adecisions_about(saver.run_of(config), waiting, timeout)
    return await graph.ainvoke(_input_of(waiting, decisions, to_resume), config)


def _waiting_in(graph: Any, config: RunnableConfig) -> tuple[WaystationSaver, Sequence[Question]]:
    saver = getattr(graph, "checkpointer", None)
    if not isinstance(saver, WaystationSaver):
        raise ValueError("The graph has no WaystationSaver as its checkpointer.")
    waiting = saver.waiting(config)
    if waiting is None:
        raise ValueError("The graph waits for nobody.")
    # An answer without an id would go to all of them.
    if len({one.id for one in waiting}) > 1 and not all(_INTERRUPT_ID.fullmatch(one.id) for one in waiting):
        raise ValueError("The graph waits with several interrupts, and LangGraph takes no answer by the id of one of them.")
    return saver, waiting


def _input_of(waiting: Sequence[Question], decisions: Sequence[CallDecision], to_resume: ToResume | None) -> Any:
    """Each answer with the id of its interrupt, so that no node gets another's."""
    from langgraph.types import Command  # only here: the saver alone does not need the graph package

    if not waiting:
        return None
    made: dict[str, list[tuple[Question, CallDecision]]] = {}
    for pair in zip(waiting, decisions, strict=True):
        made.setdefault(pair[0].id, []).append(pair)
    given = {interrupt_id: _answer_of(pairs, to_resume) for interrupt_id, pairs in made.items()}
    by_id = all(_INTERRUPT_ID.fullmatch(interrupt_id) for interrupt_id in given)
    return Command(resume=given if by_id else next(iter(given.values())))


def _answer_of(pairs: Sequence[tuple[Question, CallDecision]], to_resume: ToResume | None) -> Any:
    """The value for one interrupt to return."""
    question, made = pairs[0]
    if is_action(question):
        return response_to([one for one, _ in pairs], [one for _, one in pairs])
    decision = Decision(approved=made.approved, reason=made.reason, decided_by=made.decided_by, value=made.args)
    if made.answers is not None:
        decision["answers"] = made.answers
    if to_resume:
        return to_resume(decision)
    is_answer = made.approved and isinstance(question.args, str) and isinstance(made.args, str) and made.args != question.args
    return made.args if is_answer else decision
