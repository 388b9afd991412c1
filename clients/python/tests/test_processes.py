from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
import uuid
import warnings
from typing import Any

from tests.support import COMMAND, TOKEN, FakeServer, RealServer, ServerTest, free_port, python, wait_for
from waystation import Question, RunIds, StatePlace, StateStore, StepReporter, ThreadHistory, WaystationApi

AGENT = """
import sys
from waystation import DiskSpool, WaystationClient
ws = WaystationClient(spool=DiskSpool(sys.argv[2]), on_trouble=lambda _: None, on_recovered=lambda: None)
with ws.run(sys.argv[1], timeout=60) as run:
    history = run.history
    while sys.stdin.readline() == "step\\n":
        history.append({"n": len(history), "text": "x" * 300})
        run.step(history)
        print(len(history), flush=True)
    ws.flush(60)
"""


class Agent:
    """Reports a step only when asked to."""

    def __init__(self, server: RealServer, spool: str) -> None:
        self._process = python(AGENT, server.env(), "t", spool)
        self._in, self._out, self._err = self._process.stdin, self._process.stdout, self._process.stderr

    def steps(self, count: int) -> int:
        """Returns the number of messages in its history then."""
        assert self._in is not None and self._out is not None
        reached = 0
        for _ in range(count):
            self._in.write("step\n")
            self._in.flush()
            reached = int(self._out.readline())
        return reached

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    def finish(self) -> tuple[int, str]:
        errors = self._process.communicate("end\n", timeout=120)[1]
        return self._process.returncode, errors


