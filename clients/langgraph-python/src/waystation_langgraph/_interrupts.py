"""The interrupts of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME, SCHEDULED

#: The task in whose name LangGraph writes what is for all tasks.
NO_TASK = "00000000-0000-0000-0000-000000000000"
#: A task that wrote nothing else has not finished.
_UNFINISHED = {ERROR, "__error_source_node__", INTERRUPT, RESUME, SCHEDULED}


class Question(NamedTuple):
    """An interrupt that a person is asked about."""

    interrupt_id: str
    """LangGraph's. All interrupts of a node, one after the other, have the same."""
    number: int
    """How many interrupts of the node were answered before."""
    value: Any

    @property
    def call_id(self) -> str:
        """No other question of the checkpoint has it, so that a decision about one never answers the next."""
        return f"{self.interrupt_id}:{self.number}"


def questions_in(writes: Iterable[tuple[str, Any]]) -> list[Question]:
    """Those of one task, by what it wrote: channels with their values."""
    last = dict(writes)  # of both channels the last write counts
    answers = last.get(RESUME)
    number = len(answers) if isinstance(answers, list) else 0
    found = last.get(INTERRUPT)
    interrupts = found if isinstance(found, (list, tuple)) else ()
    return [Question(str(one.id), number, one.value) for one in interrupts if hasattr(one, "id") and hasattr(one, "value")]


def waiting_in(pending_writes: Sequence[tuple[str, str, Any]]) -> list[Question] | None:
    """Those of all tasks that have not finished; None where no task was interrupted."""
    by_task: dict[str, list[tuple[str, Any]]] = {}
    for task_id, channel, value in pending_writes:
        by_task.setdefault(task_id, []).append((channel, value))
    if not any(channel == INTERRUPT for _, channel, _ in pending_writes):
        return None
    unfinished = [writes for writes in by_task.values() if all(channel in _UNFINISHED for channel, _ in writes)]
    return [question for writes in unfinished for question in questions_in(writes)]
