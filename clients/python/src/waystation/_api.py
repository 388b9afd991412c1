"""
The API call by call, for programs that do more than report: the same groups and names as in TypeScript.

    from waystation import WaystationApi

    api = WaystationApi()
    for thread in api.threads.each(status="waiting_for_approval"):
        print(thread["thread_id"])

Queries are keyword arguments, as `/docs` of the server lists them. What a call takes and gives is the API's JSON. `each...` reads all
pages. Every call raises ApiRefusalError when the server refuses it, and NoAnswerError or TimeoutError when none answers.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ._connection import ApiConnection
from ._decisions import CallDecision, call_decisions
from ._patience import OutageNotice, StandaloneRequests
from ._requests import ApiRequests, Query, place
from ._settings import connection_settings
from ._states import StatesApi
from ._waiting import in_own_thread
from .errors import ApiRefusalError
from .types import Checkpoint, RunIds, ServerEvent

Json = dict[str, Any]


class _Group:
    def __init__(self, requests: ApiRequests) -> None:
        self._requests = requests


class ThreadsApi(_Group):
    """Threads as people see them. With a token of scope `reader` or `admin`."""

    def list(self, **query: Query) -> Json:
        """One page, the thread that changed last first."""
        return cast(Json, self._requests.send("GET", "/threads", query=query))

    def each(self, **query: Query) -> Iterator[Json]:
        return self._requests.items(self.list, query)

    def get(self, thread_id: str, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}", query=query))

    def checkpoints(self, thread_id: str, **query: Query) -> Json:
        """One page, in the order of runs, attempts and steps."""
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}/checkpoints", query=query))

    def each_checkpoint(self, thread_id: str, **query: Query) -> Iterator[Json]:
        return self._requests.items(lambda **page: self.checkpoints(thread_id, **page), query)

    def steps(self, thread_id: str, **query: Query) -> Json:
        """One page of checkpoints without what was said."""
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}/steps", query=query))

    def messages(self, thread_id: str, **query: Query) -> Json:
        """Messages by the places that steps name."""
        return cast(Json, self._requests.send("GET", f"/threads/{place(thread_id)}/messages", query=query))

    def stream(self, thread_id: str, last_event_id: str | None = None) -> Iterator[ServerEvent]:
        """Everything that happens in a thread, the latest checkpoint first."""
        return self._requests.follow(f"/threads/{place(thread_id)}/stream", {}, last_event_id)

    def watch(self, last_event_id: str | None = None, **query: Query) -> Iterator[ServerEvent]:
        """The changes of all threads from now on: `thread`, `approval`, `effect`, `left` and `deleted`."""
        return self._requests.follow("/v1/threads/stream", query, last_event_id)

    def delete(self, thread_id: str) -> None:
        """With scope `admin`."""
        self._requests.send("DELETE", f"/threads/{place(thread_id)}")

    def export(self, thread_id: str) -> Iterator[bytes]:
        """A whole thread as lines of JSON, in pieces of UTF-8, for `import_`. With scope `admin`."""
        return self._requests.pieces(f"/v1/threads/{place(thread_id)}/export")

    def import_(self, lines: str | Iterable[bytes], **query: Query) -> Json:
        """Stores a thread that was exported: what `export` gave, or its text. `**{"as": id}`: another id. With scope `admin`."""
        text = lines if isinstance(lines, str) else b"".join(lines).decode("utf8")
        return cast(Json, self._requests.send_lines("/v1/threads/import", query, text))


class RunsApi(_Group):
    """Cancels runs and starts them again. With a token of scope `admin`."""

    def cancel(self, run: RunIds, reason: str | None = None) -> Json:
        """Ends a run and the runs below it. `reason`: shown with the run, and told to its program."""
        body = None if reason is None else {"reason": reason}
        return cast(Json, self._requests.send("POST", f"{_shown(run)}/cancel", body=body))

    def retry(self, run: RunIds) -> Json:
        """Has the agent do a run again that failed or was cancelled."""
        return cast(Json, self._requests.send("POST", f"{_shown(run)}/retry"))


class ApprovalsApi(_Group):
    """Tool calls that wait for a person. With a token of scope `approver`, `reader` (to look only) or `admin`."""

    def list(self, **query: Query) -> Json:
        """One page; without `status` those that wait."""
        return cast(Json, self._requests.send("GET", "/approvals", query=query))

    def each(self, **query: Query) -> Iterator[Json]:
        return self._requests.items(self.list, query)

    def get(self, trace_id: str, step: int, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", _approval(trace_id, step), query=query))

    def approve(self, trace_id: str, step: int, decision: Mapping[str, Any] | None = None, **query: Query) -> Json:
        """Raises ApiRefusalError with status 409 where it was decided otherwise, or the calls are not those of `digest`."""
        return cast(Json, self._requests.send("POST", f"{_approval(trace_id, step)}/approve", query=query, body=decision or {}))

    def reject(self, trace_id: str, step: int, decision: Mapping[str, Any] | None = None, **query: Query) -> Json:
        """The same for a rejection."""
        return cast(Json, self._requests.send("POST", f"{_approval(trace_id, step)}/reject", query=query, body=decision or {}))

    def stream(self) -> Iterator[ServerEvent]:
        """`opened` and `closed`, `doubt_opened` and `doubt_closed`, each with the record; begins with what waits."""
        return self._requests.follow("/approvals/stream", {}, None)


class AgentsApi(_Group):
    """The agents that the server knows."""

    def list(self, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", "/v1/agents", query=query))

    def each(self, **query: Query) -> Iterator[Json]:
        return self._requests.items(self.list, query)

    def invoke(self, agent_id: str, task: Mapping[str, Any], idempotency_key: str | None = None) -> Json:
        """
        Starts a run; with `thread_id` it continues that thread. With scope `admin`.

        `idempotency_key`: two calls with the same one start one run. Default: a new one, so that a lost answer starts none twice.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        path = f"/v1/agents/{place(agent_id)}/invoke"
        return cast(Json, self._requests.send("POST", path, body=task, headers=headers, is_repeatable=True))


