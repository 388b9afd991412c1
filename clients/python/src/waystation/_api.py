"""
The API call by call, for programs that do more than report: the same groups and names as in TypeScript.

    from waystation import WaystationApi

    api = WaystationApi()
    for thread in api.threads.each(status="waiting_for_approval"):
        print(thread["thread_id"])

Queries are keyword arguments, as listed in the server's `/docs`. Arguments and results are the API's JSON. `each...` reads all pages.
Every call raises ApiRefusalError when the server refuses it, and NoAnswerError or TimeoutError when none answers.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ._api_runners import EffectsApi, LeasesApi, RunnersApi
from ._api_states import StatesApi
from ._api_threads import ApprovalsApi, Group, Json, RunsApi, ThreadsApi
from ._connection import ApiConnection
from ._patience import OutageNotice, StandaloneRequests
from ._requests import ApiRequests, Query, place
from ._settings import connection_settings


class AgentsApi(Group):
    """The agents that the server knows."""

    def list(self, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", "/v1/agents", query=query))

    def each(self, **query: Query) -> Iterator[Json]:
        return self._requests.items(self.list, query)

    def invoke(self, agent_id: str, task: Mapping[str, Any], idempotency_key: str | None = None) -> Json:
        """
        Starts a run; with `thread_id`, in that thread. With scope `admin`.

        `idempotency_key`: calls with the same key start one run. Default: a new key, so that retries start only one.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        path = f"/v1/agents/{place(agent_id)}/invoke"
        return cast(Json, self._requests.send("POST", path, body=task, headers=headers, is_repeatable=True))


