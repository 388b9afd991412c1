import { Injectable } from '@nestjs/common';
import type { LatestResponse } from '../../../client/latest-reader.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime } from '../../../common/clock.js';
import { isEnded, RUN_STATUS } from '../../../common/contract/run-status.js';
import { idsOf, type TriggerRun } from './trigger-run.entity.js';
import type { AgentDefinition } from '../definition/definition.js';
import { RunLeases, type LeaseClaim } from '../leases/run-leases.service.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { ProgramTokens } from '../tokens/program-tokens.service.js';
import { hasEnded, isCancelled, readState } from './reported-state.js';
import { RunLog } from './run-log.service.js';
import { RunsRepository } from './runs.repository.js';

/** Reports that a program sends at once must find its run started. */
const START_DELIVERY_MS = 1_000;
/** The next run in a thread starts from the answer that is about to be reported. */
const PREDECESSOR_MS = 3_000;
const RESUME_DELIVERY_MS = 2_000;
const LOOK_MS = 50;
const RETRY_MS = 500;

/** Between attempts to get a token for a leased run; without one its program could not report. */
const TOKEN_RETRY_MS = 300;
const TOKEN_WAIT_MS = 10_000;
/** For the thread's history, from an API that has just responded. */
const HISTORY_WAIT_MS = 10_000;
/** Between stopping a program at its limit and the expiry of its token. */
const TOKEN_RESERVE_SECONDS = 300;

/** What a program is started with. */
export interface PreparedRun {
  kind: 'ready';
  isResumed: boolean;
  /** Null while the API is away. */
  token: string | null;
  /** Aborts when another process takes the run over. */
  lost: AbortSignal;
  /** JSON text of the checkpoint to start from; null for none. */
  checkpoint: string | null;
  /** ETag of the run's latest checkpoint; null if unknown. */
  startEtag: string | null;
}

export type Preparation =
  | PreparedRun
  /** The program had reported its own end, or another process has. */
  | { kind: 'over' }
  /** A person cancelled it before it could start or continue. */
  | { kind: 'cancelled' }
  /** Another process drives the run; it may be asked again after this time. */
  | { kind: 'busy'; waitMs: number }
  /** Another process has taken the run over. */
  | { kind: 'taken' };

/** Prepares a run for its program: lease, position, token and the report of its start. Runs also start while the API is away. */
@Injectable()
export class RunPreparation {
  constructor(
    private readonly api: ProcessApi,
    private readonly reporter: Reporter,
    private readonly tokens: ProgramTokens,
    private readonly leases: RunLeases,
    private readonly log: RunLog,
    private readonly repository: RunsRepository,
  ) {}

  /**
   * Sets the run's fence, which is stored only when the program starts; until then the name of its claim is stored. If another process
   * drives the run, the name stays: this process asks again.
   * @throws the reason of `interrupt` when it aborts
   */
  async prepare(run: TriggerRun, agent: AgentDefinition, interrupt: AbortSignal): Promise<Preparation> {
    const claim = await this.claim(run, interrupt);
    if (claim.kind === 'busy' || claim.kind === 'taken') return claim;
    run.fence = claim.kind === 'held' ? claim.fence : null;
    const resumePoint = await (run.attempt > 0
      ? this.resumePoint(run, interrupt)
      : this.begunElsewhere(run, interrupt));
    const isResumed = run.attempt > 0 || resumePoint !== null;
    // Once its program has started, an end at the API is the end of this attempt.
    const isRetry = run.source === 'retry' && run.start_etag === null;
    const end = isRetry ? await this.endOfRetry(run, interrupt) : endIn(resumePoint);
    if (end !== null) return { kind: end === RUN_STATUS.cancelled ? 'cancelled' : 'over' };
    // Only now: if the API was away, the run's state must be read first.
    const token = await this.tokenFor(run, agent, interrupt);
    run.holder = null;
    const checkpoint = isResumed ? resumePoint : await this.latestOfThread(run, token, interrupt);
    interrupt.throwIfAborted();
    await this.reportStart(run, token !== null);
    // Until its start has arrived, the API shows its earlier end.
    if (isRetry) await this.untilDelivered(run, interrupt);
    const isBegun = run.start_etag !== null || (isResumed && !isRetry) || token === null;
    const begun = isBegun ? null : await this.begun(run);
    // A person cancelled it while it waited, or just now, so the start came too late.
    if (begun !== null && isCancelled(readState(begun.text))) return { kind: 'cancelled' };
    const startEtag = run.start_etag ?? begun?.etag ?? null;
    const lost = this.leases.lossOf(run.run_id);
    return { kind: 'ready', isResumed, token, lost, checkpoint, startEtag };
  }