class RunnersApi(_Group):
    """Reports and checkpoints, request by request. With a token of scope `runner` or `admin`."""

    def report(self, events: Sequence[Mapping[str, Any]]) -> Json:
        """Stores events. Give each an `id`, then sending it again changes nothing. `rejected` has those that were refused for good."""
        is_repeatable = all(event.get("id") is not None for event in events)
        return cast(Json, self._requests.send("POST", "/v1/runners/events", body={"events": [*events]}, is_repeatable=is_repeatable))

    def latest(self, thread_id: str, **query: Query) -> Checkpoint | None:
        """The latest checkpoint of a thread, or of a run or an agent in it; None where there is none."""
        try:
            return cast(Checkpoint, self._requests.send("GET", f"{_thread(thread_id)}/latest", query=query))
        except ApiRefusalError as refusal:
            if refusal.status == 404:
                return None
            raise

    def each_thread(self, **query: Query) -> Iterator[Json]:
        """The threads of the token's agents, in the order of their ids; `prefix`: only ids that begin so."""
        return self._requests.items(lambda **page: self._requests.send("GET", "/v1/runners/threads", query=page), query)

    def each_run(self, thread_id: str, **query: Query) -> Iterator[Json]:
        """The runs of a thread, in the order of their first reports."""
        path = f"{_thread(thread_id)}/runs"
        return self._requests.items(lambda **page: self._requests.send("GET", path, query=page), query)

    def delete_thread(self, thread_id: str) -> None:
        """Deletes a thread in which only the token's agents took part, with everything in it."""
        self._requests.send("DELETE", _thread(thread_id))

    def watch(self, thread_id: str, timeout: float | None = None, **query: Query) -> Iterator[Checkpoint]:
        """
        The latest checkpoint, and again after each change, without polling. States between may be left out, the last one never.

        `timeout`: seconds at most, after which it raises TimeoutError; None waits for ever, however long the server is away.
        """
        return self._requests.changes(f"{_thread(thread_id)}/latest", query, timeout)

    def decisions(self, run: RunIds, timeout: float | None = None) -> dict[str, CallDecision]:
        """
        Waits until a person has decided about the tool calls that a run waits with, however long the server is away: the decision on
        each call, by its id.

        `timeout`: seconds; None waits for ever. Raises NoDecisionError when nobody can decide any more, ApiRefusalError, TimeoutError.
        """
        for checkpoint in self.watch(run.thread_id, timeout, trace_id=run.trace_id, history="none"):
            decided = call_decisions(checkpoint)
            if decided is not None:
                return decided
        raise AssertionError  # a watch has no end

    async def adecisions(self, run: RunIds, timeout: float | None = None) -> dict[str, CallDecision]:
        """The same for asyncio. Each wait has a thread of its own, none of the loop's: many waits would leave no room there."""
        return await in_own_thread(lambda piece: self.decisions(run, piece), timeout)


