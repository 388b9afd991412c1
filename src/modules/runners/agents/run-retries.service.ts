import { Injectable } from '@nestjs/common';
import { isAtRest } from '../../../common/contract/run-status.js';
import { newId } from '../../../common/ids.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { runNotFound } from '../../threads/threads.contract.js';
import { Logger } from '../../../common/logger.js';
import type { RunOrder } from '../../threads/journal/run-cancellation.service.js';
import { RunRetryRecordingService } from '../../threads/journal/run-retry-recording.service.js';
import { ThreadTurnsService, type RunRow } from '../../threads/turns/thread-turns.service.js';
import { AgentCallsService, type InvocationRequest } from './agent-calls.service.js';
import type { StartedRun } from './agent-starts.service.js';
import { unreachable, type Invocation } from './invocation.js';
import {
  retryPending,
  chatBusy,
  notInvoked,
  nothingToRetry,
  runNotEnded,
  ambiguousRun,
  differentRunStarted,
} from './agents.errors.js';
import { AgentsService } from './agents.service.js';

export interface RunToRetry {
  threadId: string;
  traceId: string;
  /** Distinguishes several agents' runs with the trace; null if there is only one. */
  agentId: string | null;
}

/** For retries that the server repeats by itself. */
const BY_ITSELF: RunOrder = { by: null, through: null, reason: null };

/** A retry to ask for again, without a caller that waits for the result. */
interface NotedRetry {
  threadId: string;
  traceId: string;
  /** Null if unknown. */
  agentId: string | null;
  /** The same for each try. */
  key: string;
  /** The thread's last change before the first request. */
  sinceSeq: number;
}

/** A wait for a retried run's answer. The retry stays stored until one of these methods is called. */
export interface RetryWait {
  /** The same for each try of this retry, so that the agent takes it once. */
  key: string;
  /** The thread's last change before this retry. */
  sinceSeq: number;
  /** The agent has taken the run. */
  noteTaken(): Promise<void>;
  /** The agent did not take the run: restores the state before. @returns false if it was asked again meanwhile and has taken it */
  undo(): Promise<boolean>;
  /** The agent may have taken the run: the waiter asks again until it says so. */
  askLater(): Promise<void>;
}

/** Whether the retried run is the one that this agent was asked for: others may have taken its trace. */
export type IsRunOf = (agentId: string | null) => Promise<boolean>;

/** Waits for the answers of runs on behalf of those who asked. */
export interface RetryWaiter {
  /** Call this before the run can continue. @returns null if nobody asked, `busy` while the asker waits for another run */
  waitAgain(threadId: string, traceId: string, isOf: IsRunOf): Promise<RetryWait | 'busy' | null>;
}

const NO_ADDRESS = 'no process with this agent has reported where it is';
const NOTHING_TO_RETRY = 'the run has reported no message from which it could start again';
const ANOTHER_RUN = 'the agent started another run';

/** Asks agents to resume runs that have ended. */
@Injectable()
export class RunRetriesService {
  private waiter: RetryWaiter | null = null;
  /** The last retry of each run in progress: the next one waits for it, to see its result. */
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(
    private readonly turns: ThreadTurnsService,
    private readonly agents: AgentsService,
    private readonly calls: AgentCallsService,
    private readonly recording: RunRetryRecordingService,
    private readonly shutdown: ShutdownSignal,
    private readonly logger: Logger,
  ) {}

  /** Called once, by the feature that starts runs for people. */
  setWaiter(waiter: RetryWaiter): void {
    this.waiter = waiter;
  }

  /**
   * Resolves once the agent has accepted the run again. It continues from its latest checkpoint. The agent accepts one of several
   * simultaneous requests.
   * @param order who retries, and why
   * @throws DomainError `not_found`; `conflict` for a run that has not ended, has no known message, or whose chat is busy, and if the trace
   * is ambiguous; as `AgentsService.getOnlineAddress`, and `notInvoked` if the agent does not accept it
   */
  async retry(run: RunToRetry, order: RunOrder): Promise<StartedRun> {
    const key = JSON.stringify([run.threadId, run.traceId]);
    const before = this.last.get(key);
    const retrying = Promise.allSettled([before]).then(() => this.retryAlone(run, order));
    this.last.set(key, retrying);
    try {
      return await retrying;
    } finally {
      if (this.last.get(key) === retrying) this.last.delete(key);
    }
  }