  /** The program has ended, or is not started now. @param keepsLease whether the end is still to be reported */
  async withdraw({ run_id }: TriggerRun, keepsLease: boolean): Promise<void> {
    if (!keepsLease) this.leases.forget(run_id);
    await this.tokens.revokeOf(run_id);
  }

  /** Reports recorded under the last fence, or without one, are refused once there is a new one, so they are delivered first. */
  private async claim(run: TriggerRun, interrupt: AbortSignal): Promise<LeaseClaim> {
    const mayBeHeld = this.leases.mayBeHeld(run);
    if (mayBeHeld) await this.untilDelivered(run, interrupt);
    else if (run.attempt > 0 && !(await this.reporter.delivered(run.thread_id, RESUME_DELIVERY_MS, interrupt))) {
      return this.leases.whileAway(run);
    }
    await this.log.claiming(run, this.leases.holder);
    return this.leases.claim(run, { signal: interrupt, mayBeHeld });
  }

  /** With any other token, the program could not report on a leased run. Without a lease, the run continues without a token. */
  private async tokenFor(run: TriggerRun, agent: AgentDefinition, interrupt: AbortSignal): Promise<string | null> {
    if (run.fence === null) return this.tokens.tokenFor(run.agent_name);
    const { thread_id, run_id: trace_id, fence, agent_name: agentName } = run;
    const lifetimeSeconds = Math.ceil(agent.timeoutSeconds) + TOKEN_RESERVE_SECONDS;
    const deadline = Date.now() + TOKEN_WAIT_MS;
    while (Date.now() < deadline) {
      interrupt.throwIfAborted();
      try {
        const token = await this.tokens.tokenOfRun({ agentName, thread_id, trace_id, fence, lifetimeSeconds });
        if (token !== null) return token;
        // After the release the fence is useless for the next start's claim; the name works either way.
        await this.log.leased({ ...run, fence: null });
        if (await this.leases.release(run, () => Promise.resolve(true))) {
          run.fence = null;
          return await this.tokens.tokenFor(agentName);
        }
      } catch {
        // The API is away or failed temporarily; try again.
      }
      await sleep(TOKEN_RETRY_MS);
    }
    return null;
  }

  /**
   * Another process with the same definition may have accepted the same message, if its response was lost. It started this very run, which
   * continues or has ended. An API that granted the lease is asked until it answers: an ended run must not begin again.
   */
  private async begunElsewhere(run: TriggerRun, interrupt: AbortSignal): Promise<string | null> {
    if (run.source !== 'invoke') return null;
    for (;;) {
      interrupt.throwIfAborted();
      const latest = await this.api.latestToResumeOrNull(run.thread_id, run.run_id);
      if (latest?.kind === 'found') return latest.text;
      if (latest !== null || run.fence === null) return null;
      await sleep(RETRY_MS);
    }
  }

