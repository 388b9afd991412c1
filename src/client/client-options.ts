import type { CancelledRun, RejectedReport } from './batch-answer.js';
import type { LeasedRun } from './lease-keeper.js';
import type { Spool } from './spool.js';

export interface WaystationClientOptions {
  /**
   * Base address of the API server. Default: `WAYSTATION_API_URL`, else the running server of `WAYSTATION_HOME`, else
   * `http://127.0.0.1:8000`.
   */
  apiUrl?: string;
  /** A token of scope `runner`. Default: `WAYSTATION_TOKEN`, or the content of the file `WAYSTATION_TOKEN_FILE`. */
  token?: string;
  /** The agent for which the client reports. Default: `WAYSTATION_AGENT_ID`. */
  agentId?: string;
  /** Holds reports for the API. Default: 64 MiB of memory. */
  spool?: Spool;
  /** A report was refused for good and dropped. Default: a line on standard error. */
  onRejected?: (rejected: RejectedReport) => void;
  /** The spool was full, and that many of the oldest reports are lost. Default: a line on standard error. */
  onDropped?: (count: number) => void;
  /**
   * A person has cancelled the run: stop working on it. Called once for each start of a run, after the answer to its next report. A
   * program that reports nothing for long can watch `latest` for the status `cancelled`.
   */
  onCancel?: (run: CancelledRun) => void;
  /** Another process has taken over a run that this client had leased: stop working on it. Its reports are refused. */
  onLeaseLost?: (run: LeasedRun) => void;
  /**
   * Reports cannot be delivered at the moment, such as because no server answers; they wait. Called once until delivery works again.
   * Default: a line on standard error, and another when it does.
   */
  onTrouble?: (reason: string) => void;
  /** Delivery works again. */
  onRecovered?: () => void;
}
