"""The errors of the client. None of them contains the token."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


class WaystationError(Exception):
    """Every error that this package raises about the server or the settings."""


class ClientSettingError(WaystationError, ValueError):
    """The client cannot know where to report, with which token, or for which agent. The message says what to set."""


class ClientClosedError(WaystationError, RuntimeError):
    """The client was closed."""

    def __init__(self) -> None:
        super().__init__("the client is closed")


class NoAnswerError(WaystationError, ConnectionError):
    """The server did not answer a request. `is_timeout`: it may be slow, or the connection is."""

    def __init__(self, message: str, *, is_timeout: bool = False) -> None:
        super().__init__(message)
        self.is_timeout = is_timeout


class ApiRefusalError(WaystationError):
    """The API refused the request, or its answer is invalid."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status."""
        self.problem: dict[str, Any] = {}
        """The API's problem document, for requests of `WaystationClient.request`; empty where there is none."""

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status >= 500 or self.status in (408, 425, 429)


class NoDecisionError(WaystationError):
    """There is no decision on the tool calls, and none will come: they must not run."""


class UnsupportedError(WaystationError):
    """A server on the storage is too old for what was asked of it."""


class RunCancelledError(WaystationError):
    """A person has cancelled the run: stop working on it."""


class NoEffectError(Exception):
    """Raise it in the body of an effect to say that nothing happened: the effect can then be claimed again."""


class EffectRefusedError(ApiRefusalError):
    """The API refused a claim or a settling."""

    def __init__(self, status: int, code: str, message: str, effect: Mapping[str, Any] | None) -> None:
        super().__init__(status, message)
        self.code = code
        """Why: `approval_pending`, `effect_rejected`, `stale_fence`, `effect_mismatch` and the others that the API documents."""
        self.effect = effect


class EffectInDoubtError(WaystationError):
    """Nobody knows whether the call was made: find out, and settle the effect, with `settle()` or the command that the message names."""

    def __init__(self, message: str, effect: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.effect = effect


class ResultOmittedError(WaystationError):
    """The call was made, but its result was too large to be kept."""

    def __init__(self, effect: Mapping[str, Any]) -> None:
        super().__init__(f"The result of {effect.get('key')} was too large to be kept.")
        self.effect = effect


class LeaseHeldError(WaystationError):
    """Another process holds the lease of the run, until `expires_at` unless it renews it."""

    def __init__(self, holder: str, expires_at: datetime | None) -> None:
        until = "" if expires_at is None else f" until {expires_at.isoformat()}"
        super().__init__(f"{holder} holds the lease of the run{until}")
        self.holder = holder
        self.expires_at = expires_at
