"""A real server as a separate process, and a fake one with programmed responses."""

from __future__ import annotations

import atexit
import contextlib
import http.server
import json
import os
import random
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Callable

from waystation import RejectedReport, WaystationClient

SOURCES = Path(__file__).resolve().parent.parent / "src"
#: Starts a server, for tests that kill it.
COMMAND = os.environ.get("WAYSTATION_TEST_SERVER", "")
#: A running server, with its token of scope `admin`.
GIVEN_URL = os.environ.get("WAYSTATION_TEST_URL", "")
GIVEN_TOKEN = os.environ.get("WAYSTATION_TEST_TOKEN", "")
TOKEN = "the-token-of-the-fake-api"


def wait_for(what: str, is_so: Callable[[], Any], seconds: float = 60.0) -> Any:
    deadline = time.monotonic() + seconds
    while True:
        value = is_so()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.02)


def free_port() -> int:
    """Below the system's ephemeral ports, so that nobody else gets it before the test uses it."""
    while True:
        port = random.randint(10_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Server:
    url: str
    token: str

    def close(self) -> None:
        """Does nothing for a given server."""

    def client(self, **options: Any) -> WaystationClient:
        given = {"api_url": self.url, "token": self.token, "agent_id": "support", "on_rejected": fail, **options}
        return WaystationClient(**given)

    def env(self, **more: str) -> dict[str, str]:
        own = {"WAYSTATION_API_URL": self.url, "WAYSTATION_TOKEN": self.token, "WAYSTATION_AGENT_ID": "support"}
        return {**os.environ, "PYTHONPATH": str(SOURCES), **own, **more}

    def checkpoints(self, thread_id: str) -> list[dict[str, Any]]:
        with self.client() as client:
            return list(client.request("GET", f"/threads/{thread_id}/checkpoints")["items"])


class GivenServer(Server):
    def __init__(self) -> None:
        self.url, self.token = GIVEN_URL, GIVEN_TOKEN


class RealServer(Server):
    """`waystation serve` on one port and one home; may be killed and restarted."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="waystation-python-"))
        self.home.chmod(0o700)
        self.url = "http://127.0.0.1:0"
        self.start()
        self.token = (self.home / ".api-secret").read_text("ascii").strip()

    def start(self) -> None:
        env = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        env.update(WAYSTATION_HOME=str(self.home), WAYSTATION_PORT=self.url.rsplit(":", 1)[1], WAYSTATION_LOG_LEVEL="warn")
        log = (self.home / "server.log").open("ab")
        self._address.unlink(missing_ok=True)
        self._process = subprocess.Popen(shlex.split(COMMAND), env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        log.close()
        self.url = wait_for("the server to listen", self._listening_url, 120.0)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    @property
    def _address(self) -> Path:
        return self.home / "run" / "server.json"

    def _listening_url(self) -> str | None:
        if self._process.poll() is not None:
            raise AssertionError(f"the server ended: {(self.home / 'server.log').read_text()}")
        try:
            return str(json.loads(self._address.read_text("utf-8"))["url"])
        except (FileNotFoundError, ValueError):
            return None


def fail(rejected: RejectedReport) -> None:
    print(f"a report was rejected: {rejected}", file=sys.stderr)
    FAULTS.append(rejected)


FAULTS: list[RejectedReport] = []
_shared: list[Server] = []


class ServerTest(unittest.TestCase):
    """Tests with one real server for all of them."""

    def setUp(self) -> None:
        if not COMMAND and not GIVEN_URL:
            self.skipTest("WAYSTATION_TEST_URL and WAYSTATION_TEST_SERVER name no server")
        if not _shared:
            _shared.append(GivenServer() if GIVEN_URL else RealServer())
            atexit.register(_close_shared)
        FAULTS.clear()

    def tearDown(self) -> None:
        self.assertEqual(FAULTS, [])

    @property
    def server(self) -> Server:
        return _shared[0]

    def client(self, **options: Any) -> WaystationClient:
        client = self.server.client(**options)
        self.addCleanup(client.close, 0)
        return client


def _close_shared() -> None:
    while _shared:
        _shared.pop().close()


def python(code: str, env: dict[str, str], *args: str) -> subprocess.Popen[str]:
    """A program as a separate process; its output ends with it."""
    command = [sys.executable, "-c", code, *args]
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


Answer = tuple[int, dict[str, str], bytes]


class FakeServer:
    """Takes batches, or responds as programmed."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.features: str | None = None
        self.judge: Callable[[list[dict[str, Any]]], Any] = lambda events: None
        """Returns the body of a response, a whole response, bytes to send instead of one, or None to take the batch."""
        self.most_at_once = 0
        self._at_once = 0
        owner = self

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A disconnected client is not a fault."""

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                owner._answer(self)

            do_GET = do_PUT = do_DELETE = do_POST

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = Server(("127.0.0.1", port), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def client(self, **options: Any) -> WaystationClient:
        return WaystationClient(**{"api_url": self.url, "token": TOKEN, "agent_id": "support", **options})

    def _answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        value = json.loads(body) if body else None
        self.requests.append((handler.command, handler.path, value))
        events = (value or {}).get("events", [])
        told = self.judge(events)
        self._at_once -= 1
        if isinstance(told, bytes):
            handler.wfile.write(told)
            handler.close_connection = True
            return
        status, headers, text = 200, {}, b'{"saved":1,"rejected":[]}'
        if isinstance(told, tuple):
            status, headers, text = told
        elif told is not None:
            text = json.dumps(told).encode()
        if status < 300:
            self.events.extend(events)
        handler.send_response(status)
        if self.features is not None:
            headers = {**headers, "Waystation-Features": self.features}
        for name, one in {"Content-Length": str(len(text)), **headers}.items():
            handler.send_header(name, one)
        handler.end_headers()
        handler.wfile.write(text)
