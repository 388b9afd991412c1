"""Server, token and agent of a client."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote as quote_word
from typing import NamedTuple
from urllib.parse import urlsplit

from .errors import ClientSettingError
from .types import RunIds

#: Default address of a server.
DEFAULT_API_URL = "http://127.0.0.1:8000"
_OTHERS_WRITE = 0o002
#: Characters valid in a header.
_PRINTABLE = re.compile(r"[\x21-\x7e]+")


class ApiAddress:
    """The address of the API server: either given, or published by the server of a home directory."""

    def __init__(self, url: str, home: Path | None = None) -> None:
        self._url = url.rstrip("/")
        self._home = home

    @classmethod
    def of_home(cls, home: Path) -> ApiAddress:
        """The address of the server of this home directory; the default address while there is none."""
        return cls(find_server(home) or DEFAULT_API_URL, home)

    @property
    def current(self) -> str:
        """Base address without a trailing slash."""
        return self._url

    def look_again(self) -> None:
        """
        Call it when the server does not respond, or something else does: it may have restarted elsewhere. While no server runs, the last
        address stays; otherwise the token could go to whatever listens at the default address.
        """
        if self._home is not None:
            self._url = (find_server(self._home) or self._url).rstrip("/")


class ConnectionSettings(NamedTuple):
    api: ApiAddress
    token: str


class ClientSettings(NamedTuple):
    api: ApiAddress
    token: str
    agent_id: str


class GivenRun(NamedTuple):
    """The run for which `waystation agent` started this program; empty in other programs."""

    thread_id: str | None
    trace_id: str | None
    agent_id: str | None

    def above(self, run: RunIds) -> RunIds:
        """The same run, with this one as its parent if both are in one thread."""
        return run._replace(parent_trace_id=self.trace_id if self.thread_id == run.thread_id else None)


def given_run() -> GivenRun:
    return GivenRun(*(os.environ.get(f"WAYSTATION_{name}_ID", "").strip() or None for name in ("THREAD", "TRACE", "AGENT")))


def client_settings(
    api_url: str | None = None,
    token: str | None = None,
    agent_id: str | None = None,
    env: Mapping[str, str] | None = None,
) -> ClientSettings:
    """Settings from the program, otherwise from the environment. An empty string counts as absent."""
    env = os.environ if env is None else env
    api, token = connection_settings(api_url, token, env)
    agent_id = agent_id or env.get("WAYSTATION_AGENT_ID", "").strip()
    if not agent_id:
        raise ClientSettingError("No agent to report for: give `agent_id` to the client, or set WAYSTATION_AGENT_ID.")
    return ClientSettings(api, token, agent_id)


def connection_settings(api_url: str | None = None, token: str | None = None, env: Mapping[str, str] | None = None) -> ConnectionSettings:
    """The same for callers that report for no agent."""
    env = os.environ if env is None else env

    def named(name: str) -> str:
        return env.get(name, "").strip()

    url = api_url or named("WAYSTATION_API_URL")
    if url and not _is_http_url(url):
        raise ClientSettingError("The address of Waystation (WAYSTATION_API_URL) must be an http:// or https:// URL.")
    direct = token or named("WAYSTATION_TOKEN")
    file = named("WAYSTATION_TOKEN_FILE")
    token = direct or _token_in_file(file)
    if not token:
        raise ClientSettingError(
            "No token for Waystation: set WAYSTATION_TOKEN to one that `waystation token create --scope runner` prints"
            " (in a clone: `npx waystation ...`)."
        )
    if not _PRINTABLE.fullmatch(token):
        raise ClientSettingError("The token for Waystation (WAYSTATION_TOKEN) has characters that no token has.")
    if url and file and not direct:
        _check_secret(Path(file), url)
    api = ApiAddress(url) if url else _server_of(_home(named("WAYSTATION_HOME")))
    return ConnectionSettings(api, token)


def _check_secret(file: Path, url: str) -> None:
    """The machine secret permits everything, so a variable set by somebody else must not send it elsewhere."""
    real = file.resolve()
    if real.name != ".api-secret":
        return
    own = _server_of(real.parent).current
    if url.rstrip("/") != own:
        raise ClientSettingError(
            f"The machine secret (WAYSTATION_TOKEN_FILE) is sent to {own} alone: create a token for WAYSTATION_API_URL"
            " with `waystation token create --scope runner`."
        )


def _server_of(home: Path) -> ApiAddress:
    """Anyone who can write to the directory could name another server in it, which would get the token."""
    if sys.platform != "win32" and _mode(home) & _OTHERS_WRITE:
        raise ClientSettingError(
            "The home of Waystation (WAYSTATION_HOME): other users of this machine can write in the directory; "
            f"fix it with: chmod 700 {quote_word(str(home))}."
        )
    return ApiAddress.of_home(home)


def _mode(folder: Path) -> int:
    try:
        return folder.stat().st_mode
    except (OSError, ValueError):
        return 0


def _home(given: str) -> Path:
    if given:
        return Path(given)
    try:
        return Path.home() / ".waystation"
    except RuntimeError:
        raise ClientSettingError("This user has no home directory: set WAYSTATION_API_URL to the address of Waystation.") from None


def find_server(home: Path) -> str | None:
    """
    The address of the server that runs in this home directory. None if there is none or its process has ended, even if its pid is another
    process's now.
    """
    try:
        record = json.loads((home / "run" / "server.json").read_text("utf8"))
        url, pid, start = record["url"], record["pid"], record.get("process_start")
        if not (isinstance(url, str) and _is_http_url(url) and isinstance(pid, int)):
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return url if _is_its_process(pid, start) else None


def _is_http_url(url: str) -> bool:
    """A user in it would be a secret, and would appear in messages. Printable, as it becomes part of a request."""
    try:
        parts = urlsplit(url)
        is_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_plain = _PRINTABLE.fullmatch(url) is not None and "@" not in parts.netloc and not (parts.query or parts.fragment)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and is_port and is_plain


def _token_in_file(file: str) -> str | None:
    if not file:
        return None
    try:
        return Path(file).read_text("utf8").strip()
    except (OSError, ValueError):
        raise ClientSettingError(f"The file {file} (WAYSTATION_TOKEN_FILE) cannot be read.") from None


def _is_its_process(pid: int, recorded_start: object) -> bool:
    start = process_start(pid)
    if recorded_start is not None and start is not None:
        return start == recorded_start
    return _is_alive(pid)


def process_start(pid: int) -> str | None:
    """Distinguishes a process from a later one with the same pid, as written by the server; None if the system does not say."""
    boot_id = Path("/proc/sys/kernel/random/boot_id")
    try:
        if boot_id.exists():
            # Field 22 of proc(5), counted from after the name, which may contain blanks.
            stat = Path(f"/proc/{pid}/stat").read_text("utf8", "replace")
            return f"{boot_id.read_text('ascii').strip()}/{stat[stat.rindex(')') + 2 :].split(' ')[19]}"
        if sys.platform == "win32":
            return None
        env = {"PATH": "/bin:/usr/bin", "LC_ALL": "C", "TZ": "UTC"}
        command = ["ps", "-o", "lstart=", "-p", str(pid)]
        found = subprocess.run(command, env=env, capture_output=True, timeout=5, check=True)
        return found.stdout.decode("utf8", "replace").strip() or None
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":  # os.kill would end it
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return pid > 0
