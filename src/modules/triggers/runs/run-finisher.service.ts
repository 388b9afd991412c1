import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_BACKOFF } from '../../../client/api-connection.js';
import { Backoff } from '../../../common/backoff.js';
import { Logger } from '../../../common/logger.js';
import { SingleFlight } from '../../../common/single-flight.js';
import { Reporter } from '../reporter/reporter.service.js';
import { RunClosing } from './run-closing.service.js';
import { RunGrants } from './run-grants.service.js';
import { RunLog } from './run-log.service.js';
import { RunsRepository } from './runs.repository.js';

const FINISHING_MS = 3_000;
const DELIVERY_MS = 3_000;

/** Reports the ends of runs whose programs have ended. While the API is away, they wait on disk. */
@Injectable()
export class RunFinisher {
  private readonly work = new SingleFlight(() => this.finishOrPause());
  private pause = new AbortController();
  private readonly end = new AbortController();
  private readonly backoff = new Backoff(API_BACKOFF);

  constructor(
    private readonly repository: RunsRepository,
    private readonly closing: RunClosing,
    private readonly log: RunLog,
    private readonly grants: RunGrants,
    private readonly reporter: Reporter,
    private readonly logger: Logger,
  ) {}

  /** Call it when a program has ended. */
  wake(): void {
    this.pause.abort();
    this.work.wake();
  }

  /** Reports what it can within seconds, then ends all communication with the API. The rest waits on disk for the next start. */
  async close(): Promise<void> {
    this.wake();
    const timer = setTimeout(() => this.giveUp(), FINISHING_MS);
    await this.work.idle();
    clearTimeout(timer);
    this.giveUp();
    await this.grants.revokeAll();
    await this.reporter.stop(DELIVERY_MS);
  }

  private giveUp(): void {
    this.end.abort();
    this.pause.abort();
  }

  private async finishOrPause(): Promise<void> {
    if (this.end.signal.aborted) return;
    this.pause = new AbortController();
    const { signal } = this.pause;
    const isAllDone = await this.finishAll();
    if (signal.aborted) return; // woken meanwhile, or at the end
    if (isAllDone) return this.backoff.reset();
    await sleep(this.backoff.next(), undefined, { signal }).catch(() => undefined);
    this.work.wake();
  }

  /** Returns false if something must be retried. A run that cannot be finished now does not hold up others. */
  private async finishAll(): Promise<boolean> {
    const waiting = await this.listWaiting();
    let isAllDone = waiting !== null;
    for (const runId of waiting ?? []) {
      if (this.end.signal.aborted) return false;
      const isDone = await this.finish(runId).catch((error: unknown) => {
        this.logger.error({ err: error, trace_id: runId }, 'end of a run not reported; retrying');
        return false;
      });
      isAllDone &&= isDone;
    }
    return (await this.grants.releaseAll(this.end.signal)) && isAllDone;
  }

  /** Null when they could not be read. */
  private listWaiting(): Promise<string[] | null> {
    return this.repository.listIds('finishing').catch((error: unknown) => {
      this.logger.warn({ err: error }, 'ended runs could not be read; retrying');
      return null;
    });
  }

  private async finish(runId: string): Promise<boolean> {
    const run = await this.repository.get(runId);
    if (await this.grants.isTaken(run, this.end.signal)) {
      await this.log.takenOver(run);
      this.grants.forget(run);
      return true;
    }
    const events = await this.closing.closingEvents(run, this.end.signal);
    if (events === null) return false;
    await this.log.ended(run, events);
    this.backoff.reset();
    return true;
  }
}
