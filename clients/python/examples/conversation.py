"""
A conversation that outlives its process: `python conversation.py SESSION 'What I say'`, as often as you like. Python answers, so that it
needs no model, no key and not even the SDK; with the SDK, `Runner.run(agent, said, session=session)` stands in the place of `answer`.
"""

from __future__ import annotations

import asyncio
import sys

from waystation.openai_agents import WaystationSession


async def answer(session: WaystationSession, said: str) -> str:
    """What a runner does with a session: it reads the items so far, and adds what was said and answered."""
    items = [*await session.get_items(), {"role": "user", "content": said}]
    users = [item["content"] for item in items if item["role"] == "user"]
    words = f"{len(users)} messages; the first was: {users[0]}"
    await session.add_items([items[-1], {"role": "assistant", "content": words}])
    return words


if __name__ == "__main__":
    session_id, said = sys.argv[1:]
    print(asyncio.run(answer(WaystationSession(session_id), said)))
