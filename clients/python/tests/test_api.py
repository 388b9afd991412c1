# mypy: disable-error-code="func-returns-value"
from __future__ import annotations

import json
import re
import threading
import unittest
from email.message import Message
from pathlib import Path
from typing import Any

from tests.support import TOKEN, ServerTest
from waystation import (
    ApiRefusalError,
    ClientClosedError,
    NoDecisionError,
    OwnValue,
    RunIds,
    StatePlace,
    StateStore,
    StepReporter,
    WaystationApi,
    WaystationClient,
    call_decisions,
)
from waystation._connection import ApiConnection, ApiResponse
from waystation._patience import OutageNotice, PatientRequests
from waystation._requests import ApiRequests
from waystation._settings import ApiAddress

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "openapi.json"
#: Only for browsers, platforms and coding agents; second addresses of others; downloads for any HTTP client.
OTHERS = re.compile(r"(Root|Sessions|Receiver|Hooks|Examples|Attachments|Rules)_|Runners_reportInternal$")
RUN = RunIds("t", "r")


class Asked(ApiRequests):
    """Records the requests."""

    def __init__(self) -> None:
        connection = ApiConnection(ApiAddress("http://127.0.0.1:9"), TOKEN)
        super().__init__(connection, PatientRequests(connection, OutageNotice(print, print)), 1.0)
        self.made: set[tuple[str, str]] = set()

    def exchange(self, method: str, path: str, *_: Any) -> Any:
        self.made.add((method, path))
        return {"items": [], "rejected": []}

    def text(self, path: str) -> str:
        self.made.add(("GET", path))
        return ""

    def follow(self, path: str, *_: Any) -> Any:
        self.made.add(("GET", path))

    def pieces(self, path: str) -> Any:
        self.made.add(("GET", path))