  /**
   * Asks the agent again for a noted retry. Whatever the agent does is a result, not an error.
   * @throws DomainError `not_found` if the run is gone
   */
  async askAgain(retry: NotedRetry, stop: AbortSignal): Promise<Invocation> {
    const { threadId, traceId } = retry;
    const run = await this.turns.findRun(retry);
    if (run === null) throw runNotFound();
    if (!isAtRest(run.status)) return { kind: 'started', runId: traceId, threadId };
    const message = await this.turns.findLastAsked(run);
    if (message === null) return refused(NOTHING_TO_RETRY);
    const address = await this.agents.findAddress(run.agent_id);
    if (address === null) return unreachable(NO_ADDRESS, false);
    const invocation = await this.calls.invoke(address, requestOf(retry, message), stop);
    if (invocation.kind === 'started' && invocation.runId === traceId)
      await this.record(threadId, run, retry.sinceSeq, BY_ITSELF);
    return invocation.kind === 'started' && invocation.runId !== traceId ? refused(ANOTHER_RUN) : invocation;
  }

  private async retryAlone({ threadId, traceId, agentId: of }: RunToRetry, order: RunOrder): Promise<StartedRun> {
    const run = await this.getRun(threadId, traceId, of);
    const { status, agent_id: agentId } = run;
    if (!isAtRest(status)) throw runNotEnded(status);
    const message = await this.turns.findLastAsked(run);
    if (message === null) throw nothingToRetry();
    const address = await this.agents.getOnlineAddress(agentId);
    const isOf: IsRunOf = async (asked) => {
      const own = await this.turns.findRun({ threadId, traceId, agentId: asked });
      return own?.run_no === run.run_no;
    };
    const waiting = (await this.waiter?.waitAgain(threadId, traceId, isOf)) ?? null;
    if (waiting === 'busy') throw chatBusy();
    const { key, sinceSeq } = waiting ?? { key: newId(), sinceSeq: Number(run.last_seq) };
    const request = requestOf({ threadId, traceId, agentId, key, sinceSeq }, message);
    const invocation = await this.calls.invoke(address, request, this.shutdown.signal);
    if (invocation.kind === 'started' && invocation.runId === traceId) await waiting?.noteTaken();
    else await this.giveUp(agentId, invocation, waiting);
    await this.record(threadId, run, sinceSeq, order);
    return { runId: traceId, threadId };
  }

  /**
   * The agent has taken the run, even if the record fails.
   * @param sinceSeq the thread's last change before the first request: later ones may be the retry's work or its end
   */
  private async record(threadId: string, run: RunRow, sinceSeq: number, order: RunOrder): Promise<void> {
    try {
      await this.recording.record(threadId, await this.turns.runAt(run, sinceSeq), order);
    } catch (error) {
      this.logger.warn({ err: error, thread_id: threadId, run_no: run.run_no }, 'retry not recorded');
    }
  }

  /** @throws DomainError with the reason why the agent did not take the run, unless it has taken it meanwhile */
  private async giveUp(agentId: string, invocation: Invocation, waiting: RetryWait | null): Promise<void> {
    if (waiting !== null && invocation.kind === 'away' && invocation.mayHaveTaken) {
      await waiting.askLater();
      throw retryPending(agentId, invocation.reason);
    }
    if (waiting !== null && !(await waiting.undo())) return;
    throw invocation.kind === 'started'
      ? differentRunStarted(agentId, invocation.runId)
      : notInvoked(agentId, invocation);
  }

  /** No run may start with another's message: if the trace is ambiguous, the caller must name the agent. */
  private async getRun(threadId: string, traceId: string, agentId: string | null): Promise<RunRow> {
    const runs = await this.turns.getRuns(threadId, traceId);
    const meant = agentId === null ? runs : runs.filter((run) => run.agent_id === agentId);
    if (meant.length === 0) throw runNotFound();
    if (meant.length > 1 && agentId === null) throw ambiguousRun(traceId, runs);
    return meant.find(({ began_by }) => began_by === null) ?? meant[0]!;
  }
}

/** Any process of the agent may get it, and another may have done the work already: `retry_since` lets it check. */
function requestOf({ threadId, traceId, key, sinceSeq }: NotedRetry, message: string): InvocationRequest {
  const ids = { thread_id: threadId, run_id: traceId, retry_of: traceId };
  const body = JSON.stringify({ message, ...ids, retry_since: sinceSeq });
  return { idempotencyKey: key, body };
}

function refused(reason: string): Invocation {
  return { kind: 'refused', reason, status: 409, detail: null };
}
