"""Tool calls with side effects, each made at most once."""

from __future__ import annotations

import uuid
from shlex import quote as quote_word
from types import TracebackType
from typing import Any, Callable, NamedTuple, TypeVar, cast
from urllib.parse import quote

from ._connection import DEFAULT_TIMEOUT, ApiConnection, ApiResponse
from ._json import dumps, object_in
from ._patience import PatientRequests, deadline_of
from .errors import (
    ApiRefusalError,
    EffectInDoubtError,
    EffectRefusedError,
    NoAnswerError,
    NoEffectError,
    ResultOmittedError,
    WaystationError,
)

T = TypeVar("T")
#: The API's limit for a result.
_MAX_RESULT_BYTES = 1024 * 1024
_UNSET = object()
EFFECT_SETTLED = "effect_settled"


class EffectMeans(NamedTuple):
    """What effects need from their client."""

    connection: ApiConnection
    requests: PatientRequests
    deliver: Callable[[float | None], None]
    report: Callable[[str, dict[str, Any]], None]


class Effect:
    """
    A tool call with side effects, made at most once. A context manager:

        with run.effect("refund:order-4711", tool="refund", args={"amount": 5}) as effect:
            if not effect.is_done:
                effect.complete(bank.refund(5, idempotency_key=effect.key))
        print(effect.result)

    Entering claims the effect. If any process completed the call before, `is_done` is true and `result` has its result. A body that raises
    leaves the effect in doubt, unless it raises `NoEffectError` or the effect is `idempotent`; the error is reraised. A body that ends
    without `complete` has made the call, and its result is None.
    """

    def __init__(self, means: EffectMeans, run: dict[str, str], claim: dict[str, Any], timeout: float | None) -> None:
        self._means = means
        self._run = run
        self._claim = claim
        self._timeout = timeout
        self._result: Any = _UNSET
        self.key: str = claim["key"]
        self.attempt = 0
        """From 1; higher if it was claimed before. 0 before the claim."""
        self.is_done = False
        """Whether the call was completed before: do not make it again."""

    @property
    def result(self) -> Any:
        """Of the call; an earlier process's result as parsed JSON. None until there is one."""
        return None if self._result is _UNSET else self._result

    def complete(self, result: Any) -> None:
        """Records the call's result. The settlement is sent at the end of the body."""
        dumps(result)  # fails here, where the program is at fault
        self._result = result

    def make(self, function: Callable[[Effect], T]) -> T:
        """
        The same for a function: calls it unless the call was completed before, and returns the result.

        Raises EffectInDoubtError while nobody knows whether the call was made; EffectRefusedError (`approval_pending`, `effect_mismatch`,
        ...); ResultOmittedError for an earlier result of more than 1 MiB; ApiRefusalError; TimeoutError.
        """
        with self:
            if not self.is_done:
                self.complete(function(self))
        return cast(T, self.result)

    def __enter__(self) -> Effect:
        """Claims the effect after delivering pending reports. Raises like `make`."""
        deadline = deadline_of(self._timeout)
        self._means.deliver(deadline)
        # The same for all tries of this claim, because a response may get lost.
        self._claim_id = str(uuid.uuid4())
        body = dumps({**self._claim, "claim_id": self._claim_id})
        effect = self._means.requests.until_response(deadline, lambda left: self._claimed(body, left))
        self.attempt = int(effect.get("attempt", 0))
        if effect.get("state") != "started":
            self.is_done = True
            self._result = effect.get("result")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.is_done:
            return
        own = {"attempt": self.attempt, "claim_id": self._claim_id}
        # With a result, the call was made, whatever failed afterwards.
        if error is None or self._result is not _UNSET:
            self._settle({**own, "outcome": "completed", **self._result_members()}, error)
            return
        outcome = "failed" if isinstance(error, NoEffectError) else "unknown"
        message = (str(error) or type(error).__name__)[:10_000]
        self._settle({**own, "outcome": outcome, "error": {"message": message}}, error)

    def _result_members(self) -> dict[str, Any]:
        if len(dumps(self.result).encode("utf8")) > _MAX_RESULT_BYTES:
            return {"result_omitted": True}
        return {"result": self.result}

    def _settle(self, settling: dict[str, Any], error: BaseException | None) -> None:
        """Settles at once, or through the spool if no server answers. Repeating the same settlement changes nothing."""
        path = f"{self._path}/{quote(self.key, safe='')}?agent_id={quote(self._run['agent_id'], safe='')}"
        try:
            try:
                response = self._means.connection.send(path, "PUT", dumps(settling))
                if response.status != 200:
                    raise self._refusal_in(response, "the settling of the effect")
            except (NoAnswerError, ApiRefusalError) as failure:
                if isinstance(failure, ApiRefusalError) and not failure.is_passing:
                    raise
                members = {"thread_id": self._run["thread_id"], "agent_id": self._run["agent_id"], "key": self.key}
                self._means.report(EFFECT_SETTLED, {**members, **settling})
        except WaystationError:
            # Without a settlement it is in doubt anyway; the call's error says more.
            if error is None:
                raise

    def _claimed(self, body: str, left: float) -> dict[str, Any]:
        response = self._means.connection.send(self._path, "POST", body, timeout=min(DEFAULT_TIMEOUT, left))
        if response.status not in (200, 201):
            raise self._refusal_in(response, "the claim of the effect")
        effect = object_in(response.text)
        if "state" not in effect:
            raise ApiRefusalError(response.status, "the answer to the claim of the effect is no effect")
        if effect["state"] != "started" and effect.get("result_omitted"):
            raise ResultOmittedError(effect)
        return effect

    def _refusal_in(self, response: ApiResponse, what: str) -> WaystationError:
        problem = object_in(response.text)
        code, detail, effect = problem.get("code"), problem.get("detail"), problem.get("effect")
        words = f": {self._means.connection.safe(detail)}" if isinstance(detail, str) else ""
        message = f"{what} was refused with status {response.status}{words}"
        if code == "effect_in_doubt" and isinstance(effect, dict):
            return EffectInDoubtError(message + self._way_out(), effect)
        if not isinstance(code, str):
            return NoAnswerError(message)  # of something else, such as a proxy while the server restarts
        return EffectRefusedError(response.status, code, message, effect if isinstance(effect, dict) else None)

    def _way_out(self) -> str:
        """Instructions for settling the effect by hand."""
        command = f"waystation settle {quote_word(self._run['thread_id'])} {quote_word(self.key)} completed"
        return f" When you know: `{command}`, or `not_done` in the place of `completed` (in a clone: `npx waystation ...`)."

    @property
    def _path(self) -> str:
        return f"/v1/runners/threads/{quote(self._run['thread_id'], safe='')}/effects"
