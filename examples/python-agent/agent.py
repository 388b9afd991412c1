#!/usr/bin/env python3
"""An agent that reports to Waystation and resumes, with only the standard library.

    python3 examples/python-agent/agent.py THREAD

Stop it with Ctrl-C, or kill it, and start it again with the same thread: it resumes where it stopped.
It plays a conversation from a file instead of asking a model; put your own model and tools into `ask_model` and `use_tool`.
The refund is an effect: it is made at most once, even if the agent is killed while the bank pays.
"""
import json
import os
import pathlib
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timezone

HOME = pathlib.Path(os.environ.get("WAYSTATION_HOME") or pathlib.Path.home() / ".waystation")


def running_server():
    """The address of the server on this machine, from its home directory."""
    try:
        server = json.loads((HOME / "run" / "server.json").read_text())
        os.kill(server["pid"], 0)  # only checks that the process exists
        return server["url"]
    except (OSError, ValueError):
        return None


URL = os.environ.get("WAYSTATION_API_URL") or running_server() or "http://127.0.0.1:8000"
SECRET = HOME / ".api-secret"
if not SECRET.exists() and not os.environ.get("WAYSTATION_TOKEN"):
    sys.exit(f"There is no {SECRET}: start the server first (npm start), or set WAYSTATION_TOKEN.")
