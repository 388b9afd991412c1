import { Injectable } from '@nestjs/common';
import { Clock, isoTime } from '../../../common/clock.js';
import { DomainError } from '../../../common/domain-error.js';
import { Logger } from '../../../common/logger.js';
import type { ScheduleTrigger } from '../definition/definition.js';
import { RunLauncher, type LaunchedRun } from '../run-launcher.js';
import type { Decision } from './due-instants.js';
import { FiringsRepository } from './firings.repository.js';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 90;

/** What a schedule takes over from the previous process. */
export interface OpenFirings {
  /** Until when its instants are decided, in milliseconds since 1970. */
  decidedUntilMs: number;
  /** Null if it has not started any. */
  lastRun: Pick<LaunchedRun, 'runId' | 'ended'> | null;
  /** Due instants that still have to fire, oldest first. */
  waitingMs: number[];
}

/** Keeps the ledger of due instants and starts the runs of those that fire. */
@Injectable()
export class FiringsService {
  constructor(
    private readonly ledger: FiringsRepository,
    private readonly launcher: RunLauncher,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Returns where the previous process stopped. A new schedule begins now. */
  async open({ key }: ScheduleTrigger): Promise<OpenFirings> {
    const cursor = await this.ledger.findCursor(key);
    const nowMs = this.clock.nowMs();
    if (cursor === null) await this.ledger.decide(key, [], nowMs, nowMs);
    const runId = await this.ledger.findLastRun(key);
    const waiting = await this.ledger.findWaiting(key);
    return {
      decidedUntilMs: cursor ?? nowMs,
      lastRun: runId === null ? null : { runId, ended: this.launcher.whenEnded(runId) },
      waitingMs: waiting.map(({ due_at }) => due_at),
    };
  }

  /**
   * Stores the outcome of the instants up to `nowMs` and returns those to fire.
   * @param hasEarlier whether instants before the first were left out
   * @throws DomainError if the ledger cannot be written; then nothing is decided
   */
  async decide(
    trigger: ScheduleTrigger,
    decisions: readonly Decision[],
    nowMs: number,
    hasEarlier: boolean,
  ): Promise<number[]> {
    const taken = await this.ledger.decide(trigger.key, decisions, nowMs, nowMs);
    for (const { dueMs, state, reason } of taken) {
      if (state === 'skipped') {
        this.logger.info({ trigger: trigger.path, due_at: isoTime(dueMs), reason }, 'schedule skipped');
      }
    }
    const missed = taken.filter(({ state }) => state === 'missed');
    if (missed.length > 0) {
      const span = { count: missed.length, first_due_at: isoTime(missed[0]!.dueMs), has_earlier: hasEarlier };
      this.logger.warn({ trigger: trigger.path, ...span }, 'schedule missed');
    }
    return taken.filter(({ state }) => state === 'waiting').map(({ dueMs }) => dueMs);
  }

  /**
   * Starts the run of a due instant; returns the same run when repeated.
   * @throws as `RunLauncher.launch`
   */
  launch({ key, path, agentName, message, threadId }: ScheduleTrigger, dueMs: number): Promise<LaunchedRun> {
    const due_at = isoTime(dueMs);
    return this.launcher.launch({
      agentName,
      message,
      threadId,
      context: JSON.stringify({ trigger: path, scheduled_at: due_at }),
      source: 'schedule',
      idempotencyKey: JSON.stringify(['schedule', key, due_at]),
    });
  }

  async markFired({ key, path }: ScheduleTrigger, dueMs: number, { runId, threadId }: LaunchedRun): Promise<void> {
    await this.ledger.markFired(key, dueMs, runId, this.clock.nowMs());
    const late_ms = this.clock.nowMs() - dueMs;
    const ids = { thread_id: threadId, trace_id: runId };
    this.logger.info({ trigger: path, due_at: isoTime(dueMs), late_ms, ...ids }, 'schedule fired');
  }

  /** Gives up an instant that could not fire. Returns false to try again. */
  async giveUp({ key, path }: ScheduleTrigger, dueMs: number, error: unknown): Promise<boolean> {
    const facts = { trigger: path, due_at: isoTime(dueMs), err: error };
    const kind = error instanceof DomainError ? error.kind : null;
    if (kind === 'unavailable' || kind === 'storage_full') {
      this.logger.debug(facts, 'schedule cannot fire yet');
      return false;
    }
    const isFull = kind === 'rate_limited';
    this.logger[isFull ? 'warn' : 'error'](facts, 'schedule did not fire');
    try {
      await this.ledger.markUnfired(key, dueMs, isFull ? 'skipped' : 'missed', isFull ? 'queue_full' : 'failed');
      return true;
    } catch (error) {
      this.logger.warn({ trigger: path, err: error }, 'schedule ledger not written');
      return false;
    }
  }

  /** Gives up waiting instants of removed triggers, and deletes old ones. */
  tidy(triggers: readonly ScheduleTrigger[]): Promise<void> {
    const keys = triggers.map(({ key }) => key);
    return this.ledger.tidy(keys, this.clock.nowMs() - KEPT_DAYS * DAY_MS);
  }
}
