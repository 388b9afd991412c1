from __future__ import annotations

import asyncio
import subprocess
import sys
import uuid
from decimal import Decimal
from typing import Any

from tests.support import SOURCES, ServerTest, python
from waystation import ApiRefusalError
from waystation.openai_agents import WaystationSession

ADDING = """
import asyncio, sys
from waystation.openai_agents import WaystationSession
async def add():
    session = WaystationSession(sys.argv[1])
    for n in range(int(sys.argv[3])): await session.add_items([{"from": sys.argv[2], "n": n}])
asyncio.run(add())
"""


class Sessions(ServerTest):
    """A session of the OpenAI Agents SDK"""

    def session(self, session_id: str | None = None) -> WaystationSession:
        return WaystationSession(session_id, client=self.client())

    def test_gives_its_items_back_in_order(self) -> None:
        async def use() -> None:
            session = self.session(f"a/b {uuid.uuid4()}")
            items: list[Any] = [
                {"role": "user", "content": "Hello"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "\u00fc"}]},
                {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}", "big": 2**60},
            ]
            self.assertEqual((await session.get_items(), await session.pop_item()), ([], None))
            await session.add_items([])
            await session.add_items(items[:1])
            await session.add_items(items[1:])
            again = self.session(session.session_id)
            self.assertEqual(await again.get_items(), items)
            self.assertEqual([await again.get_items(limit) for limit in (0, 2, 9)], [[], items[1:], items])
            self.assertEqual((await again.pop_item(), await session.get_items()), (items[2], items[:2]))
            await session.add_items(items[2:])
            self.assertEqual(await again.get_items(1), items[2:])

        asyncio.run(use())

    def test_is_empty_after_it_was_cleared_and_begins_again(self) -> None:
        async def use() -> None:
            session = self.session()
            await session.clear_session()
            await session.add_items([{"n": 1}, {"n": 2}])
            await session.clear_session()
            self.assertEqual((await session.get_items(), await session.pop_item()), ([], None))
            await self.session(session.session_id).add_items([{"n": 3}])
            self.assertEqual(await session.get_items(), [{"n": 3}])
            self.assertNotEqual(self.session().session_id, session.session_id)

        asyncio.run(use())

    def test_lets_a_conversation_go_on_in_another_process(self) -> None:
        session_id, example = str(uuid.uuid4()), SOURCES.parent / "examples" / "conversation.py"
        for said, answer in (("I am Ada.", "1 messages"), ("Who am I?", "2 messages")):
            command = [sys.executable, str(example), session_id, said]
            done = subprocess.run(command, env=self.server.env(), capture_output=True, text=True, timeout=60)
            self.assertEqual((done.stdout, done.stderr), (f"{answer}; the first was: I am Ada.\n", ""))

    def test_keeps_the_numbers_of_its_items(self) -> None:
        async def use() -> None:
            session = self.session()
            numbers = [Decimal("1.10"), 9007199254740993, Decimal("0.10000000000000000555")]
            await session.add_items([{"numbers": numbers}])
            found = await session.get_items()
            self.assertEqual(found, [{"numbers": [1.1, *numbers[1:]]}])
            again = [{"again": found[0]["numbers"]}]
            await session.add_items(again)
            self.assertEqual(await session.get_items(), found + again)
            with self.assertRaises(TypeError):
                await session.add_items([object()])

        asyncio.run(use())

    def test_of_another_agent_is_refused(self) -> None:
        async def use() -> None:
            session = self.session()
            await session.add_items([{"n": 1}])
            other = WaystationSession(session.session_id, client=self.client(), agent_id="sales")
            for call in (other.add_items([{"n": 2}]), other.pop_item(), other.clear_session()):
                with self.assertRaisesRegex(ApiRefusalError, "not of the agent sales"):
                    await asyncio.wait_for(call, 30)
            self.assertEqual(await session.get_items(), [{"n": 1}])

        asyncio.run(use())

    def test_that_two_processes_and_many_tasks_add_to_loses_and_doubles_nothing(self) -> None:
        session_id = str(uuid.uuid4())
        adding = [python(ADDING, self.server.env(), session_id, name, "60") for name in "ab"]

        async def add() -> list[Any]:
            session = self.session(session_id)
            await asyncio.gather(*(session.add_items([{"from": "c", "n": n}]) for n in range(30)))
            for process in adding:
                _, errors = await asyncio.to_thread(process.communicate)
                self.assertEqual((process.returncode, errors), (0, ""))
            return await session.get_items()

        items = asyncio.run(add())
        for name in "ab":
            self.assertEqual([item["n"] for item in items if item["from"] == name], list(range(60)))
        self.assertEqual(sorted(item["n"] for item in items if item["from"] == "c"), list(range(30)))
        self.assertEqual(len(items), 150)
