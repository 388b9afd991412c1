import { Backoff } from '../common/backoff.js';
import { FEATURES_HEADER } from '../common/shared-features.js';
import { SingleFlight } from '../common/single-flight.js';
import { problemOf } from './api/api-errors.js';
import { API_BACKOFF, type ApiConnection } from './api-connection.js';
import { readBatchResponse, type BatchVerdict, type CancelledRun, type RejectedReport } from './batch-response.js';
import { HistoryBases, type PreparedBatch } from './history-bases.js';
import { noResponse, type OutageNotice } from './outage-notice.js';
import type { Spool, SpooledText } from './spool.js';

/** Name in outage notices. */
const PART = 'reports';
const BASE_MISMATCH = 'base_mismatch';
export const EVENTS_PATH = '/v1/runners/events';
/** The server's default limits are 1,000 events and 32 MiB. */
const MAX_EVENTS = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
const FIRST_TIMEOUT_MS = 10_000;
const LONGEST_TIMEOUT_MS = 60_000;

/** Why events cannot be sent yet. */
export interface SendingObstacle {
  reason: string;
  /** Null if the time does not matter. */
  retryAfterMs: number | null;
}

export interface DeliveryListeners {
  /** Awaited before events are sent; an obstacle makes them wait. An error counts as no answer. */
  beforeSending?: (batch: readonly SpooledText[], signal: AbortSignal) => Promise<SendingObstacle | null>;
  /** Awaited after events have left the spool, stored or refused; must not fail. */
  onRemoved?: (batch: readonly SpooledText[]) => Promise<void>;
  /** Called for an event that was refused for good and is dropped. */
  onRejected?: (rejected: RejectedReport) => void;
  /** Awaited before refused events leave the spool; must not fail. If the spool cannot be written then, they come again. */
  keepRejected?: (rejected: readonly RejectedReport[]) => Promise<void>;
  /** Told when attempts begin to fail, and when they succeed again. */
  notice?: OutageNotice;
  /** Called for each response that names a cancelled run. */
  onCancelled?: (run: CancelledRun) => void;
}

/** Delivers events from a spool to the API: in order, one request at a time, with retries until the API stores or refuses each. */
export class Delivery {
  private readonly backoff = new Backoff(API_BACKOFF);
  private readonly end = new AbortController();
  private readonly bases = new HistoryBases();
  private readonly work = new SingleFlight(() => this.deliverNext());
  private interruptPause: (() => void) | null = null;
  private maxEvents = MAX_EVENTS;
  private timeoutMs = FIRST_TIMEOUT_MS;
  private idleListeners: (() => void)[] = [];

  constructor(
    private readonly connection: ApiConnection,
    private readonly spool: Spool,
    private readonly listeners: DeliveryListeners = {},
  ) {}

  /**
   * Whether the server has announced that reports may build on earlier ones. Before its first response, asks with an empty batch.
   * @throws as `ApiConnection.send` does; ApiProblemError for a response without an announcement
   */
  async mayUseBases(signal: AbortSignal): Promise<boolean> {
    if (!this.bases.isTold) this.bases.learn(await this.features(signal));
    return this.bases.isOn;
  }

  /**
   * Whether every server on the storage now understands a feature.
   * @throws as {@link mayUseBases}
   */
  async understands(feature: string, signal: AbortSignal): Promise<boolean> {
    return (await this.features(signal))?.split(/,\s*/).includes(feature) === true;
  }

  private async features(signal: AbortSignal): Promise<string | null> {
    const asking = { method: 'POST', body: '{"events":[]}', signal } as const;
    const { status, text, headers } = await this.connection.send(EVENTS_PATH, asking);
    if (status >= 300) throw problemOf(status, text);
    return headers.get(FEATURES_HEADER);
  }

  /** Call it when the spool has new events; has no cost during a delivery. */
  wake(): void {
    this.work.wake();
  }

  /** Tries at once instead of waiting for the end of a pause. */
  hurry(): void {
    this.interruptPause?.();
    this.wake();
  }

