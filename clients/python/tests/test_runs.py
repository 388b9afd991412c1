from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable

from tests.support import ServerTest
from waystation import Run, RunIds, WaystationClient

#: test/e2e/clients/runs.spec.ts does the same with each case.
_TABLE = json.loads((Path(__file__).resolve().parents[2] / "run-cases.json").read_text("utf-8"))
_CALL = _TABLE["call"]


class Runs(ServerTest):
    """A run"""


def _test_of(case: Mapping[str, Any]) -> Callable[[ServerTest], None]:
    return lambda test: _Thread(test).drive(case)


for _case in _TABLE["cases"]:
    setattr(Runs, f"test_{_case['name'].replace(' ', '_')}", _test_of(_case))


class _Thread:
    def __init__(self, test: ServerTest) -> None:
        self._test = test
        self.id = f"thread-{uuid.uuid4()}"
        self._driver = self._client()
        """The process under test."""

    def drive(self, case: Mapping[str, Any]) -> None:
        for action in case.get("before", []):
            self._happen(action, self._trace_of(action.get("run", "first")))
        asked = self._trace_of(case["asks_for"]) if "asks_for" in case else None
        error: BaseException | None = None
        run = self._driver.run(self.id, asked, resume=case.get("resume"))
        try:
            with run:
                self._check_entered(run, case["enters"])
                history = list(run.history)
                for action in case["does"]:
                    self._act(run, action, history)
        except (Exception, KeyboardInterrupt) as thrown:
            error = thrown
        ends = case["ends"]
        if error is not None and ends.get("error") not in (type(error).__name__, str(error)):
            raise error
        self._test.assertEqual(error is None, "error" not in ends)
        self._driver.flush()
        thread = self._driver.request("GET", f"/threads/{self.id}")
        self._test.assertEqual([one["status"] for one in thread["run_list"]], ends["runs"])
        if "logged" in ends:
            self._test.assertIn(ends["logged"], [entry["message"] for entry in thread["logs"]])
        latest = self._driver.latest(self.id, trace_id=run.trace_id) or {}
        if "said" in ends:
            self._test.assertEqual(_said(latest.get("history", [])), ends["said"])
        if ends.get("is_free"):
            self._client().lease(run.ids).release()

    def _check_entered(self, run: Run, expected: Mapping[str, Any]) -> None:
        entered = {"status": run.status, "is_resumed": run.is_resumed, "has_asked": run.has_asked, "said": _said(run.history)}
        self._test.assertEqual(entered, {name: expected[name] for name in entered})
        if "for_model" in expected:
            self._test.assertEqual(len((run.latest or {}).get("history_for_model", [])), expected["for_model"])
        if run.is_resumed:
            self._test.assertEqual(run.trace_id, self._trace_of("first"))

    def _happen(self, action: Mapping[str, Any], trace_id: str) -> None:
        """Actions of people, earlier processes and others."""
        client, run = self._client(), RunIds(self.id, trace_id)
        if "checkpoint" in action:
            calls = [{"role": "assistant", "content": None, "tool_calls": [_CALL]}] if action.get("calls") else []
            fields = {"pending_tool_calls": [_CALL] if action.get("asks") else None, "approval_features": action.get("features")}
            given = {name: value for name, value in fields.items() if value is not None}
            client.checkpoint(run, [*map(_message, action["checkpoint"]), *calls], status=action["status"], **given)
        if "event" in action:
            client.report(action["event"], run.members())
        client.flush()
        for verb in ("approve", "reject"):
            if verb in action:
                client.request("POST", f"/approvals/{trace_id}/{action[verb]}/{verb}", action.get("with", {}))
        if action.get("cancel"):
            client.request("POST", f"/threads/{self.id}/runs/{trace_id}/cancel", {})
        if "doubt" in action:
            with suppress(RuntimeError), client.effect(run, action["doubt"], "refund"):
                raise RuntimeError("the line broke")
        if "settle" in action:
            client.settle(run, {"key": action["settle"], "attempt": 1}, action["outcome"], action.get("result"))
        if action.get("drive"):
            client.lease(run)

    def _act(self, run: Run, action: Mapping[str, Any], history: list[Any]) -> None:
        """Actions of the run's work."""
        if "step" in action:
            history.extend(map(_message, action["step"]))
            run.step(history)
            self._driver.flush()
        if "decisions" in action:
            meanwhile = [threading.Thread(target=self._happen, args=(action["meanwhile"], run.trace_id))] if "meanwhile" in action else []
            for one in meanwhile:
                one.start()
            decided = run.decisions(60)
            for one in meanwhile:
                one.join()
            for call_id, expected in action["decisions"].items():
                made = decided[call_id]._asdict()
                self._test.assertEqual({name: made[name] for name in expected}, expected)
        if "effect" in action:
            made_here: list[str] = []
            with run.effect(action["effect"], "refund") as effect:
                if not effect.is_done:
                    made_here.append(effect.key)
                    effect.complete(action["gives"])
            self._test.assertEqual((effect.result, bool(made_here)), (action["gives"], action["is_made"]))
        if action.get("cancel"):
            self._happen(action, run.trace_id)
        if action.get("lease"):
            with run.lease():
                pass
        if "attach" in action:
            run.attach(action["attach"].encode(), name=action["name"], caption=action["caption"])
        if "raise" in action:
            raise RuntimeError(action["raise"])
        if action.get("stop"):
            raise KeyboardInterrupt("stopped")

    def _trace_of(self, run: str) -> str:
        return f"{run}-{self.id}"

    def _client(self) -> WaystationClient:
        return self._test.client(on_rejected=lambda rejected: None)


def _message(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _said(history: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [one.get("content") for one in history]
