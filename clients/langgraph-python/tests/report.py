"""Runs the tests for a program, like the client's: one line of JSON per test."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    report = runpy.run_path(str(ROOT.parent / "python" / "tests" / "report.py"))
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    report["main"](ROOT)
