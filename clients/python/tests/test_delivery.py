from __future__ import annotations

import contextlib
import io
import json
import socket
import threading
import time
import traceback
import unittest
import unittest.mock
from collections.abc import Iterator, Sequence
from typing import Any, Callable

from tests.support import TOKEN, FakeServer, free_port, wait_for
from waystation import (
    ApiRefusalError,
    CancelledRun,
    ClientClosedError,
    MemorySpool,
    RejectedReport,
    RunIds,
    SpooledText,
    UnsupportedError,
    WaystationClient,
)

RUN = RunIds("t", "r")


def messages(count: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": f"{n} {'.' * 500}"} for n in range(count)]


#: Seconds allowed for an operation that should take one.
SOON = 20


@contextlib.contextmanager
def unlimited_requests() -> Iterator[None]:
    """Requests without a limit of their own: only the caller's ends them soon."""
    of_reports = unittest.mock.patch("waystation._delivery._FIRST_TIMEOUT", 60.0)
    of_leases = unittest.mock.patch("waystation._leases.DEFAULT_TIMEOUT", 60.0)
    with of_reports, of_leases:
        yield


class Delivery(unittest.TestCase):
    """Delivery"""

    def setUp(self) -> None:
        self.fake = FakeServer()
        self.addCleanup(self.fake.close)
        self.rejected: list[RejectedReport] = []
        self.troubles: list[str] = []

    def client(self, **options: Any) -> WaystationClient:
        listeners = {"on_rejected": self.rejected.append, "on_trouble": self.troubles.append}
        client = self.fake.client(**{**listeners, **options})
        self.addCleanup(client.close, 0)
        return client

    def numbers(self) -> list[int]:
        return [event["data"]["n"] for event in self.fake.events]

    def answers(self, *judgements: Any) -> None:
        left = list(judgements)
        self.fake.judge = lambda events: left.pop(0) if left else None

    def test_keeps_the_order_and_has_one_request_at_a_time(self) -> None:
        client = self.client()
        for n in range(2_500):
            client.report("log", {"thread_id": "t", "n": n})
        self.assertTrue(client.flush())
        self.assertEqual(self.numbers(), list(range(2_500)))
        self.assertEqual(self.fake.most_at_once, 1)
        stamps = [(event["sequence_num"], event["occurred_at"]) for event in self.fake.events]
        self.assertEqual(stamps, sorted(stamps))
        self.assertEqual(len({event["id"] for event in self.fake.events}), 2_500)

    def test_tries_again_after_answers_that_are_not_of_the_api(self) -> None:
        bad: list[Any] = [
            (500, {}, b"oops"),
            (200, {}, b"<html>a portal</html>"),
            (302, {"Location": "http://127.0.0.1:1/"}, b""),
            (401, {}, b'{"code":"unauthorized","detail":"no"}'),
            (400, {}, b"a proxy"),
            b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{",
            b"rubbish without end\r\n\r\n",
            b"",
            (200, {}, b"[1]"),
            (200, {}, b'{"rejected":7}'),
            (503, {"Retry-After": "0"}, b"\xff\xfe"),
        ]
        self.answers(*bad)
        client = self.client()
        client.report("log", {"thread_id": "t", "n": 1})
        for _ in range(200):  # a flush does not wait for the end of a pause
            if client.flush(0.2):
                break
        self.assertEqual(self.rejected, [])
        self.assertEqual({len(body["events"]) for _, _, body in self.fake.requests}, {1})
        self.assertEqual(len({body["events"][0]["id"] for _, _, body in self.fake.requests}), 1)
        self.assertEqual(len(self.troubles), 1)

    def test_finds_the_report_that_the_api_refuses_and_delivers_the_others(self) -> None:
        def judge(events: list[dict[str, Any]]) -> Any:
            if any(event["data"].get("n") == 13 for event in events):
                return (413, {}, b"<html>too large</html>")
            return None

        self.fake.judge = judge
        client = self.client()
        for n in range(50):
            client.report("log", {"thread_id": "t", "n": n})
        self.assertTrue(client.flush())
        self.assertEqual(sorted(self.numbers()), [n for n in range(50) if n != 13])
        self.assertEqual([(one.code, json.loads(one.event)["data"]["n"]) for one in self.rejected], [("too_large_for_proxy", 13)])

    def test_tells_of_reports_that_are_refused_for_good(self) -> None:
        self.answers({"saved": 1, "rejected": [{"index": 1, "code": "invalid_event", "detail": "n"}]})
        client = self.client()
        client._delivery._work.acquire()  # so that both go out together
        for n in range(2):
            client.report("log", {"thread_id": "t", "n": n})
        client._delivery._work.release()
        self.assertTrue(client.flush())
        self.assertIn(len(self.rejected), (0, 1))
        self.assertEqual([one.code for one in self.rejected], ["invalid_event"] * len(self.rejected))

    def test_never_shows_the_token_whatever_a_server_answers(self) -> None:
        echo = f"Bearer {TOKEN}"
        problem = json.dumps({"code": "bad", "detail": echo}).encode()
        self.answers((500, {}, problem), f"HTTP/1.1 {echo}\r\n\r\n".encode(), (400, {}, problem))
        client = self.client()
        client.report("log", {"thread_id": "t", "n": 1})
        self.assertTrue(client.flush())
        words = [*self.troubles, *(one.detail for one in self.rejected)]
        calls: list[Callable[[], Any]] = [
            lambda: client.latest("t", timeout=0.3),
            lambda: client.request("GET", "/x", timeout=0.3),
            lambda: client.effect(RUN, "k", "tool", timeout=0.3).__enter__(),
            lambda: client.lease(RUN, timeout=0.3),
            lambda: next(client.stream("t")),
        ]
        answers: list[tuple[Any, int]] = [
            ((403, {}, problem), 5),
            (f"HTTP/1.1 {echo} {echo}\r\n\r\n".encode(), 4),
            ((200, {}, echo.encode()), 4),
        ]
        for answer, count in answers:
            self.answers(*[answer] * 1000)
            for call in calls[:count]:
                with self.assertRaises((ApiRefusalError, TimeoutError)) as caught:
                    call()
                words.append("".join(traceback.format_exception(type(caught.exception), caught.exception, None)))
        self.assertGreater(len(words), 10)
        self.assertNotIn(TOKEN, "".join(words))
        self.assertNotIn(TOKEN, repr(vars(client)))

    def test_does_not_wait_for_a_server_that_sends_a_byte_now_and_then(self) -> None:
        client = self.client()
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            slow = WaystationClient(f"http://127.0.0.1:{listener.getsockname()[1]}", TOKEN, "a", on_trouble=self.troubles.append)
            self.addCleanup(slow.close, 0)

            def trickle() -> None:
                with contextlib.suppress(OSError):
                    link, _ = listener.accept()
                    link.recv(65536)
                    link.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                    for _ in range(1000):
                        link.sendall(b" ")
                        time.sleep(0.05)

            threading.Thread(target=trickle, daemon=True).start()
            begin = time.monotonic()
            with self.assertRaises(TimeoutError):
                slow.latest("t", timeout=0.5)
            self.assertLess(time.monotonic() - begin, SOON)
        client.close(0)

    def test_says_once_that_no_server_answers_and_once_that_it_does(self) -> None:
        port = free_port()
        recovered: list[int] = []
        client = WaystationClient(
            f"http://127.0.0.1:{port}", TOKEN, "a", on_trouble=self.troubles.append, on_recovered=lambda: recovered.append(1)
        )
        self.addCleanup(client.close, 0)
        for n in range(20):
            client.report("log", {"thread_id": "t", "n": n})
        self.assertFalse(client.flush(0.3))
        server = FakeServer(port)
        self.addCleanup(server.close)
        self.assertTrue(client.flush(60))
        self.assertEqual([event["data"]["n"] for event in server.events], list(range(20)))
        self.assertEqual((self.troubles, recovered), ([f"http://127.0.0.1:{port} does not answer"], [1]))

    def test_is_waited_for_by_a_question_no_longer_than_it_is_told(self) -> None:
        client = WaystationClient(f"http://127.0.0.1:{free_port()}", TOKEN, "a", on_trouble=self.troubles.append)
        self.addCleanup(client.close, 0)
        with self.assertRaises(TimeoutError):
            client.ask(RUN, [{"text": "Why?"}], 0.3)

    def test_is_refused_to_a_question_where_a_server_of_the_storage_takes_no_answers(self) -> None:
        self.fake.features = "history_base"
        with self.assertRaises(UnsupportedError):
            self.client().ask(RUN, [{"text": "Why?"}], SOON)
        self.assertEqual(self.fake.events, [])

    def test_complains_on_standard_error_where_nobody_listens(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as output:
            client = WaystationClient(self.fake.url, TOKEN, "a", spool=MemorySpool(10))
            self.addCleanup(client.close, 0)
            self.answers((400, {}, b'{"code":"invalid_event","detail":"bad"}'))
            client.report("log", {"thread_id": "t", "n": 1})
            client.flush()
        self.assertIn("waystation: a report was refused (invalid_event): bad", output.getvalue())

    def test_drops_the_oldest_reports_where_the_spool_is_full(self) -> None:
        is_full = threading.Event()

        class SlowSpool(MemorySpool):
            # Events taken for delivery are dropped, too, but may still arrive.
            def peek(self, max_events: int, max_bytes: int) -> Sequence[SpooledText]:
                is_full.wait(60)
                return super().peek(max_events, max_bytes)

        dropped: list[int] = []
        is_full.set()  # the client checks for events of an earlier process
        client = self.client(spool=SlowSpool(2_000), on_dropped=dropped.append)
        is_full.clear()
        for n in range(50):
            client.report("log", {"thread_id": "t", "n": n, "text": "x" * 100})
        is_full.set()
        self.assertTrue(client.flush(60))
        found = self.numbers()
        self.assertEqual(found, list(range(50))[-len(found) :])
        self.assertEqual(sum(dropped) + len(found), 50)
        self.assertLess(len(found), 10)

    def test_sends_bases_only_to_a_server_that_has_announced_them(self) -> None:
        client = self.client()

        def reported(count: int) -> dict[str, Any]:
            client.checkpoint(RUN, messages(count), note={"history": [1]}, history_meta=[{"ts": str(n)} for n in range(count)])
            self.assertTrue(client.flush())
            data: dict[str, Any] = self.fake.events[-1]["data"]
            return data

        self.assertEqual([len(reported(count)["history"]) for count in (2, 4)], [2, 4])
        self.fake.features = "other, history_base"
        self.assertEqual([len(reported(count)["history"]) for count in (6, 8)], [6, 8])
        data = reported(10)
        self.assertEqual(data["history_base"], {"id": self.fake.events[-2]["id"], "length": 8})
        self.assertEqual((data["history"], len(data["history_meta"])), (messages(10)[8:], 2))
        self.assertEqual(data["note"], {"history": [1]})
        self.fake.features = None
        reported(12)
        self.assertEqual(len(reported(14)["history"]), 14)

    def test_sends_the_whole_history_again_where_the_server_lacks_the_base(self) -> None:
        self.fake.features = "history_base"
        client = self.client()
        for count in (1, 2, 3):
            client.checkpoint(RUN, messages(count))
            client.flush()
        self.answers({"saved": 0, "rejected": [{"index": 0, "code": "base_mismatch", "detail": "unknown"}]})
        client.checkpoint(RUN, messages(4))
        self.assertTrue(client.flush())
        self.assertEqual(self.fake.events[-1]["data"]["history"], messages(4))
        self.assertEqual(self.fake.events[-1]["id"], self.fake.events[-2]["id"])
        self.assertEqual(self.rejected, [])

    def test_tells_once_of_a_run_that_a_person_has_cancelled(self) -> None:
        cancelled: list[CancelledRun] = []
        control = [{"action": "cancel", "thread_id": "t", "trace_id": "r"}, {"action": "later"}, 7]
        self.fake.judge = lambda events: {"saved": 1, "rejected": [], "control": control}
        client = self.client(on_cancel=cancelled.append)
        for _ in range(2):
            client.checkpoint(RUN, [])
            client.flush()
        self.assertEqual(cancelled, [CancelledRun("t", "r")])

    def test_goes_on_when_a_listener_fails(self) -> None:
        def broken(_: Any) -> None:
            raise RuntimeError("a listener is broken")

        self.answers((500, {}, b""), (400, {}, b'{"code":"bad","detail":"bad"}'))
        with contextlib.redirect_stderr(io.StringIO()) as output:
            client = self.client(on_rejected=broken, on_trouble=broken)
            for n in range(3):
                client.report("log", {"thread_id": "t", "n": n})
                self.assertTrue(client.flush())
        self.assertEqual(self.numbers(), [1, 2])
        self.assertIn("a listener is broken", output.getvalue())

    def test_ends_what_is_under_way_when_it_is_closed(self) -> None:
        hold = threading.Event()
        self.addCleanup(hold.set)
        self.fake.judge = lambda events: hold.wait(60) and None
        client = self.client()
        client.report("log", {"thread_id": "t", "n": 1})
        failures: list[BaseException] = []

        def ask() -> None:
            try:
                client.latest("t")
            except ClientClosedError as error:
                failures.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        wait_for("two requests", lambda: len(self.fake.requests) == 2)
        begin = time.monotonic()
        self.assertFalse(client.close(0.1))
        asking.join(30)
        self.assertLess(time.monotonic() - begin, 8)
        self.assertEqual(len(failures), 1)
        for call in (lambda: client.report("log", {"thread_id": "t"}), lambda: client.flush(), lambda: client.latest("t")):
            with self.assertRaises(ClientClosedError):
                call()

    def test_is_closed_in_time_though_the_server_takes_a_connection_and_never_answers(self) -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=50) as silent, unlimited_requests():
            client = self.client(api_url=f"http://127.0.0.1:{silent.getsockname()[1]}")
            begin = time.monotonic()
            # As at the end of the interpreter.
            with unittest.mock.patch("threading.Thread.start", side_effect=RuntimeError("no more threads")):
                client.report("log", {"thread_id": "t"})
                self.assertFalse(client.close(1))
            self.assertLess(time.monotonic() - begin, SOON)

    def test_is_closed_in_time_though_the_server_never_answers_the_release_of_a_lease(self) -> None:
        hold = threading.Event()
        self.addCleanup(hold.set)

        def judge(events: Any) -> Any:
            method, path, _ = self.fake.requests[-1]
            if method == "DELETE":
                hold.wait(60)
            return {"fence": 1} if path.endswith("/lease") else None

        self.fake.judge = judge
        client = self.client()
        client.lease(RUN)
        begin = time.monotonic()
        with unlimited_requests():
            client.close(1)
        self.assertLess(time.monotonic() - begin, SOON)

    def test_of_the_end_of_a_leased_run_comes_under_its_fence_and_before_the_release(self) -> None:
        def judge(events: Any) -> Any:
            method, path, _ = self.fake.requests[-1]
            if path.endswith("/lease"):
                return {"fence": 7}
            return (404, {}, b'{"code":"thread_not_found"}') if method == "GET" else None

        self.fake.judge = judge
        with self.client().run("t") as run, run.lease():
            pass
        self.assertEqual([(event["type"], event.get("fence")) for event in self.fake.events][1:], [("thread_completed", 7)])
        self.assertEqual(self.fake.requests[-1][0], "DELETE")

    def test_waits_behind_a_load_balancer_that_answers_404_while_the_server_restarts(self) -> None:
        """For the history of the run, the lease, and with the settlement of an effect."""
        kinds = {
            "GET": {"thread_id": "t", "trace_id": "r", "status": "in_progress", "history": ["Hello"]},
            "/lease": {"fence": 7},
            "/effects": {"state": "started", "attempt": 1},
        }
        refused: set[str] = set()

        def judge(events: Any) -> Any:
            method, path, _ = self.fake.requests[-1]
            kind = next((one for one in kinds if one == method or (method == "POST" and path.endswith(one))), method)
            if kind in refused or kind not in {*kinds, "PUT"}:
                return kinds.get(kind)
            refused.add(kind)
            return 404, {}, b"404 page not found"

        self.fake.judge = judge
        client = self.client()
        with client.run("t") as run:
            self.assertEqual((run.history, run.is_resumed), (["Hello"], True))
            with run.lease(), run.effect("k", "tool") as effect:
                effect.complete("done")
        self.assertEqual(refused, {"GET", "/lease", "/effects", "PUT"})
        settled = [event["data"]["result"] for event in self.fake.events if event["type"] == "effect_settled"]
        self.assertEqual(settled, ["done"])
        with self.assertRaises(ApiRefusalError):
            refused.clear()
            client.api.runners.latest("t")
