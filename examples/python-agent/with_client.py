#!/usr/bin/env python3
"""The agent of agent.py with the Python client, which handles reports, retries and effects.

    python3 examples/python-agent/with_client.py THREAD

Stop it with Ctrl-C, or kill it, and start it again with the same thread: it resumes where it stopped. Under `waystation agent` it needs
no arguments: thread, run and agent come from the environment.
"""
import json
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "clients" / "python" / "src"))  # without `pip install ./clients/python`

from waystation import DiskSpool, EffectInDoubtError, WaystationClient

HOME = pathlib.Path(os.environ.get("WAYSTATION_HOME") or pathlib.Path.home() / ".waystation")
SECRET = HOME / ".api-secret"
BANK = pathlib.Path(os.environ.get("EXAMPLE_BANK") or pathlib.Path(tempfile.gettempdir()) / "waystation-example-bank.jsonl")
SCRIPT = json.loads((HERE.parents[1] / "conversations" / "jacket-return.json").read_text())


def connect():
    """A token of scope runner is enough; without one, uses the local secret."""
    token = os.environ.get("WAYSTATION_TOKEN") or (SECRET.read_text().strip() if SECRET.exists() else None)
    spool = DiskSpool(pathlib.Path(tempfile.gettempdir()) / f"waystation-example-spool-{os.getuid()}")
    return WaystationClient(token=token, agent_id=os.environ.get("WAYSTATION_AGENT_ID") or SCRIPT["agent_id"], spool=spool)


def ask_model(history):
    """Stands in for a model: finds its place in the conversation from the history alone."""
    turn = SCRIPT["turns"][sum(message["role"] == "assistant" for message in history)]
    time.sleep(turn["took_ms"] / 1000)
    return turn["message"]


def use_tool(ws, run, call):
    result = next(turn["tools"][call["id"]]["result"] for turn in SCRIPT["turns"] if call["id"] in turn.get("tools", {}))
    if call["function"]["name"] != "schedule_refund":
        return result
    args = json.loads(call["function"]["arguments"])
    # The key says what the call does, not where it is in the run: another call for the same order is the same refund.
    effect = run.effect(f"refund:{run.thread_id}:{args['order']}", "schedule_refund", args)
    try:
        return effect.make(lambda made: pay_at_bank(made.key, result))
    except EffectInDoubtError as doubt:
        # An earlier process died between the claim and the end of the call: ask the bank.
        found = find_at_bank(effect.key)
        print(f"{effect.key} was in doubt: {'it was made' if found else 'it was not made'}", flush=True)
        ws.settle(run.ids, doubt.effect, "completed" if found else "not_done", found)
        return use_tool(ws, run, call)


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


def open_calls(history):
    """The tool calls of the last answer that have no result yet."""
    answered = {message.get("tool_call_id") for message in history}
    last = next((message for message in reversed(history) if message["role"] == "assistant"), {})
    return [call for call in last.get("tool_calls", []) if call["id"] not in answered]


def main():
    thread, trace = (sys.argv[1:] + [os.environ.get("WAYSTATION_THREAD_ID")])[0], os.environ.get("WAYSTATION_TRACE_ID")
    if not thread:
        sys.exit("usage: python3 with_client.py THREAD")
    beginning = [{"role": "system", "content": SCRIPT["system"]}, {"role": "user", "content": SCRIPT["user"]}]
    with connect() as ws, ws.run(thread, trace_id=trace, model=SCRIPT["model"]) as run:
        history = run.history or beginning
        print(f"going on with {len(history)} messages" if run.history else "beginning", flush=True)
        while history[-1]["role"] != "assistant" or history[-1].get("tool_calls"):
            calls = open_calls(history)
            for call in calls:
                history.append({"role": "tool", "tool_call_id": call["id"], "content": use_tool(ws, run, call)})
            if not calls:
                history.append(ask_model(history))
            run.step(history, model=SCRIPT["model"])
            print(f"reported {len(history)} messages", flush=True)
    print(f"\n{history[-1]['content']}")


if __name__ == "__main__":
    main()
