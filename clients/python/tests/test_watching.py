from __future__ import annotations

import threading
import time
import unittest
import unittest.mock
import uuid
from email.message import Message
from typing import Any, Callable

from tests.support import TOKEN, FakeServer, ServerTest
from waystation import ApiRefusalError, ClientClosedError, NoDecisionError, Question, RunIds, StepReporter, WaystationApi, WaystationClient
from waystation._connection import ApiConnection, ApiResponse
from waystation._patience import OutageNotice, PatientRequests
from waystation._requests import ApiRequests
from waystation._settings import ApiAddress

RUN = RunIds("t", "r")
CALL = {"id": "call_1", "type": "function", "function": {"name": "refund", "arguments": '{"amount": 5}'}}
WAITING = '{"status": "waiting_for_approval"}'
APPROVED = '{"status": "approved", "approval": {"status": "approved", "tool_calls": [{"id": "call_1", "args": 5}]}}'


def answer(text: str, etag: str | None = None, status: int = 200) -> ApiResponse:
    headers = Message()
    if etag is not None:
        headers["ETag"] = etag
    return ApiResponse(status, headers, text)


class Watches(unittest.TestCase):
    """A watch"""

    def api(self, answers: Callable[[int], ApiResponse]) -> tuple[WaystationApi, list[str]]:
        """An API whose server responds at once, without ever holding a request."""
        connection = ApiConnection(ApiAddress("http://127.0.0.1:9"), TOKEN)
        sent: list[str] = []

        def send(path: str, *_: Any, **__: Any) -> ApiResponse:
            sent.append(path)
            return answers(len(sent))

        connection.send = send  # type: ignore[method-assign]
        silent = OutageNotice(lambda _: None, lambda: None)
        return WaystationApi.of(ApiRequests(connection, PatientRequests(connection, silent), 1.0)), sent

    def test_pauses_where_something_between_takes_away_what_the_server_waits_by(self) -> None:
        same: dict[str, Callable[[int], ApiResponse]] = {
            "no ETag": lambda _: answer(WAITING),
            "the same again": lambda _: answer(WAITING, '"1"'),
            "another ETag each time": lambda n: answer(WAITING, f'"{n}"'),
            "unchanged at once": lambda n: answer(WAITING, '"1"') if n == 1 else answer("", status=304),
        }
        for name, answers in same.items():
            api, sent = self.api(answers)
            with self.assertRaises(TimeoutError, msg=name):
                api.runners.decisions(RUN, timeout=0.5)
            self.assertLess(len(sent), 8, name)

    def test_sees_a_change_though_there_is_no_etag(self) -> None:
        api, sent = self.api(lambda n: answer(WAITING if n < 3 else APPROVED))
        self.assertTrue(api.runners.decisions(RUN, timeout=60)["call_1"].approved)
        self.assertEqual(len(sent), 3)

    def test_goes_on_without_a_pause_after_each_change(self) -> None:
        api, _ = self.api(lambda n: answer(f'{{"status": "waiting_for_approval", "n": {n}}}', f'"{n}"'))
        states = api.runners.watch("t", timeout=60)
        begin = time.monotonic()
        self.assertEqual([next(states).get("n") for _ in range(200)], [*range(1, 201)])
        self.assertLess(time.monotonic() - begin, 10)

    def test_ends_during_a_pause_when_its_owner_is_closed(self) -> None:
        api, _ = self.api(lambda _: answer(WAITING))
        states = api.runners.watch("t")
        next(states)
        threading.Timer(0.05, api._requests.end).start()
        with self.assertRaises(ClientClosedError):
            next(states)

    def test_refuses_the_page_of_a_proxy(self) -> None:
        api, _ = self.api(lambda _: answer("<html>"))
        with self.assertRaisesRegex(ApiRefusalError, "no JSON"):
            next(api.runners.watch("t"))


class EndedStreams(unittest.TestCase):
    """A stream that something between ends at once"""

    def test_is_opened_again_after_longer_and_longer_pauses(self) -> None:
        event = b'event: opened\ndata: {"trace_id": "r"}\n\n'
        for brought in (b"", event):
            server = FakeServer()
            self.addCleanup(server.close)

            def judge(_: Any, server: FakeServer = server, brought: bytes = brought) -> Any:
                is_stream = server.requests[-1][1].endswith("/stream")
                return (200, {"Content-Type": "text/event-stream"}, brought) if is_stream else {"status": "pending"}

            server.judge = judge
            with self.assertRaises(TimeoutError):
                WaystationApi(server.url, TOKEN).approvals.wait("r", 1, timeout=1.2)
            opened = sum(path.endswith("/stream") for _, path, _ in server.requests)
            self.assertIn(opened, range(2, 6), brought)


