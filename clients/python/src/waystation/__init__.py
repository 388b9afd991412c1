"""
Waystation: agents that go on where they were.

    from waystation import WaystationClient

    ws = WaystationClient(agent_id="support")
    with ws.run("order-1") as run:
        history = run.history or [{"role": "user", "content": "Where is my parcel?"}]
        history.append({"role": "assistant", "content": "On its way."})
        run.step(history)
"""

from ._answers import CancelledRun, RejectedReport
from ._api import WaystationApi
from ._client import WaystationClient
from ._decisions import CallDecision, call_decisions
from ._effects import Effect
from ._leases import LeasedRun, RunLease
from ._runs import Run
from ._settings import GivenRun, given_run
from ._spool import DiskSpool, MemorySpool, Spool, SpooledText
from ._states import NeededAncestors, OwnValue, Serialized, StatePlace, StateStore, bytes_of
from ._steps import Question, StepReporter, as_json, tool_call
from .errors import (
    ApiRefusalError,
    ClientClosedError,
    ClientSettingError,
    EffectInDoubtError,
    EffectRefusedError,
    LeaseHeldError,
    NoAnswerError,
    NoDecisionError,
    NoEffectError,
    ResultOmittedError,
    RunCancelledError,
    WaystationError,
)
from .types import Checkpoint, RunIds, ServerEvent

__version__ = "0.1.0"

__all__ = [
    "ApiRefusalError",
    "CallDecision",
    "CancelledRun",
    "Checkpoint",
    "ClientClosedError",
    "ClientSettingError",
    "DiskSpool",
    "Effect",
    "EffectInDoubtError",
    "EffectRefusedError",
    "GivenRun",
    "LeaseHeldError",
    "LeasedRun",
    "MemorySpool",
    "NeededAncestors",
    "NoAnswerError",
    "NoDecisionError",
    "NoEffectError",
    "OwnValue",
    "Question",
    "RejectedReport",
    "ResultOmittedError",
    "Run",
    "RunCancelledError",
    "RunIds",
    "RunLease",
    "Serialized",
    "ServerEvent",
    "Spool",
    "SpooledText",
    "StatePlace",
    "StateStore",
    "StepReporter",
    "WaystationApi",
    "WaystationClient",
    "WaystationError",
    "__version__",
    "as_json",
    "bytes_of",
    "call_decisions",
    "given_run",
    "tool_call",
]
