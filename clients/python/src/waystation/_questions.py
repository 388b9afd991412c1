"""Questions that programs ask people."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ._forks import tell_of_forks
from ._json import dumps
from ._messages import tool_call

#: Limit of questions whose numbers are remembered.
_MOST_REMEMBERED = 200
#: The server's limit for a call that asks questions, in bytes, without its id.
_MAX_CALL_BYTES = 64 * 1024 - 1024
#: Characters of arguments that are too long to be shown with questions.
_SHOWN_ARGUMENTS = 4_000


class Question(NamedTuple):
    """A tool call of the run that a person should decide."""

    id: str
    """Unique in the run, except for questions with numbers."""
    name: str
    """Name of the tool."""
    args: Any
    number: int | None = None
    """
    For engines that rerun a task after each answer and give all its questions the same id: the number of answers before this one, so that
    a decision about one never answers the next.
    """
    part: int | None = None
    """The position among questions that share an id because they are answered together."""
    is_model_call: bool = False
    """Whether the model requested the call. If the model's last message has the call, the question takes its id from there."""
    allows: Sequence[str] = ()
    """What people may do besides deciding all alike: `edit_args`, `per_call`. Declared if all questions of the step allow it."""
    context: Any = None
    """The program's own data for the question. Not reported."""
    model_id: str | None = None
    """
    The model's id of the call, if known. Without it, equal calls of a message are told apart only by their order. `with_model_ids` sets
    it, and removes that of a call missing from the message.
    """
    allowed_decisions: Sequence[str] | None = None
    """Possible decisions, of `approve`, `edit`, `reject`; None for those that its features allow."""
    questions: Sequence[Mapping[str, Any]] = ()
    """
    The call's questions, 1 to 20: people answer them instead of approving the call. Each is a mapping with `text` and optionally `id`
    (`q0`, `q1` and so on by default), `header`, `options` (`label`, `value`, `description`), `multiple`, `free_text`, `required`,
    `default`.
    """

    @property
    def call_id(self) -> str:
        """The id of the tool call."""
        if self.model_id is not None and not self.number:
            return self.model_id
        return ":".join(str(one) for one in (self.id, self.number, self.part) if one is not None)

    @property
    def arguments(self) -> str:
        """The arguments of the tool call, as JSON."""
        return cast(str, tool_call(None, "", self.args)["function"]["arguments"])


def with_model_ids(questions: Iterable[Question], history: Sequence[Any]) -> list[Question]:
    """The same with the ids of the model's calls, in order. `history`: in the shape of OpenAI's chat API."""
    calls = _model_calls(history)
    found: list[Question] = []
    for one in questions:
        if one.is_model_call:
            called = (one.name, one.arguments)
            known = one.model_id
            model_id = next((id for id, *same in calls if tuple(same) == called and known in (None, id)), None)
            calls = [call for call in calls if call[0] != model_id]  # each call matches only one question
            one = one._replace(model_id=model_id)
        found.append(one)
    return found


def _model_calls(history: Sequence[Any]) -> list[tuple[str, Any, Any]]:
    said = next((one for one in reversed(history) if isinstance(one, Mapping) and one.get("role") == "assistant"), {})
    calls = [call for call in said.get("tool_calls") or [] if isinstance(call, Mapping) and isinstance(call.get("id"), str)]
    called = [(call["id"], call.get("function") or {}) for call in calls]
    return [(id, function.get("name"), function.get("arguments")) for id, function in called if isinstance(function, Mapping)]


def asking_members(questions: Sequence[Question]) -> dict[str, Any]:
    """The members of a checkpoint that ask people. Their order does not depend on the process that asks."""
    features = _features_of(questions)
    calls = [_asking_call(one) for one in sorted(questions, key=lambda one: one.call_id)]
    return {"pending_tool_calls": calls, **({"approval_features": features} if features else {})}


def _asking_call(one: Question) -> dict[str, Any]:
    """People answer questions, which the arguments only illustrate: they are shortened if the server would refuse the call as too long."""
    limits = {} if one.allowed_decisions is None else {"allowed_decisions": [*one.allowed_decisions]}
    members = {**limits, **({"questions": [*one.questions]} if one.questions else {})}
    call = tool_call(one.call_id, one.name, one.args)
    if not one.questions or len(dumps({**call, "id": "", **members}).encode()) <= _MAX_CALL_BYTES:
        return {**call, **members}
    arguments = call["function"]["arguments"]
    shortened = f"{arguments[: _SHOWN_ARGUMENTS - 1]}… (shortened from {len(arguments)} characters)"
    return {**tool_call(one.call_id, one.name, shortened), **members}


def _features_of(questions: Sequence[Question]) -> list[str]:
    is_per_call = all("per_call" in one.allows for one in questions)
    calls = [one for one in questions if not one.questions]
    # Calls that allow less declare that themselves.
    is_edited = any("edit_args" in one.allows for one in calls) and all(
        "edit_args" in one.allows or (one.allowed_decisions is not None and "edit" not in one.allowed_decisions) for one in calls
    )
    is_limited = any(one.allowed_decisions is not None for one in questions)
    is_answered = len(calls) < len(questions) or (is_limited and not is_per_call)
    declared = {"edit_args": is_edited, "per_call": is_per_call, "answer": is_answered}
    return [feature for feature, is_declared in declared.items() if is_declared]


class QuestionNumbers:
    """
    Numbers of questions known to this process. A graph within a task knows the answers given so far; the graph around it, which asks
    people, does not.
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
    arguments = _asking_call(question)["function"]["arguments"]
    ids = [str(call.get("id")) for call in calls if call.get("function", {}).get("arguments") == arguments]
    first = [0 for one in ids if one == question.model_id]
    if question.number is None:
        return first or [0 for one in ids if one == question._replace(model_id=None).call_id]
    end = "" if question.part is None else f":{question.part}"
    places = [one.removesuffix(end).rpartition(":") for one in ids if one.endswith(end)]
    return first + [int(number) for question_id, _, number in places if question_id == question.id and number.isdecimal()]
