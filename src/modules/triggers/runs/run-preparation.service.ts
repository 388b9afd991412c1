import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime } from '../../../common/clock.js';
import { idsOf, type TriggerRun } from './trigger-run.entity.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { ProgramTokens } from '../tokens/program-tokens.service.js';
import { hasEnded, readState } from './reported-state.js';
import { RunLog } from './run-log.service.js';
import { RunsRepository } from './runs.repository.js';

/** What a program may report at once shall find its run begun. */
const START_DELIVERY_MS = 1_000;
/** A run in the same thread whose answer is about to be reported is what the next one begins with. */
const PREDECESSOR_MS = 3_000;
const RESUME_DELIVERY_MS = 2_000;
const LOOK_MS = 50;
const RETRY_MS = 500;

/** What a program is started with. */
export interface PreparedRun {
  isResumed: boolean;
  /** Null while the API is away. */
  token: string | null;
  /** JSON text of the checkpoint to begin with; null for none. */
  checkpoint: string | null;
  /** ETag of the run's latest checkpoint; null where that is not known. */
  startEtag: string | null;
}

/** Gets a run ready for its program: where it goes on, the token, and the report of its start. Runs start also while the API is away. */
@Injectable()
export class RunPreparation {
  constructor(
    private readonly api: ProcessApi,
    private readonly reporter: Reporter,
    private readonly tokens: ProgramTokens,
    private readonly log: RunLog,
    private readonly repository: RunsRepository,
  ) {}

  /**
   * Answers null when the program had reported its own end before it was interrupted.
   * @throws the reason of `interrupt` when it aborts
   */
  async prepare(run: TriggerRun, interrupt: AbortSignal): Promise<PreparedRun | null> {
    const resumePoint = await (run.attempt > 0 ? this.resumePoint(run, interrupt) : this.begunElsewhere(run));
    const isResumed = run.attempt > 0 || resumePoint !== null;
    // Once its program was started, the end that the API shows is the end of this attempt.
    const isRetry = run.source === 'retry' && run.start_etag === null;
    if (resumePoint !== null && !isRetry && hasEnded(readState(resumePoint))) return null;
    // Only now: who had to wait for the API before finds it there.
    const token = await this.tokens.tokenFor(run.agent_name);
    const checkpoint = isResumed ? resumePoint : await this.latestOfThread(run.thread_id, token);
    interrupt.throwIfAborted();
    await this.reportStart(run, token !== null);
    // Until its start has arrived the API shows the end that it had.
    if (isRetry) await this.untilDelivered(run, interrupt);
    const startEtag = run.start_etag ?? ((isResumed && !isRetry) || token === null ? null : await this.startEtag(run));
    return { isResumed, token, checkpoint, startEtag };
  }

  /**
   * Another process over the same definition may have taken the same message on, when its answer was lost. Its run is this one, so that it
   * goes on, or has ended.
   */
  private async begunElsewhere({ source, thread_id, run_id }: TriggerRun): Promise<string | null> {
    if (source !== 'invoke') return null;
    const latest = await this.api.latestOrNull(thread_id, { traceId: run_id, isForResume: true });
    return latest?.kind === 'found' ? latest.text : null;
  }

  private async untilDelivered({ thread_id }: TriggerRun, interrupt: AbortSignal): Promise<void> {
    while (!(await this.reporter.delivered(thread_id, RESUME_DELIVERY_MS, interrupt))) interrupt.throwIfAborted();
  }

  private async reportStart(run: TriggerRun, hasToken: boolean): Promise<void> {
    // Not the reporter's time, which never goes back: the program has the clock as it is now, and what it dates before this is late.
    const stamp = { occurred_at: isoTime(Date.now()) };
    const dataText = JSON.stringify(idsOf(run));
    await this.log.started(run, hasToken, { type: 'thread_started', dataText, stamp });
    if (hasToken) await this.reporter.delivered(run.thread_id, START_DELIVERY_MS);
  }

  private async latestOfThread(threadId: string, token: string | null): Promise<string | null> {
    // Asked with the program's token, so that it is not told what it may not read.
    if (token === null) return null;
    const deadline = Date.now() + PREDECESSOR_MS;
    while (Date.now() < deadline && (await this.repository.hasFinishing(threadId))) await sleep(LOOK_MS);
    await this.reporter.delivered(threadId, START_DELIVERY_MS);
    const latest = await this.api.latestOrNull(threadId, { isForResume: true, token });
    return latest?.kind === 'found' ? latest.text : null;
  }

  private async startEtag({ thread_id, run_id }: TriggerRun): Promise<string | null> {
    const latest = await this.api.latestOrNull(thread_id, { traceId: run_id, isForResume: true });
    return latest?.kind === 'found' ? latest.etag : null;
  }

  /**
   * Where the run stands. What was printed is known here; what the program may have reported by itself only the API knows, so it is
   * waited for: a run that starts from an old checkpoint would do and report the steps since then twice.
   */
  private async resumePoint(run: TriggerRun, interrupt: AbortSignal): Promise<string | null> {
    for (;;) {
      interrupt.throwIfAborted();
      const isDelivered = await this.reporter.delivered(run.thread_id, RESUME_DELIVERY_MS, interrupt);
      const options = { traceId: run.run_id, isForResume: true };
      const latest = isDelivered ? await this.api.latestOrNull(run.thread_id, options) : null;
      if (latest?.kind === 'found') return latest.text;
      if (latest !== null || run.last_checkpoint !== null || !run.had_token) return run.last_checkpoint;
      await sleep(RETRY_MS);
    }
  }
}
