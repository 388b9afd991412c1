import { Injectable } from '@nestjs/common';
import { RunLeases } from '../leases/run-leases.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { ProgramTokens } from '../tokens/program-tokens.service.js';
import { RunLog } from './run-log.service.js';
import { RunsRepository } from './runs.repository.js';
import type { TriggerRun } from './trigger-run.entity.js';

const DELIVERY_MS = 2_000;

/** What the API has given to runs whose programs have ended: leases, which are given back once everything is said, and tokens. */
@Injectable()
export class RunGrants {
  constructor(
    private readonly repository: RunsRepository,
    private readonly log: RunLog,
    private readonly leases: RunLeases,
    private readonly tokens: ProgramTokens,
    private readonly reporter: Reporter,
  ) {}

  /** Gives back the leases of runs whose ends have arrived: until then nobody may report of them but with their fences. */
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
   * Whether another process has the run. One that was left over from the process before is taken over, once what that has recorded has
   * arrived: else another could take the run for an interrupted one.
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

  /** Renews the lease of the run no longer. */
  forget({ run_id }: TriggerRun): void {
    this.leases.forget(run_id);
  }

  /** Takes back all tokens, as far as the API is there. */
  revokeAll(): Promise<void> {
    return this.tokens.revokeAll();
  }
}
