#!/usr/bin/env python3
"""An agent with only Python's standard library and no HTTP: it prints what is to be recorded.

`waystation agent` gives it one JSON line on standard input. A printed line is a runner event if it is a JSON object with
`type` and `data`; everything else is its answer. Killed at any moment, it resumes from its last checkpoint.
"""
import json
import sys
import time

STEPS = ["look for sources", "read them", "compare what they say"]


def report(kind, **data):
    print(json.dumps({"type": kind, "data": data}), flush=True)


def main():
    task = json.loads(sys.stdin.readline())
    saved = task["checkpoint"] or {"history": [], "step_index": -1, "trace_id": None}
    history = saved["history"]
    is_mine = saved["trace_id"] in (None, task["trace_id"]) and bool(history)
    before = saved.get("turn_start_history_len", 0) if is_mine else len(history)
    if not is_mine:
        history = history + [{"role": "user", "content": task["message"]}]
    # Steps in this turn's history are done.
    done = len(history) - before - 1
    step = saved["step_index"] + 1 if is_mine else 0
    for number, name in enumerate(STEPS[done:], start=step):
        time.sleep(0.05)
        history = history + [{"role": "assistant", "content": f"I {name}."}]
        report("checkpoint", step_index=number, history=history, turn_start_history_len=before, model="none")
    print(f"I thought about: {task['message']}")


if __name__ == "__main__":
    main()
