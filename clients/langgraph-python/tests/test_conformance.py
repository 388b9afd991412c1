from __future__ import annotations

import asyncio
import importlib
import unittest
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from tests.support import saver
from waystation_langgraph import WaystationSaver


class WithHistory(WaystationSaver):
    """The suite only finds methods defined by the saver's class itself; this one is LangGraph's."""

    async def aget_delta_channel_history(self, *, config: Any, channels: Sequence[str]) -> Mapping[str, Any]:
        return await super().aget_delta_channel_history(config=config, channels=channels)


class Conformance(unittest.TestCase):
    """The saver"""

    def test_passes_the_suite_of_langgraph(self) -> None:
        try:
            suite: Any = importlib.import_module("langgraph.checkpoint.conformance")
        except ModuleNotFoundError:
            self.skipTest("langgraph-checkpoint-conformance is not installed")
        saver(self)

        async def made() -> AsyncGenerator[WaystationSaver, None]:
            one = WithHistory(thread_prefix=f"{uuid.uuid4()}:")
            yield one
            one.client.close(0)

        report = asyncio.run(suite.validate(suite.checkpointer_test(name="waystation-langgraph")(made)))
        self.assertTrue(report.passed_all_base())
        faults = [fault for result in report.results.values() for fault in result.failures or []]
        self.assertEqual(faults, [])
        self.assertEqual([name for name, result in report.results.items() if not result.detected], [])
