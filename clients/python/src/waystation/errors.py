"""The errors of the client. None of them contains the token."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


class WaystationError(Exception):
    """Base of the package's errors about the server or the settings."""


class ClientSettingError(WaystationError, ValueError):
    """A setting is missing or unusable. The message says what to set."""


class ClientClosedError(WaystationError, RuntimeError):
    """The client was closed."""

    def __init__(self) -> None:
        super().__init__("the client is closed")


class NoAnswerError(WaystationError, ConnectionError):
    """The server did not answer a request. `is_timeout`: whether time ran out, so that the server or the connection may be slow."""

    def __init__(self, message: str, *, is_timeout: bool = False) -> None:
        super().__init__(message)
        self.is_timeout = is_timeout


class ApiRefusalError(WaystationError):
    """The API refused the request, or its response is invalid."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status."""
        self.problem: dict[str, Any] = {}
        """The API's problem document; empty if there is none."""

    @property
    def is_passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status >= 500 or self.status in (408, 425, 429)


class NoDecisionError(WaystationError):
    """There is no decision on the tool calls and there will be none: they must not run."""


class UnsupportedError(WaystationError):
    """A server on the storage is too old for the request."""


class RunCancelledError(WaystationError):
    """A person has cancelled the run: stop working on it."""


class NoEffectError(Exception):
    """Raise it in the body of an effect if nothing happened: the effect can then be claimed again."""


class EffectRefusedError(ApiRefusalError):
    """The API refused to claim or to settle an effect."""

    def __init__(self, status: int, code: str, message: str, effect: Mapping[str, Any] | None) -> None:
        super().__init__(status, message)
        self.code = code
        """`approval_pending`, `effect_rejected`, `stale_fence`, `effect_mismatch` or another documented code."""
        self.effect = effect


class EffectInDoubtError(WaystationError):
    """Nobody knows whether the call was made: find out, and settle the effect, with `settle()` or the command that the message names."""

    def __init__(self, message: str, effect: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.effect = effect


class ResultOmittedError(WaystationError):
    """The call was made, but its result was too large to store."""

    def __init__(self, effect: Mapping[str, Any]) -> None:
        super().__init__(f"The result of {effect.get('key')} was too large to be kept.")
        self.effect = effect


class LeaseHeldError(WaystationError):
    """Another process holds the lease of the run, until `expires_at` unless renewed."""

    def __init__(self, holder: str, expires_at: datetime | None) -> None:
        until = "" if expires_at is None else f" until {expires_at.isoformat()}"
        super().__init__(f"{holder} holds the lease of the run{until}")
        self.holder = holder
        self.expires_at = expires_at
