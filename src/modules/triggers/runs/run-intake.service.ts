import { Injectable } from '@nestjs/common';
import { ClockJumps } from '../../../common/clock-jumps.js';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import { RunQueue } from '../heartbeat/run-queue.js';
import type { TriggerRun } from './trigger-run.entity.js';
import type { RunRequest } from '../run-launcher.js';
import { RunRecovery } from './run-recovery.service.js';
import { keyReused, runActive, runIdTaken } from './runs.errors.js';
import { RunsRepository } from './runs.repository.js';

/** How long a repeated request still finds the run that it started. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Accepts runs durably, and accepts them again after a restart. */
@Injectable()
export class RunIntake {
  private readonly jumps = new ClockJumps(this.clock);

  constructor(
    private readonly repository: RunsRepository,
    private readonly recovery: RunRecovery,
    readonly queue: RunQueue,
    private readonly clock: Clock,
  ) {}

  /** Runs to start that the previous process left. */
  recover(): Promise<TriggerRun[]> {
    return this.recovery.recover();
  }

  /** Forgets nothing while the clock may be wrong; otherwise a repeated request would start a new run. */
  async forgetOld(): Promise<void> {
    if (this.jumps.hasJumped()) return;
    await this.repository.deleteEndedBefore(this.clock.nowMs() - KEPT_MS);
  }

  /**
   * The run that an earlier request with the same key or run id started.
   * @throws DomainError `conflict` if it is another kind of run, `unprocessable` if the key came with other content
   */
  async findRepeated(request: RunRequest): Promise<TriggerRun | null> {
    const { idempotencyKey, runId, retryOf, agentName, threadId } = request;
    if (retryOf !== undefined) return this.findRetried(retryOf, { idempotencyKey, agentName, threadId });
    const ofKey = idempotencyKey === null ? null : await this.repository.findByKey(idempotencyKey);
    if (ofKey !== null) assertSameRequest(ofKey, request);
    if (ofKey !== null || runId === undefined) return ofKey;
    const known = await this.repository.find(runId);
    if (known !== null && (known.agent_name !== agentName || known.thread_id !== threadId)) throw runIdTaken(runId);
    return known;
  }

  /** Stores the run. `isNew` is false if another request with the same key or run id came first. */
  async store(request: RunRequest): Promise<{ run: TriggerRun; isNew: boolean }> {
    const { agentName, message, threadId, context, source, idempotencyKey, requestDigest = null } = request;
    const stored = await this.repository.insert({
      run_id: request.runId ?? newId(),
      agent_name: agentName,
      thread_id: threadId ?? newId(),
      message,
      context,
      source,
      idempotency_key: idempotencyKey,
      request_digest: requestDigest,
      accepted_at: this.clock.nowMs(),
    });
    if (stored !== null) return { run: stored, isNew: true };
    return { run: (await this.findRepeated(request))!, isNew: false };
  }

  /**
   * Queues an ended run again. `isNew` is false if another request with the same key came first.
   * @throws DomainError `conflict` if the run has not ended
   */
  async storeAgain(runId: string, request: RunRequest): Promise<{ run: TriggerRun; isNew: boolean }> {
    const { agentName, message, threadId, context, source, idempotencyKey, retrySince = null } = request;
    const stored = await this.repository.requeue({
      run_id: runId,
      agent_name: agentName,
      thread_id: threadId!,
      message,
      context,
      source,
      retry_key: idempotencyKey,
      retry_since: retrySince,
      accepted_at: this.clock.nowMs(),
    });
    if (stored !== null) return { run: stored, isNew: true };
    const repeated = await this.findRetried(runId, request);
    if (repeated === null) throw runActive(runId);
    return { run: repeated, isNew: false };
  }

  private async findRetried(
    runId: string,
    { idempotencyKey: key, agentName, threadId }: Pick<RunRequest, 'idempotencyKey' | 'agentName' | 'threadId'>,
  ): Promise<TriggerRun | null> {
    const run = key === null ? null : await this.repository.find(runId);
    if (run === null || run.retry_key !== key) return null;
    if (run.agent_name !== agentName || run.thread_id !== threadId) throw runIdTaken(runId);
    return run;
  }

  get(runId: string): Promise<TriggerRun> {
    return this.repository.get(runId);
  }
}

function assertSameRequest({ request_digest: known }: TriggerRun, { requestDigest }: RunRequest): void {
  if (known !== null && requestDigest !== undefined && known !== requestDigest) throw keyReused();
}
