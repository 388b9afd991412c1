import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../../../client/backoff.js';
import { Logger } from '../../../common/logger.js';
import { RunClosing } from './run-closing.service.js';
import { RunLog } from './run-log.service.js';
import { RunsRepository } from './runs.repository.js';

/** Works off the runs whose programs have ended. While the API is away they wait for it, on disk. */
@Injectable()
export class RunFinisher {
  private working: Promise<void> | null = null;
  private isWanted = false;
  private readonly end = new AbortController();
  private readonly backoff = new Backoff();

  constructor(
    private readonly repository: RunsRepository,
    private readonly closing: RunClosing,
    private readonly log: RunLog,
    private readonly logger: Logger,
  ) {}

  /** To be called when a program has ended. */
  wake(): void {
    this.isWanted = true;
    if (this.end.signal.aborted) return;
    this.working ??= this.work().finally(() => {
      this.working = null;
      if (this.isWanted) this.wake();
    });
  }

  /** Finishes what can be finished in the given time, then stops. */
  async stop(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.end.abort(), timeoutMs);
    while (this.working !== null) await this.working;
    clearTimeout(timer);
    this.end.abort();
  }

  private async work(): Promise<void> {
    const { signal } = this.end;
    while (!signal.aborted) {
      this.isWanted = false;
      const waiting = await this.repository.listIds('finishing').catch(() => []);
      const isAllDone = await this.finishAll(waiting);
      if (isAllDone && !this.isWanted) return;
      if (isAllDone) this.backoff.reset();
      else await sleep(this.backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Answers false at the first run that has to wait: then the API is away, most likely for all. */
  private async finishAll(runIds: readonly string[]): Promise<boolean> {
    for (const runId of runIds) {
      if (this.end.signal.aborted) return false;
      const isDone = await this.finish(runId).catch((error: unknown) => {
        this.logger.error({ err: error, trace_id: runId }, 'end of a run not reported; tried again');
        return false;
      });
      if (!isDone) return false;
    }
    return true;
  }

  private async finish(runId: string): Promise<boolean> {
    const run = await this.repository.get(runId);
    const events = await this.closing.closingEvents(run, this.end.signal);
    if (events === null) return false;
    await this.log.ended(runId, events);
    this.backoff.reset();
    return true;
  }
}