  /**
   * Returns true once the spool is empty (everything stored or refused for good), false on timeout.
   * @param timeoutMs limit in milliseconds
   */
  async drained(timeoutMs: number): Promise<boolean> {
    if (await this.isEmpty()) return true;
    this.hurry();
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.idleListeners.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** Stops delivering; waiting events stay in the spool. Aborts a request in flight, which is safe to repeat. */
  async stop(): Promise<void> {
    this.end.abort();
    this.interruptPause?.();
    await this.work.stop();
  }

  private async isEmpty(): Promise<boolean> {
    return (await this.spool.peek(1, 1)).length === 0;
  }

  private async deliverNext(): Promise<void> {
    const batch = await this.nextBatch();
    if (batch?.length === 0) return this.tellIdle();
    if (batch !== null) await this.deliver(batch);
    this.wake();
  }

  /** Null if the spool could not be read, which is retried like an unreachable API. */
  private async nextBatch(): Promise<readonly SpooledText[] | null> {
    try {
      return await this.spool.peek(this.maxEvents, MAX_BYTES);
    } catch (error) {
      await this.failed(`the spool cannot be read: ${wordsOf(error)}`, null);
      return null;
    }
  }

  private async deliver(batch: readonly SpooledText[]): Promise<void> {
    const prepared = this.bases.prepare(batch.map(({ text }) => text));
    const verdict = await this.attempt(batch, prepared);
    if (verdict.kind !== 'taken') return this.handle(batch, verdict);
    this.bases.settled(prepared, new Set(verdict.rejected.map(({ index }) => index)));
    // A report whose base the server lacks stays in the spool and is sent again in full.
    const again = verdict.rejected.filter(({ index, code }) => code === BASE_MISMATCH && prepared.based.has(index));
    if (again.length === 0) return this.handle(batch, verdict);
    const positions = new Set(again.map(({ index }) => index));
    const left = [...batch.keys()].filter((position) => !positions.has(position));
    const rejected = verdict.rejected
      .filter(({ index }) => !positions.has(index))
      .map((rejection) => ({ ...rejection, index: left.indexOf(rejection.index) }));
    await this.handle(
      left.map((position) => batch[position]!),
      { ...verdict, rejected },
    );
  }

  private async attempt(batch: readonly SpooledText[], { texts }: PreparedBatch): Promise<BatchVerdict> {
    const body = `{"events":[${texts.join(',')}]}`;
    const { url } = this.connection;
    const answered = this.listeners.notice?.expectResponse(PART, url);
    try {
      const { signal } = this.end;
      const obstacle = await this.listeners.beforeSending?.(batch, signal);
      if (obstacle) return { kind: 'retry', ...obstacle };
      const response = await this.connection.send(EVENTS_PATH, {
        method: 'POST',
        body,
        timeoutMs: this.timeoutMs,
        signal,
      });
      if (response.status < 300) this.bases.learn(response.headers.get(FEATURES_HEADER));
      const verdict = readBatchResponse(response.status, response.text, response.headers.get('retry-after'));
      return verdict.kind === 'retry' ? { ...verdict, reason: `${url} answers with ${verdict.reason}` } : verdict;
    } catch (error) {
      if ((error as { name?: unknown }).name === 'TimeoutError') this.allowMoreTime(batch);
      return { kind: 'retry', reason: noResponse(url, error), retryAfterMs: null };
    } finally {
      answered?.();
    }
  }

  /** Allows more time and smaller batches: the connection may be too slow for this size. */
  private allowMoreTime(batch: readonly SpooledText[]): void {
    this.timeoutMs = Math.min(2 * this.timeoutMs, LONGEST_TIMEOUT_MS);
    this.maxEvents = halfOf(batch);
  }

  private async handle(batch: readonly SpooledText[], verdict: BatchVerdict): Promise<void> {
    if (this.end.signal.aborted && verdict.kind === 'retry') return;
    if (verdict.kind === 'retry') return this.failed(verdict.reason, verdict.retryAfterMs);
    if (verdict.kind === 'taken') {
      await this.settle(batch, verdict.rejected);
      for (const run of verdict.cancelled) this.listeners.onCancelled?.(run);
      return;
    }
    if (batch.length === 1) return this.settle(batch, [{ index: 0, code: verdict.code, detail: verdict.detail }]);
    // One event in the batch is at fault: halving finds it and delivers the others.
    this.maxEvents = halfOf(batch);
  }

  private async settle(
    batch: readonly SpooledText[],
    rejections: readonly { index: number; code: string; detail: string }[],
  ): Promise<void> {
    const rejected = rejections.flatMap(({ index, code, detail }) => {
      const event = batch[index]?.text;
      return event === undefined ? [] : [{ event, code, detail }];
    });
    if (rejected.length > 0) await this.listeners.keepRejected?.(rejected);
    try {
      await this.spool.remove(batch.map(({ key }) => key));
    } catch (error) {
      return this.failed(`the spool cannot be written: ${wordsOf(error)}`, null);
    }
    await this.listeners.onRemoved?.(batch);
    for (const report of rejected) this.listeners.onRejected?.(report);
    this.maxEvents = Math.min(2 * this.maxEvents, MAX_EVENTS);
    this.timeoutMs = FIRST_TIMEOUT_MS;
    this.backoff.reset();
    this.listeners.notice?.end(PART);
  }

  private async failed(reason: string, retryAfterMs: number | null): Promise<void> {
    this.listeners.notice?.begin(PART, reason);
    await this.pause(this.backoff.next(retryAfterMs));
  }

  private pause(ms: number): Promise<void> {
    if (this.end.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.interruptPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private tellIdle(): void {
    const listeners = this.idleListeners;
    this.idleListeners = [];
    for (const listener of listeners) listener();
  }
}

function halfOf(batch: readonly SpooledText[]): number {
  return Math.ceil(batch.length / 2);
}

function wordsOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}