class ChannelsApi(Group):
    """Messaging platforms. With a token of scope `admin`; for reads also `reader`."""

    def platforms(self) -> Json:
        """The platforms that the server supports, with their settings."""
        return cast(Json, self._requests.send("GET", "/v1/channels/platforms"))

    def list(self, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", "/v1/channels", query=query))

    def create(self, channel: Mapping[str, Any]) -> Json:
        """Only this response contains the verification code."""
        return cast(Json, self._requests.send("POST", "/v1/channels", body=channel))

    def get(self, id: str) -> Json:
        return cast(Json, self._requests.send("GET", _channel(id)))

    def update(self, id: str, changes: Mapping[str, Any]) -> Json:
        """Changes the given fields."""
        return cast(Json, self._requests.send("PATCH", _channel(id), body=changes))

    def delete(self, id: str) -> None:
        self._requests.send("DELETE", _channel(id))

    def replace_config(self, id: str, config: Mapping[str, Any]) -> Json:
        """Replaces all settings of the platform, for example after its token was changed."""
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
        """Checks the settings with the platform."""
        return cast(Json, self._requests.send("POST", f"{_channel(id)}/check"))

    def set_up_webhook(self, id: str, base_url: str) -> Json:
        """Registers this server's webhook with the platform. `base_url`: how the platform reaches it."""
        return cast(Json, self._requests.send("POST", f"{_channel(id)}/setup-webhook", body={"base_url": base_url}))

    def messages(self, id: str, **query: Query) -> Json:
        """One page of messages received and sent, newest first."""
        return cast(Json, self._requests.send("GET", f"{_channel(id)}/messages", query=query))

    def each_message(self, id: str, **query: Query) -> Iterator[Json]:
        return self._requests.items(lambda **page: self.messages(id, **page), query)


class NoticesApi(Group):
    """Notices of events, as signed calls to other services or posts in chats. With a token of scope `admin`."""

    def list(self) -> Json:
        """Also with scope `reader`."""
        return cast(Json, self._requests.send("GET", "/v1/notices"))

    def create(self, notice: Mapping[str, Any]) -> Json:
        """Only this response contains the secret."""
        return cast(Json, self._requests.send("POST", "/v1/notices", body=notice))

    def get(self, id: str) -> Json:
        """Also with scope `reader`."""
        return cast(Json, self._requests.send("GET", _notice(id)))

    def update(self, id: str, changes: Mapping[str, Any]) -> Json:
        """Changes the given fields."""
        return cast(Json, self._requests.send("PATCH", _notice(id), body=changes))

    def delete(self, id: str) -> None:
        self._requests.send("DELETE", _notice(id))

    def test(self, id: str) -> Json:
        """Sends the event `test` at once and returns the result."""
        return cast(Json, self._requests.send("POST", f"{_notice(id)}/test"))

    def renew_secret(self, id: str) -> Json:
        """Creates a new secret. The old one also signs for another 24 hours."""
        return cast(Json, self._requests.send("POST", f"{_notice(id)}/secret"))

    def deliveries(self, id: str, **query: Query) -> Json:
        """One page, newest first. Also with scope `reader`."""
        return cast(Json, self._requests.send("GET", f"{_notice(id)}/deliveries", query=query))

    def each_delivery(self, id: str, **query: Query) -> Iterator[Json]:
        return self._requests.items(lambda **page: self.deliveries(id, **page), query)

    def retry_delivery(self, id: str, delivery_id: str) -> Json:
        return cast(Json, self._requests.send("POST", f"{_notice(id)}/deliveries/{place(delivery_id)}/retry"))


class TokensApi(Group):
    """Access tokens. With scope `admin`; a `runner` may create narrower ones."""

    def list(self, **query: Query) -> Json:
        return cast(Json, self._requests.send("GET", "/v1/tokens", query=query))

    def self(self) -> Json:
        """The permissions of the client's own token. With any scope."""
        return cast(Json, self._requests.send("GET", "/v1/tokens/self"))

    def create(self, token: Mapping[str, Any]) -> Json:
        """Only this response contains the token itself."""
        return cast(Json, self._requests.send("POST", "/v1/tokens", body=token))

    def revoke(self, id: str, *, with_children: bool = False) -> None:
        """
        Takes effect at once. The token's console sessions end too, and the tokens that a `runner` token created. Those that an `admin`
        token created stay valid, with their console sessions.

        `with_children`: also revokes all tokens created with this one, directly or indirectly, which ends their console sessions. Works
        only for callers of scope `admin`.
        """
        self._requests.send("DELETE", f"/v1/tokens/{place(id)}", query={"with_children": with_children})


class WaystationApi:
    """The API for programs. Thread-safe; after `os.fork`, parent and child have separate connections."""

    def __init__(self, api_url: str | None = None, token: str | None = None, *, timeout: float | None = 30.0) -> None:
        """
        `api_url`, `token`: as for `WaystationClient`; the token's scope determines the permitted calls.
        `timeout`: seconds for a call with all its tries; None waits forever.

        Raises ClientSettingError when the address or the token is missing or unusable; sends no request.
        """
        settings = connection_settings(api_url, token)
        connection = ApiConnection(settings.api, settings.token)
        silent = OutageNotice(lambda _: None, lambda: None)
        self._use(ApiRequests(connection, StandaloneRequests(connection, silent), timeout), is_owner=True)

    def close(self) -> None:
        """
        Closes the connections and aborts requests in flight. Has no effect on the API of a `WaystationClient` or from `within`: their
        connections close with their owner.
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
        """Any other request, which must be safe to repeat."""
        return self._requests.send(method, path, query=query, body=body, is_repeatable=True)

    def stats(self, **query: Query) -> Json:
        """Runs, tokens and costs over a period. With scope `reader` or `admin`."""
        return cast(Json, self._requests.send("GET", "/v1/stats", query=query))

    def system(self) -> Json:
        """The server: its instances, storage, queues, and what needs attention. With scope `reader` or `admin`."""
        return cast(Json, self._requests.send("GET", "/v1/system"))

    def health(self) -> Json:
        return cast(Json, self._requests.send("GET", "/health"))

    def ready(self) -> Json:
        """Returns if the server can serve requests; raises ApiRefusalError or TimeoutError if not."""
        return cast(Json, self._requests.send("GET", "/health/ready"))

    def metrics(self) -> str:
        """Metrics in Prometheus text format."""
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
        self.notices = NoticesApi(requests)
        self.tokens = TokensApi(requests)


def _channel(id: str) -> str:
    return f"/v1/channels/{place(id)}"


def _notice(id: str) -> str:
    return f"/v1/notices/{place(id)}"
