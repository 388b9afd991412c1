"""The interrupts of a checkpoint, as questions to people."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME, SCHEDULED
from waystation import Question, tool_call

#: A task that wrote nothing else has not finished.
_UNFINISHED = {ERROR, "__error_source_node__", INTERRUPT, RESUME, SCHEDULED}
#: Interrupts whose numbers are remembered.
_MOST_REMEMBERED = 200


class Interrupted(NamedTuple):
    """An interrupt that a person is asked about."""

    interrupt_id: str
    """LangGraph's. All interrupts of a node, one after the other, have the same."""
    number: int
    """How many interrupts of the node were answered before."""
    value: Any

    @property
    def question(self) -> Question:
        """No other question of the checkpoint has its id, so that a decision about one never answers the next."""
        return Question(f"{self.interrupt_id}:{self.number}", "interrupt", self.value)


def interrupts_in(writes: Iterable[tuple[str, Any]]) -> list[Interrupted]:
    """Those of one task, by what it wrote: channels with their values."""
    last = dict(writes)  # of both channels the last write counts
    answers, found = last.get(RESUME), last.get(INTERRUPT)
    number = len(answers) if isinstance(answers, list) else 0
    interrupts = found if isinstance(found, (list, tuple)) else ()
    return [Interrupted(str(one.id), number, one.value) for one in interrupts if hasattr(one, "id") and hasattr(one, "value")]


def waiting_in(pending_writes: Sequence[tuple[str, str, Any]]) -> list[Interrupted] | None:
    """Those of all tasks that have not finished; None where no task was interrupted."""
    by_task: dict[str, list[tuple[str, Any]]] = {}
    for task_id, channel, value in pending_writes:
        by_task.setdefault(task_id, []).append((channel, value))
    if not any(channel == INTERRUPT for _, channel, _ in pending_writes):
        return None
    unfinished = [writes for writes in by_task.values() if all(channel in _UNFINISHED for channel, _ in writes)]
    return [one for writes in unfinished for one in interrupts_in(writes)]


class Numbers:
    """A graph within a node numbers its interrupts; the graph around it, which asks, has no answers of its own."""

    def __init__(self) -> None:
        self._numbers: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, one: Interrupted) -> Interrupted:
        """The interrupt with the number that this process knows."""
        with self._lock:
            number = max(one.number, self._numbers.pop(one.interrupt_id, 0))
            self._numbers[one.interrupt_id] = number
            if len(self._numbers) > _MOST_REMEMBERED:
                self._numbers.popitem(last=False)
        return one._replace(number=number)


def left_of(waiting: Iterable[Interrupted], latest: Mapping[str, Any]) -> tuple[list[Interrupted], bool]:
    """
    Those that nobody has answered yet, or whose answer did not reach their node, by the latest step of the run, which another process
    may have reported; and whether people were asked about all of them.
    """
    decided = (latest.get("approval") or {}).get("tool_calls") or []
    asked: dict[tuple[str, str], list[int]] = {}
    for call in latest.get("pending_tool_calls") or [call["raw"] for call in decided]:
        interrupt_id, _, number = str(call.get("id")).rpartition(":")
        if number.isdecimal():
            asked.setdefault((interrupt_id, call.get("function", {}).get("arguments")), []).append(int(number))
    found = [(one, asked.get((one.interrupt_id, tool_call(None, "", one.value)["function"]["arguments"]), [])) for one in waiting]
    # A node that has more answers than the question had before it has this one's, too, and failed afterwards.
    left = [(one, numbers) for one, numbers in found if not any(number < one.number for number in numbers)]
    # Only the process that asked knows the number of an interrupt of a graph within a node.
    return [one._replace(number=numbers[0]) if numbers else one for one, numbers in left], all(numbers for _, numbers in left)
