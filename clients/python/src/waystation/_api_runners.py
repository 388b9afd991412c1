"""Requests of agents' programs: runs, effects and leases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ._api_threads import Group, Json
from ._decisions import CallDecision, call_decisions
from ._questions import Question
from ._requests import Query, place
from ._waiting import in_own_thread
from .errors import ApiRefusalError
from .types import Checkpoint, RunIds


class RunnersApi(Group):
    """Reports and checkpoints, request by request. With a token of scope `runner` or `admin`."""

    def report(self, events: Sequence[Mapping[str, Any]]) -> Json:
        """Stores events. With an `id` each, they can safely be sent again. `rejected` has those that were refused for good."""
        is_repeatable = all(event.get("id") is not None for event in events)
        return cast(Json, self._requests.send("POST", "/v1/runners/events", body={"events": [*events]}, is_repeatable=is_repeatable))

    def latest(self, thread_id: str, **query: Query) -> Checkpoint | None:
        """The latest checkpoint of a thread, or of a run or an agent in it; None if there is none."""
        try:
            return cast(Checkpoint, self._requests.send("GET", f"{_thread(thread_id)}/latest", query=query))
        except ApiRefusalError as refusal:
            # Any other 404 is not from the server; None would make the run begin again.
            if refusal.status == 404 and "code" in refusal.problem:
                return None
            raise

    def each_thread(self, **query: Query) -> Iterator[Json]:
        """The threads of the token's agents, ordered by id. `prefix` selects ids that begin with it."""
        return self._requests.items(lambda **page: self._requests.send("GET", "/v1/runners/threads", query=page), query)

    def each_run(self, thread_id: str, **query: Query) -> Iterator[Json]:
        """The runs of a thread, ordered by their first reports."""
        path = f"{_thread(thread_id)}/runs"
        return self._requests.items(lambda **page: self._requests.send("GET", path, query=page), query)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes a thread with everything in it, if only the token's agents took part."""
        self._requests.send("DELETE", _thread(thread_id))

    def watch(self, thread_id: str, timeout: float | None = None, **query: Query) -> Iterator[Checkpoint]:
        """
        Yields the latest checkpoint, and again after each change, without polling. May skip intermediate states, but never the last.

        `timeout`: seconds after which it raises TimeoutError; None waits forever, even while the server is away.
        """
        return self._requests.changes(f"{_thread(thread_id)}/latest", query, timeout)

    def decisions(self, run: RunIds, timeout: float | None = None) -> dict[str, CallDecision]:
        """
        Waits until a person has decided a run's pending tool calls, even while the server is away: the decision on each call, by its id.

        `timeout`: seconds; None waits forever. Raises NoDecisionError when nobody can decide any more, ApiRefusalError, TimeoutError.
        """
        for checkpoint in self.watch(run.thread_id, timeout, trace_id=run.trace_id, history="none"):
            decided = call_decisions(checkpoint)
            if decided is not None:
                return decided
        raise AssertionError  # a watch has no end

    def decisions_about(self, run: RunIds, questions: Sequence[Question], timeout: float | None = None) -> list[CallDecision]:
        """
        Waits as `decisions` does: the decision on each question, in order; returns at once without questions. Its `args` are the
        question's own unless a person has changed them: a tool call only has the text of values other than objects.

        Raises ValueError if nobody was asked about a question, and as `decisions` does.
        """
        return _in_order(questions, self.decisions(run, timeout) if questions else {})

    async def adecisions(self, run: RunIds, timeout: float | None = None) -> dict[str, CallDecision]:
        """The same for asyncio. Each wait has its own thread outside the loop's pool, which many waits would exhaust."""
        return await in_own_thread(lambda piece: self.decisions(run, piece), timeout)

    async def adecisions_about(self, run: RunIds, questions: Sequence[Question], timeout: float | None = None) -> list[CallDecision]:
        """The same for asyncio."""
        return _in_order(questions, await self.adecisions(run, timeout) if questions else {})


class EffectsApi(Group):
    """Tool calls with side effects, request by request; `WaystationClient.effect` does all of it."""

    def list(self, thread_id: str, **query: Query) -> Json:
        """One page of the effects of a thread."""
        return cast(Json, self._requests.send("GET", f"{_thread(thread_id)}/effects", query=query))

    def each(self, **query: Query) -> Iterator[Json]:
        """Effects of all threads, such as those in doubt. With scope `approver`, `reader` or `admin`."""
        return self._requests.items(lambda **page: self._requests.send("GET", "/v1/effects", query=page), query)

    def get(self, thread_id: str, key: str, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", f"{_thread(thread_id)}/effects/{place(key)}", query=query))

    def claim(self, thread_id: str, claim: Mapping[str, Any]) -> Json:
        """
        `state` is `started` if the caller should make the call now, `completed` if it was made before. Raises ApiRefusalError with status
        409 while nobody may make it.
        """
        is_repeatable = claim.get("claim_id") is not None
        return cast(Json, self._requests.send("POST", f"{_thread(thread_id)}/effects", body=claim, is_repeatable=is_repeatable))

    def settle(self, thread_id: str, key: str, outcome: Mapping[str, Any], **query: Query) -> Json:
        """Records the outcome of an effect. With scope `approver` or `admin`, also of another agent's effect that is in doubt."""
        return cast(Json, self._requests.send("PUT", f"{_thread(thread_id)}/effects/{place(key)}", query=query, body=outcome))


class LeasesApi(Group):
    """Leases of runs, request by request; `WaystationClient.lease` also renews them."""

    def claim(self, run: RunIds, claim: Mapping[str, Any]) -> Json:
        """Raises ApiRefusalError with status 409 while another process holds it."""
        return cast(Json, self._requests.send("POST", _lease(run), body=claim, is_repeatable=True))

    def get(self, run: RunIds, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", _lease(run), query=query))

    def release(self, run: RunIds, fence: int) -> None:
        self._requests.send("DELETE", _lease(run), query={"fence": fence})


def _in_order(questions: Sequence[Question], decisions: Mapping[str, CallDecision]) -> list[CallDecision]:
    made: list[CallDecision] = []
    for one in questions:
        decision = decisions.get(one.call_id)
        if decision is None:
            raise ValueError(f"Nobody was asked about {one.call_id}.")
        made.append(decision if decision.is_edited else decision._replace(args=one.args))
    return made


def _thread(thread_id: str) -> str:
    return f"/v1/runners/threads/{place(thread_id)}"


def _lease(run: RunIds) -> str:
    return f"{_thread(run.thread_id)}/runs/{place(run.trace_id)}/lease"