class Approvals(ServerTest):
    """The approval of a step"""

    def asked(self) -> tuple[WaystationClient, RunIds]:
        client = self.client()
        run = client.start(f"thread {uuid.uuid4()}")
        client.checkpoint(run, [], status="waiting_for_approval", pending_tool_calls=[CALL])
        self.assertTrue(client.flush(60))
        return client, run

    def test_is_waited_for_by_those_who_see_approvals(self) -> None:
        client, run = self.asked()
        other, _ = self.asked()
        found: list[Any] = []
        waiting = threading.Thread(target=lambda: found.append(other.api.approvals.wait(run.trace_id, 0, timeout=60)))
        waiting.start()
        with self.assertRaisesRegex(TimeoutError, "nobody has decided"):
            client.api.approvals.wait(run.trace_id, 0, timeout=0.2, thread_id=run.thread_id)
        client.api.approvals.reject(run.trace_id, 0, {"reason": "too much"})
        waiting.join(60)
        self.assertEqual([(one["status"], one["reason"]) for one in found], [("rejected", "too much")])
        self.assertEqual(client.api.approvals.wait(run.trace_id, 0, timeout=0)["status"], "rejected")

    def test_that_nobody_can_give_any_more_ends_the_wait(self) -> None:
        client, run = self.asked()
        ended: list[str] = []
        waiting = threading.Thread(target=lambda: ended.append(client.api.approvals.wait(run.trace_id, 0, timeout=60)["status"]))
        waiting.start()
        client.api.runs.cancel(run)
        waiting.join(60)
        self.assertEqual(ended, ["superseded"])
        with self.assertRaises(ApiRefusalError):
            client.api.approvals.wait(run.trace_id, 7, timeout=60)