class Operations(unittest.TestCase):
    """The API call by call"""

    def test_reaches_every_operation(self) -> None:
        asked = Asked()
        api = WaystationApi.of(asked)
        threads, approvals, effects, leases, states, channels = (
            api.threads, api.approvals, api.effects, api.leases, api.states, api.channels,
        )  # fmt: skip
        calls: list[Any] = [
            *(threads.list(), threads.get("t"), threads.delete("t"), threads.checkpoints("t"), threads.steps("t"), threads.messages("t")),
            *(threads.stream("t"), threads.watch(), threads.export("t"), threads.import_("{}"), api.runs.cancel(RUN), api.runs.retry(RUN)),
            *(approvals.list(), approvals.get("r", 1), approvals.approve("r", 1), approvals.reject("r", 1), approvals.stream()),
            approvals.answer("r", 1, {"answers": [{"index": 0, "values": {"q0": "x"}}]}),
            *(api.agents.list(), api.agents.invoke("a", {}), api.runners.report([]), api.runners.latest("t")),
            *(list(api.runners.each_thread()), list(api.runners.each_run("t")), api.runners.delete_thread("t")),
            *(effects.list("t"), list(effects.each()), effects.get("t", "k"), effects.claim("t", {}), effects.settle("t", "k", {})),
            *(leases.claim(RUN, {}), leases.get(RUN), leases.release(RUN, 1), states.put("t", "c", {}), states.put_writes("t", "c", {})),
            *(states.put_step("t", {}), states.get("t", "c"), states.get("t"), list(states.each()), list(states.each_outline())),
            states.delete_some("t", []),
            *(states.delete("t"), channels.platforms(), channels.list(), channels.create({}), channels.get("c"), channels.update("c", {})),
            *(channels.delete("c"), channels.replace_config("c", {}), channels.bind_agent("c", {}), channels.unbind_agent("c", "a")),
            *(channels.renew_verification_code("c"), channels.verify("c", "1"), channels.check("c"), channels.messages("c")),
            *(
                channels.set_up_webhook("c", "https://a.example"),
                api.notices.list(),
                api.notices.create({}),
                api.notices.get("n"),
                api.notices.update("n", {}),
                api.notices.delete("n"),
                api.notices.test("n"),
                api.notices.renew_secret("n"),
                api.notices.deliveries("n"),
                api.notices.retry_delivery("n", "d"),
                api.tokens.list(),
                api.tokens.create({}),
                api.tokens.revoke("t"),
                api.tokens.self(),
            ),
            *(api.stats(), api.system(), api.health(), api.ready(), api.metrics()),
        ]
        self.assertTrue(calls)
        paths: dict[str, dict[str, Any]] = json.loads(DOCUMENT.read_text("utf8"))["paths"]
        every = [(method.upper(), path, one["operationId"]) for path, methods in paths.items() for method, one in methods.items()]

        def operation(method: str, path: str) -> str:
            """If two routes match, the one with fewer placeholders counts."""
            fitting = [one for one in every if one[0] == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", one[1]), path)]
            return str(min(fitting, key=lambda one: one[1].count("{"))[2]) if fitting else f"{method} {path}"

        found = {operation(*one) for one in asked.made}
        self.assertEqual(found, {name for _, _, name in every if not OTHERS.match(name)})

    def test_sends_what_may_not_come_twice_once(self) -> None:
        connection = ApiConnection(ApiAddress("http://127.0.0.1:9"), TOKEN)
        sent: list[str] = []

        def busy(path: str, method: str = "GET", *_: Any) -> ApiResponse:
            sent.append(method)
            return ApiResponse(503, Message(), "")

        connection.send = busy  # type: ignore[method-assign,assignment]
        api = WaystationApi.of(ApiRequests(connection, PatientRequests(connection, OutageNotice(_nothing, _nothing)), 0.6))
        with self.assertRaises(ApiRefusalError):
            api.tokens.create({"scope": "runner"})
        self.assertEqual(sent, ["POST"])
        with self.assertRaises(TimeoutError):
            api.tokens.list()
        self.assertGreater(len(sent), 2)

    def test_waits_for_an_answer_as_long_as_it_is_told_and_for_an_import_longer(self) -> None:
        connection = ApiConnection(ApiAddress("http://127.0.0.1:9"), TOKEN)
        times: list[float] = []

        def noted(path: str, method: str, body: Any, headers: Any, timeout: float, *_: Any) -> ApiResponse:
            times.append(timeout)
            return ApiResponse(200, Message(), "{}")

        connection.send = noted  # type: ignore[method-assign,assignment]
        api = WaystationApi.of(ApiRequests(connection, PatientRequests(connection, OutageNotice(_nothing, _nothing)), None))
        for timeout in (0.5, 45.0, None, float("inf")):
            api.within(timeout).tokens.create({})
        api.within(0.5).threads.import_("{}")
        self.assertEqual(times, [0.5, 45.0, 10.0, 86_400.0, 600.0])

    def test_sends_reports_again_only_where_all_have_ids(self) -> None:
        asked: list[bool] = []

        class Noted(Asked):
            def exchange(self, method: str, path: str, *more: Any) -> Any:
                asked.append(more[-1])

        api = WaystationApi.of(Noted())
        batches: list[list[dict[str, Any]]] = [[{"id": "a"}], [{"id": "a"}, {"id": None}], [{}]]
        for events in batches:
            api.runners.report(events)
        self.assertEqual(asked, [True, False, False])

    def test_leaves_the_connections_of_its_owner_open(self) -> None:
        client = WaystationClient("http://127.0.0.1:9", TOKEN, "a", on_trouble=_nothing)
        self.addCleanup(client.close, 0)
        owner = WaystationApi("http://127.0.0.1:9", TOKEN, timeout=0.05)
        for borrowed in (client.api, client.api.within(1), owner.within(1)):
            borrowed.close()
        self.assertFalse(client._requests.ended.is_set())
        with self.assertRaises(TimeoutError):
            owner.stats()
        owner.close()
        for api in (owner, owner.within(1)):
            with self.assertRaises(ClientClosedError):
                api.stats()

    def test_does_not_delete_everything_where_nothing_is_given(self) -> None:
        asked = Asked()
        store = StateStore(WaystationApi.of(asked).states, "a")
        nothing: list[dict[str, Any]] = [{}, {"filter": {}}, {"thread_prefix": ""}]
        for given in nothing:
            with self.assertRaisesRegex(ValueError, "all checkpoints"):
                store.delete_found(**given)
        self.assertEqual(asked.made, set())
        store.delete_found(thread_prefix="", filter={"run_id": "1"})
        self.assertEqual(asked.made, {("GET", "/v1/runners/state/index")})

    def test_takes_the_turn_of_the_thread_for_each_report(self) -> None:
        reporter = StepReporter(WaystationApi.of(Asked()).runners)
        turns: list[RunIds] = []
        turn = reporter.turn

        def noted(run: RunIds) -> Any:
            turns.append(run)
            return turn(run)

        reporter.turn = noted  # type: ignore[method-assign]
        calls: list[Any] = [
            lambda: reporter.step(RUN, "s", []),
            lambda: reporter.recall(RUN, "s", []),
            lambda: reporter.note(RUN, "s", "t", []),
            lambda: reporter.answered(RUN, "s"),
            lambda: reporter.ask(RUN, "s"),
        ]
        for call in calls:
            turns.clear()
            call()
            self.assertTrue(turns)
        with turn(RUN), turn(RUN):  # reentrant
            reporter.step(RUN, "s", [])

    def test_says_that_nobody_decides_about_a_run_that_has_ended(self) -> None:
        left: dict[str, Any] = {"pending_tool_calls": [{"id": "a"}], "approval": None}
        for status in ("cancelled", "error", "completed", "budget_exceeded"):
            with self.assertRaises(NoDecisionError):
                call_decisions({**left, "status": status})
            with self.assertRaises(NoDecisionError):  # approved, then cancelled
                call_decisions({"status": status, "approval": {"status": "approved", "tool_calls": [{"id": "a"}]}})
        self.assertIsNone(call_decisions({**left, "status": "waiting_for_approval"}))

    def test_reads_what_was_decided_about_each_call(self) -> None:
        calls: list[dict[str, Any]] = [
            {"id": "a", "args": 1, "decision": None, "edited_args": None},
            {"id": "b", "args": 2, "decision": "reject", "edited_args": None},
            {"id": "c", "args": 3, "decision": "approve", "edited_args": 4},
        ]
        approval = {"status": "approved", "reason": "so", "decided_by": "Ada", "tool_calls": calls}
        found = call_decisions({"status": "approved", "approval": approval}) or {}
        self.assertEqual(
            [(name, *one) for name, one in found.items()],
            [("a", True, "so", "Ada", 1, False, None), ("b", False, "so", "Ada", 2, False, None), ("c", True, "so", "Ada", 4, True, None)],
        )

    def test_approves_neither_of_two_calls_with_one_id_where_people_rejected_one(self) -> None:
        for verbs in (("approve", "reject"), ("reject", "approve")):
            calls: list[dict[str, Any]] = [{"id": "a", "args": {}, "decision": verb, "edited_args": None} for verb in verbs]
            approval = {"status": "approved", "reason": None, "decided_by": "Ada", "tool_calls": calls}
            found = call_decisions({"status": "approved", "approval": approval}) or {}
            self.assertEqual([(name, one.approved) for name, one in found.items()], [("a", False)])


class Tokens(ServerTest):
    """Tokens of the API"""

    def test_are_revoked_with_those_that_they_created_only_on_demand(self) -> None:
        def api(token: str) -> WaystationApi:
            made = WaystationApi(self.server.url, token)
            self.addCleanup(made.close)
            return made

        admin = api(self.server.token)
        for with_children in (False, True):
            parent = admin.tokens.create({"scope": "admin"})
            child = api(api(parent["token"]).tokens.create({"scope": "admin"})["token"])
            admin.tokens.revoke(parent["id"], with_children=with_children)
            if with_children:
                with self.assertRaises(ApiRefusalError) as refused:
                    child.tokens.self()
                self.assertEqual(refused.exception.status, 401)
            else:
                self.assertEqual(child.tokens.self()["scope"], "admin")


class Store(ServerTest):
    """A store of states"""

    def test_goes_on_where_another_process_has_deleted_the_parent_and_prunes_and_copies(self) -> None:
        api = WaystationApi(self.server.url, self.server.token)
        self.addCleanup(api.close)
        thread = f"states-{threading.get_ident()}"
        one, other = StateStore(api.states, "support"), StateStore(api.states, "support")
        dumps: list[str] = []

        def value(version: int, is_new: bool) -> dict[str, OwnValue]:
            return {"a": OwnValue(version, lambda: dumps.append("a") or ("json", b'"long"'), is_new)}

        def put(checkpoint_id: str, parent: str | None, is_new: bool = False) -> None:
            one.put(StatePlace(thread, "", checkpoint_id), parent, ("json", b"{}"), {"run_id": checkpoint_id}, value(1, is_new))

        put("1", None, True)
        put("2", "1")
        self.assertEqual(dumps, ["a"])
        other.delete(thread)
        put("3", "2")
        self.assertEqual(dumps, ["a", "a"])
        one.put_writes(StatePlace(thread, "", "3"), "task", [(0, "b", ("json", b"1")), (0, "b", ("json", b"2"))])
        put("4", "3")
        other.copy(thread, f"{thread}-copy")
        one.prune(thread, lambda _, ancestors: len(ancestors))
        self.assertEqual([state["checkpoint_id"] for state in one.each(thread_id=thread)], ["4", "3"])
        one.prune(thread)
        self.assertEqual([state["checkpoint_id"] for state in one.each(thread_id=thread)], ["4"])
        one.delete_found(thread_id=f"{thread}-copy", filter={"run_id": "4"})
        [copied] = one.each(thread_id=f"{thread}-copy")
        self.assertEqual((copied["checkpoint_id"], copied["writes"][0]["data"], copied["values"]["a"]["version"]), ("3", "Mg==", 1))
        one.delete(f"{thread}-copy")
        self.assertIsNone(one.get(StatePlace(f"{thread}-copy")))


def _nothing(*_: object) -> None:
    return None
