from __future__ import annotations

import threading
import uuid
from decimal import Decimal
from typing import Any

from tests.support import ServerTest
from waystation import ApiRefusalError, HistoryChange, RunIds, ThreadHistory


class Histories(ServerTest):
    """A history that several processes share"""

    def setUp(self) -> None:
        super().setUp()
        self.thread_id = f"history {uuid.uuid4()}"

    def history(self, agent_id: str = "support", thread_id: str | None = None) -> ThreadHistory:
        """As seen by another process."""
        run = RunIds(thread_id or self.thread_id, "list", agent_id=agent_id)
        return ThreadHistory(self.client().api.within(60).runners, run)

    def test_is_begun_once_and_loses_nothing_when_many_begin_it_at_the_same_moment(self) -> None:
        gate = threading.Barrier(5)

        def append(name: str) -> None:
            history = self.history()
            gate.wait()
            for n in range(3):
                history.append([f"{name}{n}"])

        threads = [threading.Thread(target=append, args=(name,)) for name in "abcde"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        messages = self.history().read() or []
        self.assertEqual(len(messages), 15)
        for name in "abcde":
            self.assertEqual([one for one in messages if one[0] == name], [f"{name}{n}" for n in range(3)])

    def test_can_be_changed_by_each_goes_on_after_it_was_cleared_or_deleted_and_leaves_out_what_it_has(self) -> None:
        first, second = self.history(), self.history()
        self.assertIsNone(first.read())
        first.clear()
        self.assertIsNone(first.read())
        first.append(["a", "b", "c"])
        second.edit(lambda messages: HistoryChange(len(messages) - 1, ["d"]))
        second.edit(lambda _: None)
        first.append(["c", "d", "e"], str)
        self.assertEqual(second.read(), ["a", "b", "d", "c", "e"])
        first.append(["x", "x"], lambda _: None)  # one without a name is never left out
        self.assertEqual(second.read(), ["a", "b", "d", "c", "e", "x", "x"])
        second.clear()
        self.assertEqual(first.read(), [])
        first.append(["f"])
        self.client().api.runners.delete_thread(self.thread_id)
        self.assertIsNone(second.read())
        first.append(["g"], str)
        second.append(["h"])
        self.assertEqual(first.read(), ["g", "h"])

    def test_tells_an_agent_that_it_cannot_change_what_another_agent_has_begun(self) -> None:
        self.history().append(["a"])
        other = self.history("sales")
        changes: list[Any] = [
            lambda: other.append(["b"]),
            lambda: other.append(["b"], str),
            lambda: other.edit(lambda _: HistoryChange(0)),
            other.clear,
        ]
        for change in changes:
            with self.assertRaisesRegex(ApiRefusalError, "not of the agent sales"):
                change()
        self.assertEqual(other.read(), ["a"])
        with self.assertRaisesRegex(ValueError, "name its agent"):
            ThreadHistory(self.client().api.runners, RunIds("t", "r"))

    def test_keeps_numbers_in_their_digits_and_what_was_given_when_it_was_called(self) -> None:
        numbers: list[Any] = [{"id": 9007199254740993, "price": Decimal("0.10000000000000000555")}]
        history = self.history()
        history.append(numbers)
        numbers[0]["id"] = 0
        self.history(thread_id=f"{self.thread_id} again").append(history.read() or [])
        found = self.history(thread_id=f"{self.thread_id} again").read()
        self.assertEqual(found, [{"id": 9007199254740993, "price": Decimal("0.10000000000000000555")}])
        with self.assertRaises(TypeError):
            history.append([object()])

    def test_takes_no_change_that_keeps_more_messages_than_there_are(self) -> None:
        history = self.history()
        history.append(["a"])
        for keep in (2, -1):
            seen: list[list[Any]] = []

            def change(messages: list[Any], keep: int = keep, seen: list[list[Any]] = seen) -> HistoryChange:
                seen.append(messages)
                assert len(seen) < 20, "it asks again and again"
                return HistoryChange(keep, ["b"])

            with self.assertRaisesRegex(ValueError, f"keeps {keep} messages of 1"):
                history.edit(change)
        self.assertEqual(history.read(), ["a"])

    def test_goes_on_where_another_process_was_faster(self) -> None:
        first, second = self.history(), self.history()
        first.append(["a"])
        seen: list[list[Any]] = []

        def change(messages: list[Any]) -> HistoryChange:
            seen.append(messages)
            if len(seen) == 1:
                first.append(["b"])
            return HistoryChange(len(messages), ["c"])

        second.edit(change)
        self.assertEqual((seen, first.read()), ([["a"], ["a", "b"]], ["a", "b", "c"]))