TOKEN = os.environ.get("WAYSTATION_TOKEN") or SECRET.read_text().strip()
BANK = pathlib.Path(os.environ.get("EXAMPLE_BANK") or pathlib.Path(tempfile.gettempdir()) / "waystation-example-bank.jsonl")
SCRIPT = json.loads((pathlib.Path(__file__).parent.parent / "conversations" / "jacket-return.json").read_text())


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def send(path, body=None, method=None):
    """The server's response; None for 404, the problem document for 409. Waits while the server is unreachable or busy."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(URL + path, data, headers, method=method)
    pause, is_away = 0.2, False
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                answer = json.load(response)
            if is_away:
                print(f"{URL} answers again", file=sys.stderr)
            return answer
        except urllib.error.HTTPError as error:
            if error.code == 404:
                if is_away:
                    print(f"{URL} answers again", file=sys.stderr)
                return None
            if error.code == 409:
                return json.load(error)
            if error.code not in (429, 502, 503, 504):
                sys.exit(f"{path}: {error.code} {error.read().decode()}")
        except OSError:
            pass
        if not is_away:
            print(f"{URL} does not answer; reports wait", file=sys.stderr)
        is_away = True
        time.sleep(pause)
        pause = min(2 * pause, 5)


def report(kind, data):
    """Returns once the event is stored. The id makes resending safe."""
    event = {"type": kind, "id": str(uuid.uuid4()), "occurred_at": now(), "data": data}
    answer = send("/v1/runners/events", {"events": [event]})
    if answer["rejected"]:
        sys.exit(f"rejected: {answer['rejected']}")


def effect(ids, key, tool, args, make, find):
    """Makes a call that changes the world at most once, and returns its result.

    `make` makes the call. `find` checks whether it was made, and returns its result or None: it is needed
    if an earlier process died between claiming and settling it.
    """
    path = f"/v1/runners/threads/{urllib.parse.quote(ids['thread_id'], safe='')}/effects"
    own = f"{path}/{urllib.parse.quote(key, safe='')}?agent_id={urllib.parse.quote(ids['agent_id'], safe='')}"
    while True:
        # One claim_id for all tries of this claim, because `send` may try more than once.
        claim = {"trace_id": ids["trace_id"], "agent_id": ids["agent_id"], "key": key, "tool": tool, "args": args}
        claim["claim_id"] = str(uuid.uuid4())
        answer = send(path, claim)
        if answer.get("state") == "completed":
            return answer["result"]
        if answer.get("state") == "started":
            settling = {"attempt": answer["attempt"], "claim_id": claim["claim_id"], "outcome": "completed", "result": make(key)}
        elif answer["code"] == "effect_in_doubt":
            found = find(key)
            print(f"{key} was in doubt: {'it was made' if found else 'it was not made'}", flush=True)
            settling = {"attempt": answer["effect"]["attempt"], "outcome": "completed" if found else "not_done", "result": found}
        else:
            sys.exit(f"{key}: {answer['detail']}")
        settled = send(own, settling, "PUT")
        if settled.get("state") == "completed":
            return settled["result"]
        if settled.get("state") is None and settled["code"] not in ("effect_settled", "stale_attempt"):
            sys.exit(f"{key}: {settled['detail']}")


def pay_at_bank(key, refund):
    """Stands in for a bank that pays and responds late. Give a real one the key, too."""
    with BANK.open("a") as bank:
        bank.write(json.dumps({"key": key, "refund": refund}) + "\n")
    time.sleep(float(os.environ.get("EXAMPLE_BANK_SECONDS", "0.2")))
    return refund


def find_at_bank(key):
    """The refund that the bank has made, or None."""
    lines = BANK.read_text().splitlines() if BANK.exists() else []
    return next((paid["refund"] for paid in map(json.loads, lines) if paid["key"] == key), None)


def ask_model(history):
    """Stands in for a model: finds its place in the conversation from the history alone."""
    said = [message for message in history if message["role"] == "assistant"]
    turn = SCRIPT["turns"][len(said)]
    time.sleep(turn["took_ms"] / 1000)
    return turn["message"], {"tokens_in": turn["tokens_in"], "tokens_out": turn["tokens_out"]}


def use_tool(call, ids):
    result = tool_result(call)
    if call["function"]["name"] != "schedule_refund":
        return result
    args = json.loads(call["function"]["arguments"])
    # The key says what the call does, not where it is in the run: another call for the same order is the same refund.
    key = f"refund:{ids['thread_id']}:{args['order']}"
    return effect(ids, key, "schedule_refund", args, lambda key: pay_at_bank(key, result), find_at_bank)


def tool_result(call):
    for turn in SCRIPT["turns"]:
        if call["id"] in turn.get("tools", {}):
            return turn["tools"][call["id"]]["result"]
    raise KeyError(call["id"])


def open_calls(history):
    """The tool calls of the last answer that have no result yet."""
    answered = {message.get("tool_call_id") for message in history}
    last = next((message for message in reversed(history) if message["role"] == "assistant"), {})
    return [call for call in last.get("tool_calls", []) if call["id"] not in answered]


class Run:
    def __init__(self, thread_id):
        saved = send(f"/v1/runners/threads/{urllib.parse.quote(thread_id, safe='')}/latest?agent_id={SCRIPT['agent_id']}")
        self.is_resumed = saved is not None
        saved = saved or {"trace_id": str(uuid.uuid4()), "step_index": -1, "history": [], "history_meta": [], "status": None}
        self.ids = {"thread_id": thread_id, "trace_id": saved["trace_id"], "agent_id": SCRIPT["agent_id"]}
        self.history, self.meta = saved["history"], saved["history_meta"]
        self.step = saved["step_index"] + 1 if self.history else 0
        self.tokens = [saved.get("input_tokens", 0), saved.get("output_tokens", 0)]
        self.is_completed = saved["status"] == "completed"
        if not self.is_resumed:
            report("thread_started", {**self.ids, "model": SCRIPT["model"]})
        if not self.history:
            self.add({"role": "system", "content": SCRIPT["system"]})
            self.add({"role": "user", "content": SCRIPT["user"]})

    def add(self, message, tokens=None):
        self.history.append(message)
        self.meta.append({"ts": now(), **(tokens or {})})
        if tokens:
            self.tokens[0] += tokens["tokens_in"]
            self.tokens[1] += tokens["tokens_out"]

    def save(self):
        counts = {"input_tokens": self.tokens[0], "output_tokens": self.tokens[1], "tokens_used": sum(self.tokens)}
        state = {"step_index": self.step, "status": "in_progress", "model": SCRIPT["model"], **counts}
        report("checkpoint", {**self.ids, **state, "history": self.history, "history_meta": self.meta})
        print(f"saved step {self.step}, {len(self.history)} messages", flush=True)
        self.step += 1

    def complete(self):
        ids = {name: self.ids[name] for name in ("thread_id", "trace_id")}
        report("thread_completed", {**ids, "tokens_used": sum(self.tokens), "model": SCRIPT["model"]})


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 agent.py THREAD")
    run = Run(sys.argv[1])
    print(f"going on with {len(run.history)} messages" if run.is_resumed else "beginning", flush=True)
    while run.history[-1]["role"] != "assistant" or run.history[-1].get("tool_calls"):
        calls = open_calls(run.history)
        for call in calls:
            run.add({"role": "tool", "tool_call_id": call["id"], "content": use_tool(call, run.ids)})
        if not calls:
            run.add(*ask_model(run.history))
        run.save()
    if not run.is_completed:
        run.complete()
    print(f"\n{run.history[-1]['content']}")


if __name__ == "__main__":
    main()
