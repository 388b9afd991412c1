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
from ._client import WaystationClient
from ._effects import Effect
from ._leases import LeasedRun, RunLease
from ._runs import Run
from ._spool import DiskSpool, MemorySpool, Spool, SpooledText
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
    "CancelledRun",
    "Checkpoint",
    "ClientClosedError",
    "ClientSettingError",
    "DiskSpool",
    "Effect",
    "EffectInDoubtError",
    "EffectRefusedError",
    "LeaseHeldError",
    "LeasedRun",
    "MemorySpool",
    "NoAnswerError",
    "NoDecisionError",
    "NoEffectError",
    "RejectedReport",
    "ResultOmittedError",
    "Run",
    "RunCancelledError",
    "RunIds",
    "RunLease",
    "ServerEvent",
    "Spool",
    "SpooledText",
    "WaystationClient",
    "WaystationError",
    "__version__",
]
