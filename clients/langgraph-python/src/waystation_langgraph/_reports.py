"""Shows graphs as runs: each checkpoint is a step, an interrupt a tool call that waits for a person."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import quote

from langgraph.checkpoint.serde.types import TASKS
from waystation import ApiRefusalError, RunIds, WaystationClient

from ._interrupts import NO_TASK, Question
from ._plain import chat_call, chat_messages

#: Checkpoints that are remembered, besides those about which people have yet to be asked.
_MOST_REMEMBERED = 200
#: Checkpoints about which people have yet to be asked. One that is never stored, because the server refused it, must not stay for good.
_MOST_TO_ASK = 1_000
#: Threads share locks; more of them make waits for another thread rare.
_LOCKS = 64

#: In place of a task, for questions that another process has asked.
_OF_ALL = ""


class _Shown:
    """What is known of a checkpoint."""

    def __init__(self) -> None:
        self.messages: list[Any] | None = None
        """None until the checkpoint was stored or read here."""
        self.open: dict[str, list[Question]] = {}
        """Questions that nobody has answered, by their tasks."""

    @property
    def is_to_ask(self) -> bool:
        """Whether people have yet to be asked, once the checkpoint is stored: nothing else knows of it."""
        return self.messages is None and bool(self.open)


class RunReporter:
    """Its methods want the turn of the thread, which `turn` gives: what is reported of a thread keeps its order."""

    def __init__(self, client: WaystationClient, timeout: float) -> None:
        self._client = client
        self._timeout = timeout
        self._shown: OrderedDict[tuple[str, str], _Shown] = OrderedDict()
        self._lock = threading.Lock()
        self._numbers: OrderedDict[str, int] = OrderedDict()
        self._turns = [threading.Lock() for _ in range(_LOCKS)]

    def turn(self, run: RunIds) -> AbstractContextManager[Any]:
        return self._turns[hash(run.thread_id) % _LOCKS]

    def step(self, run: RunIds, checkpoint_id: str, channels: Mapping[str, Any]) -> None:
        """Returns when the step, and what was asked on top of it meanwhile, is stored durably."""
        shown = self._shown_of(run, checkpoint_id)
        shown.messages = _messages_in(channels)
        status = "in_progress" if _has_work(channels) else "idle"
        self._report(run, checkpoint_id, {"status": status, "history": chat_messages(shown.messages)})
        self.ask(run, checkpoint_id)

    def note(self, run: RunIds, checkpoint_id: str, task_id: str, questions: list[Question]) -> None:
        """Takes note of what a task wrote: its questions, if any, take the place of those before."""
        found = self._shown_of(run, checkpoint_id).open
        if task_id == NO_TASK:  # an answer to all of them
            found.clear()
        found.pop(task_id, None)
        found.pop(_OF_ALL, None)  # each task that has not finished runs again, and asks for itself
        if questions:
            found[task_id] = questions

    def numbered(self, question: Question) -> Question:
        """
        The question with the number that the graph within the node has given it: the graph around it, which asks, has no answers of its
        own. Wants no turn.
        """
        with self._lock:
            number = max(question.number, self._numbers.pop(question.interrupt_id, 0))
            self._numbers[question.interrupt_id] = number
            if len(self._numbers) > _MOST_REMEMBERED:
                self._numbers.popitem(last=False)
        return question._replace(number=number)

    def knows(self, run: RunIds, checkpoint_id: str) -> bool:
        return self._shown_of(run, checkpoint_id).messages is not None

    def recall(self, run: RunIds, checkpoint_id: str, channels: Mapping[str, Any]) -> None:
        """Says what a stored checkpoint holds, for what is asked on top of it."""
        self._shown_of(run, checkpoint_id).messages = _messages_in(channels)

    def ask(self, run: RunIds, checkpoint_id: str) -> None:
        """Asks a person about all open questions; where the checkpoint is not stored yet, its step will."""
        shown = self._shown_of(run, checkpoint_id)
        questions = [one for found in shown.open.values() for one in found]
        if shown.messages is None or not questions:
            return
        calls = [chat_call(one.call_id, "interrupt", one.value) for one in sorted(questions, key=lambda one: one.call_id)]
        # Another process that asks the same reports the same event.
        event_id = f"{checkpoint_id}:{hashlib.sha256(json.dumps(calls).encode()).hexdigest()}"
        data = {"status": "waiting_for_approval", "history": chat_messages(shown.messages), "pending_tool_calls": calls}
        self._report(run, event_id, data)

    def ask_again(self, run: RunIds, checkpoint_id: str, questions: Iterable[Question]) -> list[Question]:
        """
        Asks a person about questions that another process may have asked already.

        Returns those that nobody has answered yet, or whose answer did not reach their node.
        """
        asked = self._latest_calls(run)
        found = [(one, [number for known, number in asked if known == _known(one)]) for one in questions]
        # A node that has more answers than the question had before it has this one's, too, and failed afterwards.
        left = [(one, numbers) for one, numbers in found if not any(number < one.number for number in numbers)]
        # Only the process that asked knows the number of a question of a graph within a node.
        named = [one._replace(number=numbers[0]) if numbers else one for one, numbers in left]
        if not all(numbers for _, numbers in left):
            self._shown_of(run, checkpoint_id).open = {_OF_ALL: named}
            self.ask(run, checkpoint_id)
        return named

    def _latest_calls(self, run: RunIds) -> list[tuple[tuple[str, str], int]]:
        """Those of the run's latest step: the interrupt with its value as text, and the number of the question."""
        path = f"/v1/runners/threads/{quote(run.thread_id, safe='')}/latest"
        query = {"trace_id": run.trace_id, "history": "none"}
        try:
            latest = self._client.request("GET", path, query=query, timeout=self._timeout)
        except ApiRefusalError as refusal:
            if refusal.status == 404:
                return []
            raise
        decided = (latest.get("approval") or {}).get("tool_calls") or []
        calls = latest.get("pending_tool_calls") or [call["raw"] for call in decided]
        parts = [(*str(call.get("id")).rpartition(":"), call.get("function", {}).get("arguments")) for call in calls]
        return [((interrupt_id, text), int(number)) for interrupt_id, _, number, text in parts if number.isdecimal()]

    def _shown_of(self, run: RunIds, checkpoint_id: str) -> _Shown:
        key = (run.thread_id, checkpoint_id)
        with self._lock:
            shown = self._shown.setdefault(key, _Shown())
            self._shown.move_to_end(key)
            if len(self._shown) > _MOST_REMEMBERED:
                spare = [one for one, known in self._shown.items() if not known.is_to_ask]
                to_ask = [one for one, known in self._shown.items() if known.is_to_ask]
                for one in (*spare[:-_MOST_REMEMBERED], *to_ask[:-_MOST_TO_ASK]):
                    del self._shown[one]
        return shown

    def _report(self, run: RunIds, event_id: str, fields: Mapping[str, Any]) -> None:
        """Raises ApiRefusalError when the event is refused, too: nobody would be asked, or another process drives the run by now."""
        event = {"type": "checkpoint", "id": event_id, "data": {**run.members(), **fields}}
        answer = self._client.request("POST", "/v1/runners/events", {"events": [event]}, timeout=self._timeout)
        for rejected in answer.get("rejected") or []:
            refusal = ApiRefusalError(207, f"the report was refused ({rejected.get('code')}): {rejected.get('detail')}")
            refusal.problem = rejected
            raise refusal


def _known(question: Question) -> tuple[str, str]:
    return question.interrupt_id, chat_call(None, "interrupt", question.value)["function"]["arguments"]


def _messages_in(channels: Mapping[str, Any]) -> list[Any]:
    """The messages of a checkpoint; none where the channel holds others."""
    messages = channels.get("messages")
    return list(messages) if isinstance(messages, (list, tuple)) else []


def _has_work(channels: Mapping[str, Any]) -> bool:
    """Whether a node is to run next: LangGraph says so in channels of its own."""
    return any(_is_work(name, value) for name, value in channels.items())


def _is_work(name: str, value: Any) -> bool:
    if name == TASKS:
        return bool(value)
    if name.startswith("join:"):  # it waits for all that its name lists, and says which have come; a deferred one also whether it may run
        come = value[0] if isinstance(value, tuple) else value
        # Of a name like `join:FIRST+SECOND:NEXT`. A node may have a plus in its own, but each comes once, in any order.
        return len("+".join(come)) == len(name.removeprefix("join:").rpartition(":")[0])
    return name == "__start__" or name.startswith("branch:")
