"""Reports runs from outside."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import ApiRefusalError
from .types import RunIds

if TYPE_CHECKING:
    from ._api import RunnersApi

#: Steps that are remembered, besides those about which people have yet to be asked.
_MOST_REMEMBERED = 200
#: Steps about which people have yet to be asked. One that never comes, because the server refused it, must not stay for good.
_MOST_TO_ASK = 1_000
#: Threads share locks; more of them make waits for another thread rare.
_LOCKS = 64
#: Levels below which a value is only shown as text.
_MOST_LEVELS = 50


class Question(NamedTuple):
    """What a person is to decide about: a tool call of the run."""

    id: str
    """No other question of the run has it."""
    name: str
    """Of the tool."""
    args: Any


class _Known:
    """What is known of a step."""

    def __init__(self) -> None:
        self.history: Sequence[Any] | None = None
        """None until the step was reported or read here."""
        self.open: dict[str, Sequence[Question]] = {}
        """Questions that nobody has answered, by their tasks."""

    @property
    def is_to_ask(self) -> bool:
        """Whether people have yet to be asked, once the step comes: nothing else knows of it."""
        return self.history is None and bool(self.open)


class StepReporter:
    """
    Reports a run from outside, such as that of a graph engine, whose tasks run side by side and ask people questions on top of a step.
    What it reports is durable when the call returns. Each method takes the turn of the thread, so that reports of a thread keep their
    order; `turn` gives it for several calls that belong together.
    """

    def __init__(self, runners: RunnersApi) -> None:
        """`runners`: of a `WaystationApi`."""
        self._runners = runners
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._lock = threading.Lock()
        self._turns = [threading.RLock() for _ in range(_LOCKS)]

    def turn(self, run: RunIds) -> AbstractContextManager[Any]:
        return self._turns[hash(run.thread_id) % _LOCKS]

    def step(self, run: RunIds, step_id: str, history: Sequence[Any], status: str = "in_progress", **fields: Any) -> None:
        """
        Reports a step, and what was asked on top of it meanwhile. `step_id`: the same one reported again changes nothing.

        Raises ApiRefusalError when the server refuses it, such as where another process drives the run.
        """
        with self.turn(run):
            self._known_of(run, step_id).history = history
            self._report(run, step_id, {**fields, "status": status, "history": history})
            self.ask(run, step_id)

    def knows(self, run: RunIds, step_id: str) -> bool:
        return self._known_of(run, step_id).history is not None

    def recall(self, run: RunIds, step_id: str, history: Sequence[Any]) -> None:
        """Says what a step held that was reported before, for what is asked on top of it."""
        with self.turn(run):
            self._known_of(run, step_id).history = history

    def note(self, run: RunIds, step_id: str, task_id: str, questions: Sequence[Question]) -> None:
        """Takes note of what a task asks; it takes the place of what the task asked before."""
        with self.turn(run):
            found = self._known_of(run, step_id).open
            found.pop(task_id, None)
            if questions:
                found[task_id] = questions

    def answered(self, run: RunIds, step_id: str, question_id: str | None = None) -> None:
        """Takes note that a question was answered, without an id all of them: the tasks that asked go on, and ask for themselves."""
        with self.turn(run):
            found = self._known_of(run, step_id).open
            for task_id, questions in list(found.items()):
                if question_id is None or any(one.id == question_id for one in questions):
                    del found[task_id]

    def ask(self, run: RunIds, step_id: str, history: Callable[[], Sequence[Any] | None] | None = None) -> None:
        """
        Asks a person about all open questions of a step. Whoever asks the same again, also in another process, asks nobody twice. Where
        the step is yet to come, it is asked with the step.

        `history`: of the step, for one that this process has not reported; it gives None where there is no such step. Raises
        ApiRefusalError when the server refuses it: then nobody is asked.
        """
        with self.turn(run):
            self._ask(run, step_id, history)

    def _ask(self, run: RunIds, step_id: str, history: Callable[[], Sequence[Any] | None] | None) -> None:
        known = self._known_of(run, step_id)
        questions = [one for found in known.open.values() for one in found]
        if not questions:
            return
        if known.history is None and history is not None:
            known.history = history()
        if known.history is None:
            return
        calls = [tool_call(one.id, one.name, one.args) for one in sorted(questions, key=lambda one: one.id)]
        event_id = f"{step_id}:{hashlib.sha256(json.dumps(calls).encode()).hexdigest()}"
        self._report(run, event_id, {"status": "waiting_for_approval", "history": known.history, "pending_tool_calls": calls})

    def _known_of(self, run: RunIds, step_id: str) -> _Known:
        key = (run.thread_id, step_id)
        with self._lock:
            known = self._known.setdefault(key, _Known())
            self._known.move_to_end(key)
            if len(self._known) > _MOST_REMEMBERED:
                spare = [one for one, of_it in self._known.items() if not of_it.is_to_ask]
                to_ask = [one for one, of_it in self._known.items() if of_it.is_to_ask]
                for one in (*spare[:-_MOST_REMEMBERED], *to_ask[:-_MOST_TO_ASK]):
                    del self._known[one]
        return known

    def _report(self, run: RunIds, event_id: str, fields: Mapping[str, Any]) -> None:
        answer = self._runners.report([{"type": "checkpoint", "id": event_id, "data": {**run.members(), **fields}}])
        for rejected in answer.get("rejected") or []:
            refusal = ApiRefusalError(207, f"the report was refused ({rejected.get('code')}): {rejected.get('detail')}")
            refusal.problem = rejected
            raise refusal


def tool_call(id: str | None, name: str, args: Any) -> dict[str, Any]:
    """A tool call in the shape of OpenAI's chat API, which people and models read."""
    text = json.dumps(as_json(args), ensure_ascii=False, default=str)
    return {"id": id, "type": "function", "function": {"name": name, "arguments": text}}


def as_json(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """A value as JSON. What JSON cannot hold becomes text: showing a value must not end a program."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return value if value.is_finite() else str(value)
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    if levels == 0:
        return str(value)
    if hasattr(value, "model_dump"):
        value = value.model_dump()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): as_json(one, levels - 1) for name, one in value.items()}
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=repr)  # their order differs between processes
    if isinstance(value, (list, tuple)):
        return [as_json(one, levels - 1) for one in value]
    return str(value)
