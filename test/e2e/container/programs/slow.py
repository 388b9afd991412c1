"""Reports a step, and needs a while for the next."""
import json
import sys
import time

task = json.loads(sys.stdin.readline())
history = [{"role": "user", "content": task["message"]}]
print(json.dumps({"type": "checkpoint", "data": {"step_index": 0, "history": history}}), flush=True)
time.sleep(0.1 if task["resumed"] else float(task["message"]))
print("resumed" if task["resumed"] else "in one go")
