"""
Waystation: agents that continue where they were.

    from waystation import WaystationClient

    ws = WaystationClient(agent_id="support")
    with ws.run("order-1") as run:
        history = run.history or [{"role": "user", "content": "Where is my parcel?"}]
        if run.has_asked:
            history += results_of(run.decisions())
        history.append({"role": "assistant", "content": "On its way."})
        run.step(history)
"""

from ._api import WaystationApi
from ._batch_responses import CancelledRun, RejectedReport
from ._client import WaystationClient
from ._decisions import CallDecision, QuestionAnswer, call_decisions
from ._describing import describe_message
from ._effects import Effect
from ._histories import HistoryChange, ThreadHistory
from ._leases import LeasedRun, RunLease
from ._messages import as_json, chat_message, tool_call
from ._questions import Question
from ._runs import Run
from ._settings import GivenRun, given_run
from ._spool import DiskSpool, MemorySpool, Spool, SpooledText
from ._states import (
    NeededAncestors,
    OwnValue,
    Serialized,
    StateContents,
    StatePlace,
    StateStore,
    back_to_values,
    bytes_of,
    read_state,
)
from ._steps import StepReporter
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
    UnsupportedError,
    WaystationError,
)
from .types import Checkpoint, ListedThread, RunEvent, RunIds, ServerEvent, ThreadRun

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
    "HistoryChange",
    "LeaseHeldError",
    "LeasedRun",
    "ListedThread",
    "MemorySpool",
    "NeededAncestors",
    "NoAnswerError",
    "NoDecisionError",
    "NoEffectError",
    "OwnValue",
    "Question",
    "QuestionAnswer",
    "RejectedReport",
    "ResultOmittedError",
    "Run",
    "RunCancelledError",
    "RunEvent",
    "RunIds",
    "RunLease",
    "Serialized",
    "ServerEvent",
    "Spool",
    "SpooledText",
    "StateContents",
    "StatePlace",
    "StateStore",
    "StepReporter",
    "ThreadHistory",
    "ThreadRun",
    "UnsupportedError",
    "WaystationApi",
    "WaystationClient",
    "WaystationError",
    "__version__",
    "as_json",
    "back_to_values",
    "bytes_of",
    "call_decisions",
    "chat_message",
    "describe_message",
    "given_run",
    "read_state",
    "tool_call",
]
