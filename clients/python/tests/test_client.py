from __future__ import annotations

import threading
import uuid
from decimal import Decimal
from typing import Any

from tests.support import ServerTest, wait_for
from waystation import (
    EffectInDoubtError,
    EffectRefusedError,
    LeaseHeldError,
    NoDecisionError,
    NoEffectError,
    RunCancelledError,
    RunIds,
    WaystationClient,
)

CALL = {"id": "call_1", "type": "function", "function": {"name": "refund", "arguments": '{"amount": 5}'}}


def new_thread() -> str:
    return f"thread {uuid.uuid4()}"


def message(n: int) -> dict[str, Any]:
    return {"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} {'.' * 200}"}


def histories(server: Any, thread_id: str) -> list[list[Any]]:
    return [row["history"] for row in server.checkpoints(thread_id.replace(" ", "%20"))]


class Runs(ServerTest):
    """A run"""

    def test_is_reported_step_by_step_and_completed(self) -> None:
        client, thread_id = self.client(), new_thread()
        with client.run(thread_id, model="some-model") as run:
            self.assertEqual((run.history, run.is_resumed), ([], False))
            for n in range(1, 8):
                run.step([message(one) for one in range(n)], tokens_used=n)
                if n % 2:
                    client.flush()
        self.assertTrue(client.flush())
        self.assertEqual(histories(self.server, thread_id), [[message(one) for one in range(n)] for n in range(1, 8)])
        latest = client.latest(thread_id)
        assert latest is not None
        self.assertEqual((latest["status"], latest["tokens_used"], latest["model"]), ("completed", 7, "some-model"))

    def test_goes_on_after_an_interruption_and_begins_anew_after_its_end(self) -> None:
        client, thread_id = self.client(), new_thread()
        with self.assertRaises(KeyboardInterrupt), client.run(thread_id) as run:
            run.step([message(0)])
            raise KeyboardInterrupt
        client.flush()
        with self.assertRaisesRegex(ZeroDivisionError, "zero"), self.client().run(thread_id) as again:
            self.assertEqual((again.trace_id, again.history, again.is_resumed), (run.trace_id, [message(0)], True))
            again.step([message(0), message(1)])
            _ = 1 / 0
        wait_for("the failure", lambda: (client.latest(thread_id) or {}).get("status") == "error")
        latest = client.latest(thread_id)
        assert latest is not None
        self.assertEqual(latest["error"], {"message": "division by zero", "type": "ZeroDivisionError"})
        with client.run(thread_id) as third:
            self.assertEqual((third.is_resumed, third.history), (False, [message(0), message(1)]))
            self.assertNotEqual(third.trace_id, run.trace_id)

    def test_that_a_person_cancels_ends_at_its_next_step(self) -> None:
        client, thread_id = self.client(), new_thread()
        with self.assertRaises(RunCancelledError), client.run(thread_id) as run:
            run.step([message(0)])
            client.flush()
            path = f"/threads/{thread_id.replace(' ', '%20')}/runs/{run.trace_id}/cancel"
            client.request("POST", path, {})
            for n in range(1, 50):
                run.step([message(0)], step_index=n)
                client.flush()
        latest = client.latest(thread_id)
        assert latest is not None
        self.assertEqual((latest["status"], run.is_cancelled), ("cancelled", True))

    def test_takes_messages_of_several_clients_at_once_and_loses_none(self) -> None:
        thread_id, run = new_thread(), RunIds("", "run")
        run = run._replace(thread_id=thread_id)
        clients = [self.client() for _ in range(4)]
        clients[0].start(thread_id, "run")
        clients[0].flush()

        def append(number: int) -> None:
            for n in range(5):
                clients[number].append(run, [{"from": number, "n": n}])

        threads = [threading.Thread(target=append, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        latest = clients[0].latest(thread_id)
        assert latest is not None
        for number in range(4):
            self.assertEqual([one["n"] for one in latest["history"] if one["from"] == number], list(range(5)))
        self.assertEqual(len(latest["history"]), 20)

    def test_keeps_numbers_and_texts_exactly(self) -> None:
        client, thread_id = self.client(), new_thread()
        value = [2**70, -(10**30), 1.5, Decimal("0.10000000000000000555"), "\ud83d", "ü\u2028\0", {"b": 1, "a": 2}, True, None]
        run = client.start(thread_id)
        client.checkpoint(run, [value], note=Decimal("1.10"))
        client.flush()
        latest: Any = client.latest(thread_id)
        self.assertEqual((latest["history"], latest["note"]), ([value], 1.1))
        self.assertEqual(list(latest["history"][0][6]), ["b", "a"])

    def test_reports_from_64_threads_at_once_lose_and_double_nothing(self) -> None:
        client, thread_id = self.client(), new_thread()
        gate = threading.Barrier(64)

        def work(number: int) -> None:
            run = RunIds(thread_id, f"run-{number}")
            gate.wait()
            client.start(thread_id, run.trace_id)
            for n in range(1, 9):
                client.checkpoint(run, [{"of": number, "n": one} for one in range(n)])
            client.complete(run)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(64)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(client.flush(120))
        rows: dict[str, list[int]] = {}
        for row in self.server.checkpoints(thread_id.replace(" ", "%20")):
            number = int(row["trace_id"].split("-")[1])
            self.assertEqual(row["history"], [{"of": number, "n": n} for n in range(len(row["history"]))])
            rows.setdefault(row["trace_id"], []).append(len(row["history"]))
        self.assertEqual(len(rows), 64)
        self.assertEqual({tuple(lengths) for lengths in rows.values()}, {tuple(range(1, 9))})


class Approvals(ServerTest):
    """An approval"""

    def test_is_waited_for_without_polling(self) -> None:
        client, thread_id = self.client(), new_thread()
        with client.run(thread_id) as run:
            run.step([message(0)], status="waiting_for_approval", pending_tool_calls=[CALL])
            self.assertTrue(client.flush(60))
            with self.assertRaisesRegex(TimeoutError, "nobody has decided"):
                run.wait_for_approval(timeout=0.3)
            decided: list[str] = []
            waiting = threading.Thread(target=lambda: decided.append(run.wait_for_approval()["status"]))
            waiting.start()
            client.request("POST", f"/approvals/{run.trace_id}/0/approve", {"decided_by": "ada"})
            waiting.join(60)
            self.assertEqual(decided, ["approved"])
            self.assertEqual((run.wait_for_approval()["approval"] or {})["decided_by"], "ada")

    def test_from_before_a_person_cancelled_the_run_does_not_count(self) -> None:
        client = self.client()
        run = client.start(new_thread())
        client.checkpoint(run, [message(0)], status="waiting_for_approval", pending_tool_calls=[CALL])
        self.assertTrue(client.flush(60))
        client.api.approvals.approve(run.trace_id, 0, thread_id=run.thread_id)
        client.api.runs.cancel(run)
        with self.assertRaisesRegex(NoDecisionError, "cancelled"):
            self.client().wait_for_approval(run, 60)

    def test_of_other_calls_does_not_count(self) -> None:
        client, thread_id = self.client(), new_thread()
        with client.run(thread_id) as run:
            run.step([message(0)], status="waiting_for_approval", pending_tool_calls=[CALL])
            client.flush()
            client.request("POST", f"/approvals/{run.trace_id}/0/reject", {})
            self.assertEqual(self.client().wait_for_approval(run.ids)["status"], "rejected")
            client._asked.note("checkpoint", {**run.ids.members(), "pending_tool_calls": [{**CALL, "id": "call_2"}]})
            with self.assertRaisesRegex(NoDecisionError, "did not arrive"):
                run.wait_for_approval()
            run.step([message(0)])
            with self.assertRaises(NoDecisionError):
                run.wait_for_approval()


class Questions(ServerTest):
    """A question"""

    QUESTIONS = ({"text": "Which colour?", "options": [{"label": "Red"}, {"label": "Blue"}]},)

    def asks(self, client: WaystationClient, run: RunIds, told: list[Any]) -> tuple[threading.Thread, int]:
        """Waits until people are asked. Returns the thread and the step that asks them."""

        def ask() -> None:
            try:
                told.append(client.ask(run, self.QUESTIONS, 60))
            except NoDecisionError as error:
                told.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        for checkpoint in client.api.runners.watch(run.thread_id, 60, trace_id=run.trace_id):
            if checkpoint["status"] == "waiting_for_approval":
                return asking, checkpoint["step_index"]
        raise AssertionError  # a watch has no end

    def test_is_answered_also_to_a_process_that_was_started_again(self) -> None:
        client = self.client()
        told: list[Any] = []
        run = client.start(new_thread())
        client.append(run, [message(0)])
        gone, step = self.asks(client, run, told)
        client.api.approvals.answer(run.trace_id, step, {"answers": [{"index": 0, "values": {"q0": "Blue"}}]}, thread_id=run.thread_id)
        gone.join(60)
        other = self.client()
        told.append(other.ask(run, self.QUESTIONS, 60))
        self.assertEqual([one.answers for one in told], [{"q0": "Blue"}] * 2)
        # The same question after its answer is a new one.
        again, step = self.asks(other, run, told)
        client.api.approvals.reject(run.trace_id, step, {"reason": "no"}, thread_id=run.thread_id)
        again.join(60)
        self.assertEqual((told[-1].answers, told[-1].reason), (None, "no"))
        self.assertIn(message(0), (client.latest(run.thread_id) or {})["history"])

    def test_is_asked_again_where_a_person_cancelled_the_run_while_it_waited_and_had_it_retried(self) -> None:
        client = self.client()
        told: list[Any] = []
        run = client.start(new_thread())
        client.append(run, [message(0)])
        gone, _ = self.asks(client, run, told)
        client.api.runs.cancel(run)
        gone.join(60)
        self.assertIsInstance(told.pop(), NoDecisionError)
        other = self.client()
        other.start(run.thread_id, run.trace_id)
        other.flush(60)
        again, step = self.asks(other, run, told)
        client.api.approvals.answer(run.trace_id, step, {"answers": [{"index": 0, "values": {"q0": "Red"}}]}, thread_id=run.thread_id)
        again.join(60)
        self.assertEqual([one.answers for one in told], [{"q0": "Red"}])


class Effects(ServerTest):
    """An effect"""

    def test_is_made_once_whoever_asks(self) -> None:
        client, made = self.client(), []
        with client.run(new_thread()) as run:
            for other in (client, self.client()):
                with other.effect(run.ids, "refund:1", "refund", {"amount": 5}) as effect:
                    if not effect.is_done:
                        made.append(effect.key)
                        effect.complete({"paid": 5, "id": 2**60})
                self.assertEqual(effect.result, {"paid": 5, "id": 2**60})
            self.assertEqual(run.effect("refund:1", "refund", {"amount": 5}).make(lambda _: made.append("again")), effect.result)
            self.assertEqual(made, ["refund:1"])
            with self.assertRaises(EffectRefusedError) as caught, run.effect("refund:1", "refund", {"amount": 6}):
                made.append("never")
            self.assertEqual((caught.exception.code, len(made)), ("effect_mismatch", 1))

    def test_whose_call_fails_is_in_doubt_unless_nothing_happened(self) -> None:
        client = self.client()
        with client.run(new_thread()) as run:
            for error in (NoEffectError("the bank was closed"), RuntimeError("the line broke")):
                with self.assertRaises(type(error)), run.effect("pay", "pay"):
                    raise error
            with self.assertRaises(EffectInDoubtError) as caught, run.effect("pay", "pay"):
                self.fail("nobody knows")
            self.assertEqual((caught.exception.effect["attempt"], caught.exception.effect["in_doubt"]), (2, True))
            self.assertIn(f"`waystation settle '{run.ids.thread_id}' pay completed`, or `not_done`", str(caught.exception))
            client.settle(run.ids, caught.exception.effect, "not_done")
            self.assertEqual(run.effect("pay", "pay").make(lambda effect: effect.attempt), 3)

    def test_with_a_result_is_completed_even_if_the_body_fails_later(self) -> None:
        with self.client().run(new_thread()) as run:
            with self.assertRaises(RuntimeError), run.effect("pay", "pay") as effect:
                effect.complete("paid")
                raise RuntimeError("printing the receipt")
            self.assertEqual(run.effect("pay", "pay").make(lambda _: "again"), "paid")


class Leases(ServerTest):
    """A lease"""

    def test_lets_one_client_drive_the_run_until_it_is_released(self) -> None:
        first, second = self.client(), self.client()
        with first.run(new_thread()) as run:
            with first.lease(run.ids) as lease:
                self.assertGreater(lease.fence, 0)
                with self.assertRaises(LeaseHeldError) as caught:
                    second.lease(run.ids)
                self.assertIsNotNone(caught.exception.expires_at)
                run.step([message(0)])
                self.assertTrue(first.flush())
            with second.lease(run.ids) as taken:
                self.assertGreater(taken.fence, lease.fence)

    def test_of_a_run_covers_its_end(self) -> None:
        client, thread_id = self.client(), new_thread()
        with client.run(thread_id) as run, run.lease() as lease:
            run.step([message(0)])
        latest = client.latest(thread_id)
        assert latest is not None
        self.assertEqual((latest["status"], lease.lost.is_set()), ("completed", False))
        with self.client().lease(run.ids) as taken:
            self.assertGreater(taken.fence, lease.fence)

    def test_that_was_lost_leaves_the_end_of_the_run_to_the_other_process(self) -> None:
        first, second, thread_id = self.client(), self.client(), new_thread()
        with first.run(thread_id) as run, run.lease() as lease:
            run.step([message(0)])
            first.flush()
            path = f"/v1/runners/threads/{thread_id.replace(' ', '%20')}/runs/{run.trace_id}/lease?fence={lease.fence}"
            first.request("DELETE", path)
            with second.lease(run.ids):
                lease.check()
                self.assertTrue(lease.lost.wait(60))
        first.flush()
        latest = second.latest(thread_id)
        assert latest is not None
        self.assertNotIn(latest["status"], ("completed", "error"))

    def test_that_another_process_took_over_is_lost(self) -> None:
        lost: list[Any] = []
        rejected: list[Any] = []
        first = self.client(on_lease_lost=lost.append, on_rejected=rejected.append)
        second = self.client()
        run = first.start(new_thread())
        lease = first.lease(run)
        path = f"/v1/runners/threads/{run.thread_id.replace(' ', '%20')}/runs/{run.trace_id}/lease?fence={lease.fence}"
        first.request("DELETE", path)
        with second.lease(run):
            first.checkpoint(run, [message(0)])
            self.assertTrue(lease.lost.wait(60))
            self.assertTrue(first.flush())
        self.assertEqual([one.code for one in rejected], ["stale_fence"])
        self.assertEqual([one.trace_id for one in lost], [run.trace_id])


class Streams(ServerTest):
    """A stream"""

    def test_tells_of_a_thread_and_goes_on_behind_an_event(self) -> None:
        client = self.client()
        with client.run(new_thread()) as run:
            run.step([message(0)])
            client.flush()
            events = client.stream(run.thread_id)
            first = next(events)
            self.assertEqual((first.event, first.data["step_index"]), ("checkpoint", 0))
            run.step([message(0), message(1)])
            client.flush()
            second = next(event for event in events if event.event == "checkpoint")
            self.assertEqual(second.data["step_index"], 1)
            behind = next(event for event in client.stream(run.thread_id, first.id) if event.event == "checkpoint")
            self.assertEqual(behind.data["step_index"], 1)

    def test_ends_when_the_client_is_closed(self) -> None:
        client = self.client()
        run = client.start(new_thread())
        client.checkpoint(run, [])
        client.flush()
        failures: list[BaseException] = []

        def follow() -> None:
            try:
                for _ in client.stream(run.thread_id):
                    begun.set()
            except Exception as error:
                failures.append(error)

        begun = threading.Event()
        following = threading.Thread(target=follow)
        following.start()
        self.assertTrue(begun.wait(60))
        client.close()
        following.join(60)
        self.assertEqual([type(error).__name__ for error in failures], ["ClientClosedError"])