@unittest.skipUnless(COMMAND, "WAYSTATION_TEST_SERVER names no server")
class Kills(unittest.TestCase):
    """A reporter that is killed"""

    def test_has_lost_and_doubled_nothing_though_the_server_was_killed_too(self) -> None:
        server = RealServer()
        self.addCleanup(server.close)
        with tempfile.TemporaryDirectory() as spool:
            first = Agent(server, spool)
            self.assertEqual(first.steps(20), 20)
            server.kill()
            self.assertEqual(first.steps(20), 40)
            first.kill()  # without a server, its reports are only in the spool
            second = Agent(server, spool)
            server.start()
            self.assertEqual(second.steps(40), 80)
            second.kill()
            third = Agent(server, spool)
            self.assertEqual(third.steps(20), 100)
            self.assertEqual(third.finish(), (0, ""))
            self.assertEqual(os.listdir(spool), [])
        rows = server.checkpoints("t")
        self.assertEqual([len(row["history"]) for row in rows], list(range(1, 101)))
        self.assertEqual([one["n"] for one in rows[-1]["history"]], list(range(100)))
        self.assertEqual({row["trace_id"] for row in rows}, {rows[0]["trace_id"]})
        self.assertEqual(rows[-1]["status"], "completed")


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
class Forks(unittest.TestCase):
    """A forked process"""

    def test_delivers_what_it_reports_itself_and_nothing_of_its_parent(self) -> None:
        server = FakeServer()
        self.addCleanup(server.close)
        with tempfile.TemporaryDirectory() as folder:
            code = FORKING.replace("SPOOL", repr(folder))
            env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            child = python(code, env, server.url)
            output, errors = child.communicate(timeout=120)
        self.assertEqual((child.returncode, errors), (0, ""), output)
        names = [event["data"]["name"] for event in server.events]
        self.assertEqual(len({event["id"] for event in server.events}), len(names))
        expected = {
            f"{kind} {who} {n}" for kind in ("memory", "disk") for who in ("parent", "child 0", "child 1", "worker") for n in range(3)
        }
        self.assertEqual((set(names), len(names)), (expected, len(expected)))

    def test_reaches_the_server_also_if_it_was_forked_during_the_first_request_of_all(self) -> None:
        server = FakeServer()
        self.addCleanup(server.close)
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        child = python(FORKING_EARLY, env, server.url)
        _, errors = child.communicate(timeout=120)
        self.assertEqual((child.returncode, errors), (0, ""))
        self.assertEqual({event["data"]["name"] for event in server.events}, {"parent", "child"})

    def test_uses_an_api_without_its_parents_connections_and_locks(self) -> None:
        server = FakeServer()
        self.addCleanup(server.close)
        api = WaystationApi(server.url, TOKEN).within(20)
        self.addCleanup(api._requests.end)
        api.runners.report([])
        with warnings.catch_warnings(), api._requests.connection._lock:  # as another thread of the parent may
            warnings.simplefilter("ignore")  # the child drops its parent's connections
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
                try:
                    api.runners.report([])
                    os._exit(0)
                finally:
                    os._exit(1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(len(server.requests), 2)

    def test_waits_for_no_call_of_its_parents_threads(self) -> None:
        server, go = FakeServer(), threading.Event()
        self.addCleanup(server.close)
        self.addCleanup(go.set)

        def judge(events: list[dict[str, Any]]) -> Any:
            if len(server.requests) <= 2:  # those of the parent
                go.wait(60)
            return None if events else {"event_id": "e", "checkpoint_id": "c", "values": {}}

        server.judge = judge
        api = WaystationApi(server.url, TOKEN).within(60)
        self.addCleanup(api._requests.end)
        run = RunIds("t", "r", agent_id="a")
        history, reporter, store = ThreadHistory(api.runners, run), StepReporter(api.runners), StateStore(api.states, "a")
        calls = (lambda: history.append(["m"]), lambda: reporter.step(run, "1", []))
        threads = [threading.Thread(target=call, daemon=True) for call in calls]
        for thread in threads:
            thread.start()
        wait_for("both threads to be in their calls", lambda: len(server.requests) == 2)
        with warnings.catch_warnings(), store._lock, reporter._lock, reporter._numbers._lock:  # as threads briefly hold them
            warnings.simplefilter("ignore")
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                try:
                    history.read()
                    reporter.step(run, "2", [])
                    reporter.numbered([Question("q", "refund", {}, 0)])
                    store.get(StatePlace("t"))
                    os._exit(0)
                finally:
                    os._exit(1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        go.set()
        for thread in threads:
            thread.join(60)


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
class ForkedLeases(ServerTest):
    """A process forked from one that drives a run"""

    def test_holds_no_lease_of_its_parent(self) -> None:
        client = self.client()
        run = client.start(f"thread-{uuid.uuid4()}")
        with client.lease(run):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if client._leases.fence_for(run.members()) is None else 1)
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
            self.assertIsNotNone(client._leases.fence_for(run.members()))


FORKING = """
import multiprocessing, os, sys, warnings
from waystation import DiskSpool, WaystationClient
warnings.simplefilter("ignore")
clients = {kind: WaystationClient(sys.argv[1], "the-token-of-the-fake-api", "a", spool=spool)
           for kind, spool in (("memory", None), ("disk", DiskSpool(SPOOL)))}
def report(who):
    for kind, client in clients.items():
        for n in range(3): client.report("log", {"thread_id": "t", "name": f"{kind} {who} {n}"})
report("parent")
for number in range(2):
    if os.fork() == 0:
        report(f"child {number}")
        os._exit(0 if all([client.flush() for client in clients.values()]) else 1)
worker = multiprocessing.get_context("fork").Process(target=report, args=("worker",))
worker.start()
worker.join()
assert worker.exitcode == 0
assert [os.wait()[1] for _ in range(2)] == [0, 0]
"""


#: Slows down the loading of what a request needs of Python, and forks meanwhile.
FORKING_EARLY = """
import os, signal, sys, time, warnings
class Slow:
    def find_spec(self, name, path, target=None):
        if name in ("encodings.idna", "stringprep"): time.sleep(0.3)
sys.meta_path.insert(0, Slow())
from waystation import WaystationClient
warnings.simplefilter("ignore")
client = WaystationClient(sys.argv[1], "the-token-of-the-fake-api", "a")
client.report("log", {"thread_id": "t", "name": "parent"})
time.sleep(0.45)  # the thread that sends has begun to load
if os.fork() == 0:
    signal.alarm(30)
    client.report("log", {"thread_id": "t", "name": "child"})
    os._exit(0 if client.flush(20) else 1)
assert os.wait()[1] == 0
assert client.flush(20)
"""


class Endings(unittest.TestCase):
    """The end of a program"""

    def ended(self, code: str, url: str) -> tuple[float, int, str, str]:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        begin = time.monotonic()
        child = python("import sys\nfrom waystation import WaystationClient\n" + code, env, url)
        output, errors = child.communicate(timeout=120)
        return time.monotonic() - begin, child.returncode, output, errors

    def server(self) -> FakeServer:
        server = FakeServer()
        self.addCleanup(server.close)
        return server

    def test_delivers_what_was_reported(self) -> None:
        server = self.server()
        code = (
            "import atexit\n"
            "atexit.register(lambda: ws.report('log', {'thread_id': 't', 'n': 100}))\n"
            "ws = WaystationClient(sys.argv[1], 'the-token-of-the-fake-api', 'a')\n"
            "for n in range(100): ws.report('log', {'thread_id': 't', 'n': n})\n"
        )
        # Exit handlers run in reverse order: import first, so that the client is closed last.
        _, status, _, errors = self.ended(code, server.url)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual([event["data"]["n"] for event in server.events], list(range(101)))

    def test_delivers_a_report_that_is_made_only_then(self) -> None:
        server = self.server()
        code = (
            "import atexit\n"
            "ws = WaystationClient(sys.argv[1], 'the-token-of-the-fake-api', 'a')\n"
            "atexit.register(lambda: ws.report('log', {'thread_id': 't', 'n': 1}))\n"
        )
        _, status, _, errors = self.ended(code, server.url)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual([event["data"]["n"] for event in server.events], [1])

    def test_does_not_hang_where_no_server_answers(self) -> None:
        code = (
            "import threading\n"
            "clients = [WaystationClient(sys.argv[1], 't', 'a', on_trouble=lambda _: None) for _ in range(3)]\n"
            "for ws in clients: ws.report('log', {'thread_id': 't'})\n"
            "def ask():\n"
            "    try: clients[0].latest('t')\n"
            "    except Exception: pass\n"
            "threading.Thread(target=ask, daemon=True).start()\n"
            "sys.exit(3)\n"
        )
        seconds, status, _, errors = self.ended(code, f"http://127.0.0.1:{free_port()}")
        self.assertEqual((status, errors), (3, ""))
        self.assertLess(seconds, 30)

    def test_by_an_error_shows_that_error_only(self) -> None:
        server = self.server()
        code = (
            "with WaystationClient(sys.argv[1], 'the-token-of-the-fake-api', 'a') as ws:\n    ws.start('t')\n    raise ValueError('mine')\n"
        )
        _, status, _, errors = self.ended(code, server.url)
        self.assertEqual((status, errors.strip().splitlines()[-1]), (1, "ValueError: mine"))
        self.assertEqual([event["type"] for event in server.events], ["thread_started"])

    def test_of_a_worker_of_multiprocessing_delivers_too(self) -> None:
        server = self.server()
        context = multiprocessing.get_context("spawn")
        worker = context.Process(target=_report_in_worker, args=(server.url,))
        worker.start()
        worker.join(120)
        self.assertEqual((worker.exitcode, [event["data"]["n"] for event in server.events]), (0, [1]))


def _report_in_worker(url: str, **_: Any) -> None:
    from waystation import WaystationClient

    WaystationClient(url, "the-token-of-the-fake-api", "a").report("log", {"thread_id": "t", "n": 1})