  /**
   * The status with which the run ended after its retry was requested; null if it has not. Another process may have got the same
   * request and done the work, or a person has cancelled it. Waits until this is known: a run must not be retried twice.
   */
  private async endOfRetry(run: TriggerRun, interrupt: AbortSignal): Promise<string | null> {
    if (run.retry_since === null) return null;
    const { thread_id, run_id: traceId } = run;
    for (;;) {
      interrupt.throwIfAborted();
      const latest = await this.api.latestOrNull(thread_id, { traceId, isWithoutLists: true });
      if (latest?.kind === 'unknown') return null;
      if (latest?.kind === 'found') return endBehind(Number(run.retry_since), latest.text);
      await sleep(RETRY_MS);
    }
  }

  private async untilDelivered({ thread_id }: TriggerRun, interrupt: AbortSignal): Promise<void> {
    while (!(await this.reporter.delivered(thread_id, RESUME_DELIVERY_MS, interrupt))) interrupt.throwIfAborted();
  }

  private async reportStart(run: TriggerRun, hasToken: boolean): Promise<void> {
    // Not the reporter's time, which never goes back: the program uses the current clock, and events that it dates before the start would
    // be late.
    const stamp = { occurred_at: isoTime(Date.now()) };
    const since = run.source === 'retry' && run.retry_since !== null ? { retry_since: Number(run.retry_since) } : {};
    const dataText = JSON.stringify({ ...idsOf(run), queued_at: isoTime(Number(run.accepted_at)), ...since });
    await this.log.started(run, hasToken, { type: 'thread_started', dataText, stamp });
    if (hasToken) await this.reporter.delivered(run.thread_id, START_DELIVERY_MS);
  }

  private async latestOfThread(
    { thread_id: threadId, fence }: TriggerRun,
    token: string | null,
    interrupt: AbortSignal,
  ): Promise<string | null> {
    // Asked with the program's token, so that it learns nothing it may not read.
    if (token === null) return null;
    const deadline = Date.now() + PREDECESSOR_MS;
    while (Date.now() < deadline && (await this.repository.hasFinishing(threadId))) await sleep(LOOK_MS);
    await this.reporter.delivered(threadId, START_DELIVERY_MS);
    // The API has just granted the lease: without its answer, the program would know nothing of the conversation.
    const lastAttempt = fence === null ? 0 : Date.now() + HISTORY_WAIT_MS;
    for (;;) {
      interrupt.throwIfAborted();
      const latest = await this.api.latestOrNull(threadId, { isForResume: true, token });
      if (latest?.kind === 'found') return latest.text;
      if (latest !== null || Date.now() > lastAttempt) return null;
      await sleep(RETRY_MS);
    }
  }

  private async begun({ thread_id, run_id }: TriggerRun): Promise<Extract<LatestResponse, { kind: 'found' }> | null> {
    const latest = await this.api.latestOrNull(thread_id, { traceId: run_id, isForResume: true });
    return latest?.kind === 'found' ? latest : null;
  }

  /**
   * The run's position. Printed events are known here, but only the API knows what the program reported itself, so this waits for the
   * API: a run that starts from an old checkpoint would repeat steps.
   */
  private async resumePoint(run: TriggerRun, interrupt: AbortSignal): Promise<string | null> {
    for (;;) {
      interrupt.throwIfAborted();
      const isDelivered = await this.reporter.delivered(run.thread_id, RESUME_DELIVERY_MS, interrupt);
      const latest = isDelivered ? await this.api.latestToResumeOrNull(run.thread_id, run.run_id) : null;
      if (latest?.kind === 'found') return latest.text;
      if (latest !== null || run.last_checkpoint !== null || !run.had_token) return run.last_checkpoint;
      await sleep(RETRY_MS);
    }
  }
}

/** The status with which the run has ended; null if it has not. */
function endIn(text: string | null): string | null {
  const state = text === null ? null : readState(text);
  return state !== null && hasEnded(state) ? state.values.status : null;
}

/** The same for an end after this change of the thread. Older servers do not give the end's position. */
function endBehind(since: number, text: string): string | null {
  const { status, rev } = JSON.parse(text) as { status: string; rev?: unknown };
  return typeof rev === 'number' && rev > since && isEnded(status) ? status : null;
}