class EffectsApi(_Group):
    """Tool calls that change the world, request by request; `WaystationClient.effect` does all of it."""

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
        `state` is `started` where the caller is to make the call now, `completed` where it was made before. Raises ApiRefusalError with
        status 409 while nobody may make it.
        """
        is_repeatable = claim.get("claim_id") is not None
        return cast(Json, self._requests.send("POST", f"{_thread(thread_id)}/effects", body=claim, is_repeatable=is_repeatable))

    def settle(self, thread_id: str, key: str, outcome: Mapping[str, Any], **query: Query) -> Json:
        """Says what became of an effect. With scope `approver` or `admin` also of one in doubt that is another's."""
        return cast(Json, self._requests.send("PUT", f"{_thread(thread_id)}/effects/{place(key)}", query=query, body=outcome))


class LeasesApi(_Group):
    """Which process may drive a run, request by request; `WaystationClient.lease` also renews."""

    def claim(self, run: RunIds, claim: Mapping[str, Any]) -> Json:
        """Raises ApiRefusalError with status 409 while another process holds it."""
        return cast(Json, self._requests.send("POST", _lease(run), body=claim, is_repeatable=True))

    def get(self, run: RunIds, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", _lease(run), query=query))

    def release(self, run: RunIds, fence: int) -> None:
        self._requests.send("DELETE", _lease(run), query={"fence": fence})


class ChannelsApi(_Group):
    """Messaging platforms. With a token of scope `admin`."""

    def platforms(self) -> Json:
        """What the server can connect to, with the settings that each takes."""
        return cast(Json, self._requests.send("GET", "/v1/channels/platforms"))

    def list(self, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", "/v1/channels", query=query))

    def create(self, channel: Mapping[str, Any]) -> Json:
        """The answer alone has the verification code."""
        return cast(Json, self._requests.send("POST", "/v1/channels", body=channel))

    def get(self, id: str) -> Json:
        return cast(Json, self._requests.send("GET", _channel(id)))

    def update(self, id: str, changes: Mapping[str, Any]) -> Json:
        """Changes the fields that are given."""
        return cast(Json, self._requests.send("PATCH", _channel(id), body=changes))

    def delete(self, id: str) -> None:
        self._requests.send("DELETE", _channel(id))

    def replace_config(self, id: str, config: Mapping[str, Any]) -> Json:
        """Replaces all settings of the platform, such as after a token was changed there."""
        return cast(Json, self._requests.send("PUT", f"{_channel(id)}/config", body=config))

    def bind_agent(self, id: str, binding: Mapping[str, Any]) -> Json:
        return cast(Json, self._requests.send("POST", f"{_channel(id)}/agents", body=binding))

    def unbind_agent(self, id: str, name: str) -> None:
        self._requests.send("DELETE", f"{_channel(id)}/agents/{place(name)}")

    def renew_verification_code(self, id: str) -> Json:
        return cast(Json, self._requests.send("POST", f"{_channel(id)}/verification-code"))

    def verify(self, id: str, code: str) -> Json:
        return cast(Json, self._requests.send("POST", f"{_channel(id)}/verify", body={"code": code}))

    def check(self, id: str) -> Json:
        """Asks the platform whether the settings are right."""
        return cast(Json, self._requests.send("POST", f"{_channel(id)}/check"))

    def set_up_webhook(self, id: str, base_url: str) -> Json:
        """Has the platform deliver to this server. `base_url`: how the platform reaches it."""
        return cast(Json, self._requests.send("POST", f"{_channel(id)}/setup-webhook", body={"base_url": base_url}))

    def messages(self, id: str, **query: Query) -> Json:
        """One page of what came in and went out, the newest first."""
        return cast(Json, self._requests.send("GET", f"{_channel(id)}/messages", query=query))

    def each_message(self, id: str, **query: Query) -> Iterator[Json]:
        return self._requests.items(lambda **page: self.messages(id, **page), query)


class TokensApi(_Group):
    """Access tokens. With scope `admin`; a `runner` may create narrower ones."""

    def list(self, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", "/v1/tokens", query=query))

    def create(self, token: Mapping[str, Any]) -> Json:
        """The answer alone has the token itself."""
        return cast(Json, self._requests.send("POST", "/v1/tokens", body=token))

    def revoke(self, id: str) -> None:
        """At once, with the tokens that it has created."""
        self._requests.send("DELETE", f"/v1/tokens/{place(id)}")


class WaystationApi:
    """What programs do with the API. Usable by many threads at once; after `os.fork` parent and child have connections of their own."""

    def __init__(self, api_url: str | None = None, token: str | None = None, *, timeout: float | None = 30.0) -> None:
        """
        `api_url`, `token`: as for `WaystationClient`; the scope of the token says which calls it may make.
        `timeout`: seconds for a call with all its tries; None waits for ever.

        Raises ClientSettingError when the address or the token is missing or unusable; no request is sent.
        """
        settings = connection_settings(api_url, token)
        connection = ApiConnection(settings.api, settings.token)
        silent = OutageNotice(lambda _: None, lambda: None)
        self._use(ApiRequests(connection, StandaloneRequests(connection, silent), timeout), is_owner=True)

    def close(self) -> None:
        """
        Ends the connections, and what is under way. Those of a `WaystationClient` end with the client, those of `within` with the one
        that it was called on: here nothing happens.
        """
        if self._is_owner:
            self._requests.end()

    @classmethod
    def of(cls, requests: ApiRequests) -> WaystationApi:
        """For `WaystationClient`, over its own connections."""
        made = cls.__new__(cls)
        made._use(requests, is_owner=False)
        return made

    def within(self, timeout: float | None) -> WaystationApi:
        """The same with another timeout, over the same connections."""
        return WaystationApi.of(self._requests.within(timeout))

    def request(self, method: str, path: str, body: Any = None, query: Mapping[str, Query] | None = None) -> Any:
        """Any other request. It must be safe to repeat."""
        return self._requests.send(method, path, query=query, body=body, is_repeatable=True)

    def stats(self, **query: Query) -> Json:
        """Runs, tokens and costs over a time. With scope `reader` or `admin`."""
        return cast(Json, self._requests.send("GET", "/v1/stats", query=query))

    def system(self) -> Json:
        """The server: its instances, storage, queues, and what needs attention. With scope `reader` or `admin`."""
        return cast(Json, self._requests.send("GET", "/v1/system"))

    def health(self) -> Json:
        return cast(Json, self._requests.send("GET", "/health"))

    def ready(self) -> Json:
        """Whether it can serve: raises ApiRefusalError or TimeoutError where it cannot."""
        return cast(Json, self._requests.send("GET", "/health/ready"))

    def metrics(self) -> str:
        """For Prometheus, as text."""
        return self._requests.text("/metrics")

    def _use(self, requests: ApiRequests, is_owner: bool) -> None:
        self._requests = requests
        self._is_owner = is_owner
        self.threads = ThreadsApi(requests)
        self.runs = RunsApi(requests)
        self.approvals = ApprovalsApi(requests)
        self.agents = AgentsApi(requests)
        self.runners = RunnersApi(requests)
        self.effects = EffectsApi(requests)
        self.leases = LeasesApi(requests)
        self.states = StatesApi(requests)
        self.channels = ChannelsApi(requests)
        self.tokens = TokensApi(requests)


def _thread(thread_id: str) -> str:
    return f"/v1/runners/threads/{place(thread_id)}"


def _shown(run: RunIds) -> str:
    return f"/threads/{place(run.thread_id)}/runs/{place(run.trace_id)}"


def _lease(run: RunIds) -> str:
    return f"{_thread(run.thread_id)}/runs/{place(run.trace_id)}/lease"


def _approval(trace_id: str, step: int) -> str:
    return f"/approvals/{place(trace_id)}/{step}"


def _channel(id: str) -> str:
    return f"/v1/channels/{place(id)}"
