"""Questions that programs ask people."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._forks import tell_of_forks
from ._messages import tool_call

#: Questions whose numbers are remembered.
_MOST_REMEMBERED = 200


class Question(NamedTuple):
    """What a person is to decide about: a tool call of the run."""

    id: str
    """No other question of the run has it, unless they have numbers."""
    name: str
    """Of the tool."""
    args: Any
    number: int | None = None
    """
    For engines that run a task again after each answer, and give all its questions the same id: how many of them were answered before
    this one. Then a decision about one never answers the next.
    """

    @property
    def call_id(self) -> str:
        """The id of the tool call."""
        return self.id if self.number is None else f"{self.id}:{self.number}"


class QuestionNumbers:
    """
    The numbers of questions, as far as this process knows. Where a graph within a task asks, it has the answers that were given, but the
    graph around it, which asks people, has none.
    """

    def __init__(self) -> None:
        self._numbers: OrderedDict[str, int] = OrderedDict()
        self.after_fork()
        tell_of_forks(self)

    def after_fork(self) -> None:
        self._lock = threading.Lock()

    def of(self, question: Question) -> Question:
        """The same question with the highest number that was seen."""
        if question.number is None:
            return question
        with self._lock:
            number = max(question.number, self._numbers.pop(question.id, 0))
            self._numbers[question.id] = number
            if len(self._numbers) > _MOST_REMEMBERED:
                self._numbers.popitem(last=False)
        return question._replace(number=number)


def unanswered(questions: Iterable[Question], latest: Mapping[str, Any]) -> tuple[list[Question], bool]:
    """
    The questions that nobody has answered yet, or whose answer did not reach their task, by the latest step of the run, which another
    process may have reported; and whether people were asked all of them.
    """
    approval = latest.get("approval") or {}
    calls = latest.get("pending_tool_calls") or [call["raw"] for call in approval.get("tool_calls") or []]
    left, are_asked = [], True
    for one in questions:
        numbers = _asked_numbers(one, calls)
        # A task that has more answers than the question had before it has this one's, too, and failed afterwards.
        if one.number is not None and any(number < one.number for number in numbers):
            continue
        are_asked = are_asked and bool(numbers)
        # Only the process that asked knows the number of a question of a graph within a task.
        left.append(one._replace(number=numbers[0]) if one.number is not None and numbers else one)
    return left, are_asked


def _asked_numbers(question: Question, calls: Iterable[Mapping[str, Any]]) -> list[int]:
    """With which numbers people were asked it; 0 for one without."""
    text = tool_call(None, "", question.args)["function"]["arguments"]
    ids = [str(call.get("id")) for call in calls if call.get("function", {}).get("arguments") == text]
    if question.number is None:
        return [0 for one in ids if one == question.id]
    places = [one.rpartition(":") for one in ids]
    return [int(number) for question_id, _, number in places if question_id == question.id and number.isdecimal()]
