"""Reports runs from outside."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from ._decisions import ENDED
from ._forks import tell_of_forks
from ._questions import Question, QuestionNumbers, asking_members, unanswered, with_model_ids
from ._requests import check_taken
from .errors import NoDecisionError
from .types import RunIds

if TYPE_CHECKING:
    from ._api_runners import RunnersApi

#: Limit of remembered steps, besides those with questions yet to be asked.
_MOST_REMEMBERED = 200
#: Limit of steps with questions yet to be asked. A step that never comes, because the server refused it, must not stay forever.
_MOST_TO_ASK = 1_000
#: Threads share locks; with this many, waits for another thread are rare.
_LOCKS = 64
#: Replaces the task of questions that another process has asked.
_ANOTHER = ""


class _Known:
    """What is known of a step."""

    def __init__(self) -> None:
        self.history: Sequence[Any] | None = None
        """None until the step is reported or read here."""
        self.fields: Mapping[str, Any] = {}
        """The step's other members except its status; events that ask people carry them, too."""
        self.open: dict[str, Sequence[Question]] = {}
        """Unanswered questions, by task."""

    @property
    def is_to_ask(self) -> bool:
        """Whether people have yet to be asked when the step comes: nothing else knows the questions."""
        return self.history is None and bool(self.open)


class StepReporter:
    """
    Reports a run from outside, such as that of a graph engine whose tasks run in parallel and ask people questions on top of a step.
    Reports are durable when the call returns. Each method takes the thread's turn, so that its reports keep their order; `turn` holds it
    for several calls that belong together.
    """

    def __init__(self, runners: RunnersApi) -> None:
        """`runners`: of a `WaystationApi`."""
        self._runners = runners
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._numbers = QuestionNumbers()
        self.after_fork()
        tell_of_forks(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        self._turns = [threading.RLock() for _ in range(_LOCKS)]

    def turn(self, run: RunIds) -> AbstractContextManager[Any]:
        return self._turns[hash(run.thread_id) % _LOCKS]

    def step(
        self, run: RunIds, step_id: str, history: Sequence[Any], status: str = "in_progress", *, begins: bool = False, **fields: Any
    ) -> None:
        """
        Reports a step, and the questions asked on top of it meanwhile. `step_id`: reporting the same one again changes nothing. `begins`:
        whether the run begins or restarts with it; that reopens an ended run, even one cancelled by a person.

        Raises ApiRefusalError when the server refuses it, for example if another process drives the run.
        """
        with self.turn(run):
            check_taken(self._runners.report(self.step_events(run, step_id, history, status, begins=begins, **fields)))

    def step_events(
        self, run: RunIds, step_id: str, history: Sequence[Any], status: str = "in_progress", *, begins: bool = False, **fields: Any
    ) -> list[Mapping[str, Any]]:
        """What `step` reports, for callers who report it together with something else."""
        with self.turn(run):
            known = self._known_of(run, step_id)
            known.history, known.fields = history, fields
            begin = [_started(run, f"{step_id}:begin")] if begins else []
            shown = _checkpoint(run, step_id, {**fields, "status": status, "history": history})
            return [*begin, shown, *self.ask_events(run, step_id)]

    def ask_events(self, run: RunIds, step_id: str, again: str = "") -> list[Mapping[str, Any]]:
        """What `ask` reports, for a step that is known. `again`: the event of the same questions that no longer counts."""
        with self.turn(run):
            known = self._known_of(run, step_id)
            # In the order of the tasks' names: another process may have heard of them in another.
            questions = [one for _, found in sorted(known.open.items()) for one in found]
            if not questions or known.history is None:
                return []
            asking = asking_members(with_model_ids(questions, known.history))
            # Without their names: another process may show the same question by another one.
            same = [[call["id"], call["function"]["arguments"]] for call in asking["pending_tool_calls"]]
            digest = hashlib.sha256((json.dumps(same) + again).encode()).hexdigest()
            waiting = {**known.fields, "status": "waiting_for_approval", "history": known.history, **asking}
            return [_checkpoint(run, f"{step_id}:{digest}", waiting)]

    def knows(self, run: RunIds, step_id: str) -> bool:
        return self._known_of(run, step_id).history is not None

    def recall(self, run: RunIds, step_id: str, history: Sequence[Any], **fields: Any) -> None:
        """Says what a step held that was reported before, for what is asked on top of it."""
        with self.turn(run):
            known = self._known_of(run, step_id)
            known.history, known.fields = history, fields

    def numbered(self, questions: Iterable[Question]) -> list[Question]:
        """The same questions with the numbers that this process knows: those of a graph within a task, which the graph around it asks."""
        return [self._numbers.of(one) for one in questions]

    def note(self, run: RunIds, step_id: str, task_id: str, questions: Sequence[Question]) -> None:
        """
        Takes note of what a task asks; it takes the place of what the task asked before, and of what `take_up` found: each task that has
        not finished runs again, and asks for itself.
        """
        with self.turn(run):
            found = self._known_of(run, step_id).open
            found.pop(task_id, None)
            found.pop(_ANOTHER, None)
            if questions:
                found[task_id] = questions

    def answered(self, run: RunIds, step_id: str, question_id: str | None = None) -> None:
        """Takes note that a question was answered, without an id all of them: the tasks that asked go on, and ask for themselves."""
        with self.turn(run):
            found = self._known_of(run, step_id).open
            for task_id, questions in list(found.items()):
                if question_id is None or any(question_id in (one.id, one.call_id) for one in questions):
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

    def take_up(self, run: RunIds, step_id: str, history: Sequence[Any], questions: Iterable[Question], **fields: Any) -> list[Question]:
        """
        For a process that goes on with a run, which another process may have driven: gives the questions of a step that nobody has
        answered, after people were asked, unless they were before.

        `history`: of the step; `fields`: its others. `questions`: of the tasks that have not finished.
        Raises NoDecisionError where a person has cancelled the run. One that was cancelled with the run that called it begins again, if
        a person has retried that one since, or a run between them. ApiRefusalError when the server refuses it: then nobody is asked.
        """
        with self.turn(run):
            latest = self._runners.latest(run.thread_id, trace_id=run.trace_id, history="none") or {}
            left, are_asked = unanswered(with_model_ids(self.numbered(questions), history), latest)
            self.recall(run, step_id, history, **fields)
            begin: list[dict[str, Any]] = []
            again, status = "", latest.get("status")
            if status == "cancelled":
                self._check_retried(run)
                # Another one for each time that the run was cancelled.
                again, times = str(latest.get("event_id")), [latest.get("event_id"), latest.get("updated_at")]
                begin = [_started(run, f"{step_id}:begin:{hashlib.sha256(json.dumps(times).encode()).hexdigest()}")]
            elif status not in ENDED and (latest.get("approval") or {}).get("status") == "superseded":
                again = str(latest.get("event_id"))  # it began again, but nobody was asked
            if again or not are_asked:
                self.answered(run, step_id)
                self.note(run, step_id, _ANOTHER, left)
                self._ask(run, step_id, again=again, begin=begin)
        return left

    def _check_retried(self, run: RunIds) -> None:
        runs = list(self._runners.each_run(run.thread_id))
        own = [one for one in runs if one["trace_id"] == run.trace_id and run.agent_id in (None, one["agent_id"])]
        cancelled = {one.get("cancelled_with") for one in own} - {None}
        above, found = {one["parent_trace_id"] for one in own if one.get("cancelled_with")} | cancelled, 0
        while len(above) > found:  # also those between the run and the one that was cancelled
            found = len(above)
            above |= {one["parent_trace_id"] for one in runs if one["trace_id"] in above - cancelled}
        if not any(one["trace_id"] in above and one["status"] not in ENDED for one in runs):
            raise NoDecisionError(f"a person has cancelled the run {run.trace_id}")

    def _ask(
        self,
        run: RunIds,
        step_id: str,
        history: Callable[[], Sequence[Any] | None] | None = None,
        *,
        again: str = "",
        begin: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """`again`: the event of the same questions that no longer counts. `begin`: reported before, or in place of the questions."""
        known = self._known_of(run, step_id)
        if known.history is None and history is not None and any(known.open.values()):
            known.history = history()
        events = [*begin, *self.ask_events(run, step_id, again)]
        if events:
            check_taken(self._runners.report(events))

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


def _started(run: RunIds, event_id: str) -> dict[str, Any]:
    return {"type": "thread_started", "id": event_id, "data": run.members()}


def _checkpoint(run: RunIds, event_id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "checkpoint", "id": event_id, "data": {**run.members(), **fields}}
