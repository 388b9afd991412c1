import { Injectable } from '@nestjs/common';
import { RunLeases } from '../leases/run-leases.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { ProgramTokens } from '../tokens/program-tokens.service.js';
import { RunLog } from './run-log.service.js';
import { RunsRepository } from './runs.repository.js';
import type { TriggerRun } from './trigger-run.entity.js';

const DELIVERY_MS = 2_000;

/** Leases and tokens that the API granted to runs whose programs have ended. Leases are released once all events have arrived. */
@Injectable()
export class RunGrants {
  constructor(
    private readonly repository: RunsRepository,
    private readonly log: RunLog,
    private readonly leases: RunLeases,
    private readonly tokens: ProgramTokens,
    private readonly reporter: Reporter,
  ) {}

  /** Releases the leases of runs whose last events have arrived. Until then, only reports with the run's fence are accepted. */
  async releaseAll(end: AbortSignal): Promise<boolean> {
    let isAllDone = true;
    for (const run of (await this.repository.listUnreleased().catch(() => null)) ?? []) {
      if (end.aborted) return false;
      const isDelivered = await this.reporter.delivered(run.thread_id, DELIVERY_MS, end);
      const isDone = isDelivered && (await this.leases.release(run, () => this.repository.isUnreleased(run)));
      if (isDone) await this.repository.noteReleased(run);
      isAllDone &&= isDone;
    }
    return isAllDone;
  }

  /**
   * Whether another process drives the run. A run left by this agent's previous process is taken over, but only after its recorded events
   * have arrived; otherwise another process could mistake the run for an interrupted one.
   */
  async isTaken(run: TriggerRun, end: AbortSignal): Promise<boolean> {
    if (!this.leases.mayBeHeld(run)) return false;
    if (this.leases.isHeld(run.run_id)) return this.leases.lossOf(run.run_id).aborted;
    if (!(await this.reporter.delivered(run.thread_id, DELIVERY_MS, end))) return false;
    await this.log.claiming(run, this.leases.holder);
    const claim = await this.leases.claim(run, { signal: end, mayBeHeld: true });
    if (claim.kind !== 'held') return claim.kind !== 'none';
    run.fence = claim.fence;
    run.holder = null;
    await this.log.leased(run);
    return false;
  }

  /** Stops renewing the run's lease. */
  forget({ run_id }: TriggerRun): void {
    this.leases.forget(run_id);
  }

  /** Revokes all tokens if the API responds. */
  revokeAll(): Promise<void> {
    return this.tokens.revokeAll();
  }
}
