"""The saver's requests, and its handling of unexpected responses."""

from __future__ import annotations

import inspect
import os
import threading
import unittest
import unittest.mock
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.types import Interrupt
from waystation import ApiRefusalError, Question, RunIds, WaystationClient
from waystation._requests import ApiRequests

from tests.support import saver
from waystation_langgraph import WaystationSaver, resume_when_decided

TOKEN = "secret-token"
CONFIG: Any = {"configurable": {"thread_id": "order-4711"}}


class Requests(unittest.TestCase):
    """The saver"""

    def fake(self, status: int, kind: str, text: str, **options: Any) -> WaystationSaver:
        """A saver whose server always gives the same response."""

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_PUT = do_POST = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        client = WaystationClient(f"http://127.0.0.1:{server.server_port}", TOKEN, "langgraph", on_trouble=lambda _: None)
        self.addCleanup(client.close, 0)
        return WaystationSaver(client=client, **options)

    def test_takes_no_page_that_says_404_for_a_graph_that_has_not_begun(self) -> None:
        found = self.fake(404, "application/problem+json", '{"code": "state_not_found"}').get_tuple(CONFIG)
        self.assertIsNone(found)
        page = f"<html>authorization: Bearer {TOKEN}</html>"
        for status in (200, 403, 404):
            with self.assertRaises(ApiRefusalError) as refused:
                self.fake(status, "text/html", page).get_tuple(CONFIG)
            self.assertEqual(refused.exception.status, status)
            self.assertNotRegex(str(refused.exception), f"html|{TOKEN}")

    def test_ends_its_patience(self) -> None:
        with self.assertRaises(TimeoutError):
            self.fake(503, "text/html", "", timeout=0.5).get_tuple(CONFIG)

    def test_says_why_the_server_refused(self) -> None:
        problem = '{"code": "agent_not_allowed", "detail": "The token is for other agents."}'
        with self.assertRaisesRegex(ApiRefusalError, "The token is for other agents"):
            self.fake(403, "application/problem+json", problem).put(CONFIG, empty_checkpoint(), {}, {})

    def test_fails_where_the_server_takes_the_state_but_not_the_step(self) -> None:
        refused = '{"index": 0, "code": "stale_fence", "detail": "Another process drives the run."}'
        answer = f'{{"checkpoint": {{"digests": {{}}}}, "events": {{"saved": 0, "rejected": [{refused}]}}}}'
        with self.assertRaisesRegex(ApiRefusalError, "Another process drives the run"):
            self.fake(200, "application/json", answer).put(CONFIG, empty_checkpoint(), {}, {})

    def test_refuses_an_empty_thread_id_which_graphs_that_have_nothing_to_do_with_each_other_would_share(self) -> None:
        made = self.fake(200, "application/json", "{}")
        config: Any = {"configurable": {"thread_id": ""}}
        at: Any = {"configurable": {"thread_id": "", "checkpoint_id": "c"}}
        for call in (
            lambda: made.get_tuple(config),
            lambda: list(made.list(config)),
            lambda: made.put(config, empty_checkpoint(), {}, {}),
            lambda: made.put_writes(at, [], "t1"),
            lambda: made.delete_thread(""),
            lambda: made.prune([""]),
            lambda: made.prune([""], strategy="delete"),
            lambda: made.copy_thread("", "b"),
            lambda: made.copy_thread("a", ""),
        ):
            with self.assertRaisesRegex(ValueError, '"thread_id"'):
                call()

    def test_asks_what_an_interrupt_asked_before_its_checkpoint_was_stored_however_many_other_graphs_do(self) -> None:
        threads, asked = self.asked_after(300)
        self.assertEqual(asked, threads)

    def test_remembers_no_more_than_a_thousand_checkpoints_that_are_never_stored(self) -> None:
        threads, asked = self.asked_after(1_300)
        self.assertEqual(asked, threads[-1_000:])

    def asked_after(self, count: int) -> tuple[list[str], list[str]]:
        """This many threads whose interrupts come before their checkpoints are stored, and those about which people were then asked."""
        made, asked = self.fake(200, "application/json", "{}"), []

        def answered(_: ApiRequests, method: str, path: str, *, body: Any = None, **__: Any) -> Any:
            if method == "GET":
                refusal = ApiRefusalError(404, "none")
                refusal.problem = {"code": "state_not_found"}
                raise refusal
            for event in (body or {}).get("events", []):
                asked.extend(event["data"].get("pending_tool_calls", []))
            return {"checkpoint": {"digests": {}}, "events": None}

        patched = unittest.mock.patch.object(ApiRequests, "send", answered)
        patched.start()
        self.addCleanup(patched.stop)
        checkpoint = empty_checkpoint()
        threads = [str(uuid.uuid4()) for _ in range(count)]
        for thread in threads:
            config: Any = {"configurable": {"thread_id": thread, "checkpoint_id": checkpoint["id"]}}
            made.put_writes(config, [("__interrupt__", [Interrupt(thread, id=thread)])], "t1")
        self.assertEqual(asked, [])
        for thread in threads:
            made.put({"configurable": {"thread_id": thread}}, checkpoint, {}, {})
        return threads, [call["id"].removesuffix(":0") for call in asked]

    def test_shows_a_graph_under_an_agent_process_in_the_thread_of_its_token(self) -> None:
        made = self.fake(200, "application/json", "{}")
        self.assertEqual(made.run_of(CONFIG), RunIds("langgraph:order-4711", "langgraph:order-4711", None, "langgraph"))
        started = {"WAYSTATION_THREAD_ID": "order-4711", "WAYSTATION_TRACE_ID": "run-9"}
        with unittest.mock.patch.dict(os.environ, started):
            made = self.fake(200, "application/json", "{}", agent_id="support:writer")
            self.assertEqual(made.run_of(CONFIG), RunIds("order-4711", "langgraph:order-4711", "run-9", "support:writer"))

    def test_takes_asynchronously_what_it_takes_otherwise(self) -> None:
        names = [name for name in vars(WaystationSaver) if name.startswith("a") and name[1:] in vars(WaystationSaver)]
        self.assertEqual(len(names), 8)
        for name in names:
            made, sync = getattr(WaystationSaver, name), getattr(WaystationSaver, name[1:])
            self.assertEqual(inspect.signature(made).parameters, inspect.signature(sync).parameters, name)
            self.assertEqual(made.__name__, name)
        self.assertIn("task_path", inspect.signature(self.fake(200, "application/json", "{}").aput_writes).parameters)

    def test_gives_no_answer_to_all_of_several_interrupts(self) -> None:
        calls = ", ".join(f'{{"id": "{one}:0", "args": {{}}, "decision": "approve"}}' for one in "ab")
        made = self.fake(
            200, "application/json", f'{{"status": "approved", "approval": {{"status": "approved", "tool_calls": [{calls}]}}}}'
        )
        graph = SimpleNamespace(checkpointer=made, invoke=lambda given, _: given)
        one, other = (Question(name, "interrupt", {}, 0) for name in "ab")
        with unittest.mock.patch.object(WaystationSaver, "waiting", return_value=[one]):
            self.assertTrue(resume_when_decided(graph, CONFIG, timeout=60).resume["approved"])
        for more in (other, Question("0" * 32, "interrupt", {}, 0)):
            with (
                unittest.mock.patch.object(WaystationSaver, "waiting", return_value=[one, more]),
                self.assertRaisesRegex(ValueError, "several interrupts"),
            ):
                resume_when_decided(graph, CONFIG, timeout=60)

    def test_says_what_the_configuration_lacks(self) -> None:
        made = self.fake(200, "application/json", "{}")
        with self.assertRaisesRegex(ValueError, "thread_id"):
            made.get_tuple({"configurable": {}})
        with self.assertRaisesRegex(ValueError, "checkpoint_id"):
            made.put_writes(CONFIG, [("a", 1)], "t1")

    def test_sends_a_value_that_did_not_change_once(self) -> None:
        config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
        first = {**empty_checkpoint(), "channel_values": {"a": "long" * 100, "b": 1}, "channel_versions": {"a": 1, "b": 1}}
        second = {**empty_checkpoint(), "channel_values": {"a": "long" * 100, "b": 2}, "channel_versions": {"a": 1, "b": 2}}
        third = {**second, "id": empty_checkpoint()["id"]}
        stored = saver(self).put(config, first, {}, {"a": 1, "b": 1})  # type: ignore[arg-type]
        other, sent = saver(self), []
        put = other._store._states.put_step

        def noted(thread_id: str, step: Any, **query: Any) -> Any:
            sent.append({name: sorted(value) for name, value in step["checkpoint"]["values"].items()})
            return put(thread_id, step, **query)

        other._store._states.put_step = noted  # type: ignore[method-assign]
        stored = other.put(stored, second, {}, {"b": 2})  # type: ignore[arg-type]
        saver(self).delete_thread(config["configurable"]["thread_id"])  # by another process
        stored = other.put(stored, third, {}, {})  # type: ignore[arg-type]
        by_digest, whole = ["digest", "type", "version"], ["data", "type", "version"]
        self.assertEqual(
            sent,
            [{"a": by_digest, "b": whole}, {"a": by_digest, "b": by_digest}, {"a": whole, "b": whole}],
        )
        found = other.get_tuple(stored)
        self.assertEqual(found and found.checkpoint["channel_values"], second["channel_values"])
