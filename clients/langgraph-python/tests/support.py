"""A saver for the server that WAYSTATION_API_URL and WAYSTATION_TOKEN name."""

from __future__ import annotations

import os
import unittest
from typing import Any

from waystation import WaystationClient

from waystation_langgraph import WaystationSaver


def saver(test: unittest.TestCase, of: type[WaystationSaver] = WaystationSaver, **options: Any) -> WaystationSaver:
    if not os.environ.get("WAYSTATION_API_URL"):
        test.skipTest("WAYSTATION_API_URL names no server")
    made = of(**options)
    test.addCleanup(made.client.close, 0)
    return made


def client(test: unittest.TestCase) -> WaystationClient:
    made = WaystationClient(agent_id="langgraph")
    test.addCleanup(made.close, 0)
    return made
