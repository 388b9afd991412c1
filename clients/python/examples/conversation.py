"""
A conversation that outlives its process: `python conversation.py SESSION 'What I say'`, repeatedly. Python answers, so it needs no model,
no key and not even the SDK; with the SDK, `Runner.run(agent, said, session=session)` replaces `answer`.
"""

from __future__ import annotations

import asyncio
import sys

from waystation.openai_agents import WaystationSession


async def answer(session: WaystationSession, said: str) -> str:
    """A runner's use of a session: it reads the items so far, and adds the message and the answer."""
    items = [*await session.get_items(), {"role": "user", "content": said}]
    users = [item["content"] for item in items if item["role"] == "user"]
    words = f"{len(users)} messages; the first was: {users[0]}"
    await session.add_items([items[-1], {"role": "assistant", "content": words}])
    return words


if __name__ == "__main__":
    session_id, said = sys.argv[1:]
    print(asyncio.run(answer(WaystationSession(session_id), said)))