class TakingUp(ServerTest):
    """A run that another process has driven"""

    def reporter(self) -> StepReporter:
        """As in another process."""
        return StepReporter(self.client().api.within(60).runners)

    def setUp(self) -> None:
        super().setUp()
        self.api = self.client().api
        self.run_ids = RunIds(f"thread {uuid.uuid4()}", "graph", agent_id="support")
        self.questions = [Question("a", "refund", 5, 0), Question("b", "refund", 6, 0), Question("c", "refund", "text")]

    def asked(self) -> list[str]:
        items = self.api.approvals.list(trace_id=self.run_ids.trace_id, thread_id=self.run_ids.thread_id)["items"]
        return [call["id"] for one in items for call in one["tool_calls"]]

    def test_asks_what_nobody_was_asked_and_nothing_twice(self) -> None:
        first = self.reporter()
        first.step(self.run_ids, "1", [])
        self.assertEqual(self.reporter().take_up(self.run_ids, "1", [], self.questions), self.questions)
        self.assertEqual(self.asked(), ["a:0", "b:0", "c"])
        again = [one._replace(number=0) if one.number is not None else one for one in self.questions]
        self.assertEqual(self.reporter().take_up(self.run_ids, "1", [], again), self.questions)
        self.api.approvals.approve("graph", self.step(), thread_id=self.run_ids.thread_id)
        made = self.api.runners.decisions_about(self.run_ids, self.questions, 60)
        self.assertEqual([(one.approved, one.args) for one in made], [(True, 5), (True, 6), (True, "text")])
        # Its task has more answers than the question had before it: it was answered, and then failed.
        answered = [self.questions[0]._replace(number=1), *self.questions[1:]]
        self.assertEqual(self.reporter().take_up(self.run_ids, "1", [], answered), self.questions[1:])
        self.assertEqual(self.api.runners.decisions_about(self.run_ids, [], 0), [])
        with self.assertRaisesRegex(ValueError, "Nobody was asked about z"):
            self.api.runners.decisions_about(self.run_ids, [Question("z", "refund", 1)], 60)

    def test_asks_a_question_whose_arguments_are_too_long_for_the_server_and_shows_their_beginning(self) -> None:
        args = {"question": "Publish it?", "text": "ü" * 70_000}
        long = Question("a", "ask", args, 0, questions=[{"text": "Publish it?", "options": [{"label": "Yes"}, {"label": "No"}]}])
        self.reporter().step(self.run_ids, "1", [])
        for _ in ("asked", "asked already"):
            self.assertEqual(self.reporter().take_up(self.run_ids, "1", [], [long]), [long])
        [item] = self.api.approvals.list(thread_id=self.run_ids.thread_id)["items"]
        [call] = item["tool_calls"]
        self.assertRegex(call["args"], r'^{"question": "Publish it\?", "text": "ü{3900,}… \(shortened from 70039 characters\)$')
        answer = {"answers": [{"index": 0, "values": {"q0": "Yes"}}]}
        self.api.approvals.answer("graph", self.step(), answer, thread_id=self.run_ids.thread_id)
        [made] = self.api.runners.decisions_about(self.run_ids, [long], 60)
        self.assertEqual((made.approved, made.answers, made.args), (True, {"q0": "Yes"}, args))

    def step(self) -> int:
        return int((self.api.runners.latest(self.run_ids.thread_id, trace_id="graph") or {})["step_index"])

    def test_stays_cancelled(self) -> None:
        first = self.reporter()
        first.step(self.run_ids, "1", [])
        self.api.runs.cancel(self.run_ids)
        for questions in (self.questions, []):
            with self.assertRaisesRegex(NoDecisionError, "cancelled"):
                self.reporter().take_up(self.run_ids, "1", [], questions)
        self.assertEqual(self.asked(), [])

    def test_begins_again_where_a_person_has_retried_the_run_that_was_cancelled_with_it(self) -> None:
        client, run = self.client(), self.run_ids._replace(parent_trace_id="caller")

        def start_caller() -> None:
            """An agent process's report of a retry."""
            caller = client.start(run.thread_id, "caller")
            client.checkpoint(caller, [{"role": "user", "content": "Go on."}])
            client.flush()

        start_caller()
        self.reporter().step(run, "1", [])
        for is_answered in (False, True, True):
            self.reporter().take_up(run, "1", [], self.questions)
            self.assertEqual(self.asked(), ["a:0", "b:0", "c"])
            if is_answered:
                self.api.approvals.approve("graph", self.step(), thread_id=run.thread_id)
            self.api.runs.cancel(run._replace(trace_id="caller"))
            with self.assertRaisesRegex(NoDecisionError, "cancelled"):
                self.reporter().take_up(run, "1", [], self.questions)
            start_caller()
        self.assertEqual(self.reporter().take_up(run, "1", [], []), [])  # all were answered
        [own] = [one for one in self.api.runners.each_run(run.thread_id) if one["trace_id"] == "graph"]
        self.assertEqual((own["status"], own.get("cancelled_with")), ("in_progress", None))
        self.api.runs.cancel(run)  # by itself
        with self.assertRaisesRegex(NoDecisionError, "cancelled"):
            self.reporter().take_up(run, "1", [], self.questions)

    def start(self, trace_id: str, **above: str) -> None:
        """An agent process's report, also for a retry."""
        data = {"thread_id": self.run_ids.thread_id, "trace_id": trace_id, "agent_id": "support", **above}
        self.api.runners.report([{"type": "thread_started", "id": str(uuid.uuid4()), "data": data}])

    def cancelled_with_a_caller_that_is_retried(self) -> RunIds:
        run = self.run_ids._replace(parent_trace_id="caller")
        self.start("caller")
        self.reporter().step(run, "1", [])
        self.reporter().take_up(run, "1", [], self.questions)
        self.api.runs.cancel(run._replace(trace_id="caller"))
        self.start("caller")
        return run

    def test_asks_again_also_where_what_began_it_again_asked_nobody(self) -> None:
        run = self.cancelled_with_a_caller_that_is_retried()
        self.start("graph", parent_trace_id="caller")
        for _ in range(2):
            self.reporter().take_up(run, "1", [], self.questions)
            self.assertEqual(self.asked(), ["a:0", "b:0", "c"])

    def test_begins_again_and_asks_in_one_report(self) -> None:
        run = self.cancelled_with_a_caller_that_is_retried()
        runners = self.client().api.within(60).runners
        report, sent = runners.report, []

        def noted(events: Any) -> Any:
            sent.append([one["type"] for one in events])
            return report(events)

        with unittest.mock.patch.object(runners, "report", noted):
            StepReporter(runners).take_up(run, "1", [], self.questions)
        self.assertEqual((sent, self.asked()), ([["thread_started", "checkpoint"]], ["a:0", "b:0", "c"]))

    def test_begins_again_each_time_though_nothing_was_open(self) -> None:
        run = self.run_ids._replace(parent_trace_id="caller")
        self.start("caller")
        self.reporter().step(run, "1", [])
        for _ in range(2):
            self.api.runs.cancel(run._replace(trace_id="caller"))
            self.start("caller")
            self.reporter().take_up(run, "1", [], [])
            [own] = [one for one in self.api.runners.each_run(run.thread_id) if one["trace_id"] == "graph"]
            self.assertEqual(own["status"], "in_progress")

    def test_begins_again_where_a_person_has_retried_a_run_between_it_and_the_cancelled_one(self) -> None:
        run = self.run_ids._replace(parent_trace_id="c")
        self.start("a")
        self.start("b", parent_trace_id="a")
        self.start("c", parent_trace_id="b")
        self.start("beside", parent_trace_id="a")
        self.reporter().step(run, "1", [])
        self.reporter().take_up(run, "1", [], self.questions)
        self.api.runs.cancel(run._replace(trace_id="a"))
        self.start("beside", parent_trace_id="a")
        with self.assertRaisesRegex(NoDecisionError, "cancelled"):
            self.reporter().take_up(run, "1", [], self.questions)
        self.start("b", parent_trace_id="a")
        self.reporter().take_up(run, "1", [], self.questions)
        self.assertEqual(self.asked(), ["a:0", "b:0", "c"])
