import { Injectable, type OnModuleInit } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiConnection } from '../../../client/api-connection.js';
import type { RejectedReport } from '../../../client/batch-response.js';
import { Delivery } from '../../../client/delivery.js';
import { EventStamper, type Envelope } from '../../../client/event-stamp.js';
import { OutageNotice } from '../../../client/outage-notice.js';
import type { OutgoingEvent } from '../../../client/spool.js';
import { isoTime } from '../../../common/clock.js';
import { Logger, type LogFields } from '../../../common/logger.js';
import type { SqlSession } from '../../../database/database.js';
import { RunSettings } from '../run-settings.js';
import { DurableSpool } from './durable-spool.js';
import { FileCopies } from './file-copies.js';
import { ATTACHMENT_PREFIX, fileIn, FileUploads } from './file-uploads.js';
import { SpoolRepository } from './spool.repository.js';
import { open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { OLDER_REFUSED_EVENTS_FILE, REFUSED_EVENTS_FILE } from '../../../common/refused-events.js';

const LOOK_MS = 20;

/** This process's reports: durable at once, delivered in the background until the API has them, across restarts of either side. */
@Injectable()
export class Reporter implements OnModuleInit {
  /** Shared by all parts that call the API, so that an outage is logged once. */
  readonly outage: OutageNotice;
  /** Called for runs whose report the API refuses because another process may drive them. */
  onStale: (traceId: string) => void = () => undefined;
  private readonly stamper = new EventStamper();
  /** What programs have attached. */
  readonly copies: FileCopies;
  private readonly refused: RefusedReports;
  private waiting: DurableSpool;
  private delivery: Delivery;

  constructor(
    private readonly repository: SpoolRepository,
    private readonly settings: RunSettings,
    private readonly logger: Logger,
  ) {
    const { api, stateDir } = settings;
    this.copies = new FileCopies(path.join(stateDir, 'attachments'));
    this.refused = new RefusedReports(stateDir);
    this.outage = new OutageNotice({
      onTrouble: (reason) => logger.warn(`${reason}; reports wait`),
      onRecovered: () => logger.info(`${api.current} answers again`),
    });
  }

  async onModuleInit(): Promise<void> {
    const { api, apiToken, spoolMaxBytes } = this.settings;
    this.waiting = await DurableSpool.open(this.repository, spoolMaxBytes);
    const connection = new ApiConnection(api, apiToken);
    const uploads = new FileUploads(connection, this.copies, this.logger);
    await this.copies.removeUnneeded(() => this.neededFiles());
    this.delivery = new Delivery(connection, this.waiting, {
      beforeSending: (batch, signal) => uploads.send(batch, signal),
      onRemoved: (batch) => this.forgetFiles(batch.flatMap(({ text }) => fileIn(text)?.digest ?? [])),
      keepRejected: (rejected) => this.keepRejected(rejected),
      notice: this.outage,
    });
    this.delivery.wake();
  }

  /** An event with id, number, time and its run's fence. @param dataText JSON text of its data, sent unchanged */
  event(threadId: string, type: string, dataText: string, given?: Envelope): OutgoingEvent {
    return { threadId, text: this.stamper.stamp(type, dataText, given) };
  }

  /** Stores events together with `inSameTransaction` and starts their delivery. */
  async spool(
    events: readonly OutgoingEvent[],
    inSameTransaction: (session: SqlSession) => Promise<void>,
  ): Promise<void> {
    const dropped = await this.waiting.append(events, inSameTransaction);
    if (dropped > 0) {
      this.logger.error({ dropped }, 'the spool is full: the oldest reports are lost');
      await this.forgetFiles(null);
    }
    if (events.length > 0) this.delivery.wake();
  }

  /**
   * Waits until everything reported for the thread so far has arrived; its other runs may report forever. Returns false if that took too
   * long or `signal` aborted.
   */
  async delivered(threadId: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const newest = await this.repository.newestOf(threadId);
    if (newest === null) return true;
    const deadline = Date.now() + timeoutMs;
    for (let pauseMs = LOOK_MS; await this.repository.hasUpTo(threadId, newest); pauseMs = Math.min(2 * pauseMs, 500)) {
      if (signal?.aborted || Date.now() >= deadline) return false;
      await sleep(Math.min(pauseMs, Math.max(deadline - Date.now(), 1)));
    }
    return true;
  }

  /** Delivers what it can in the given time, then stops; the rest waits on disk. */
  async stop(timeoutMs: number): Promise<void> {
    await this.delivery?.drained(timeoutMs);
    await this.delivery?.stop();
  }

  /** Digests of the files whose events wait. */
  private async neededFiles(): Promise<Set<string>> {
    const texts = await this.repository.listBeginningWith(ATTACHMENT_PREFIX);
    return new Set(texts.flatMap((text) => fileIn(text)?.digest ?? []));
  }

  /** @param digests null for all that no event needs */
  private async forgetFiles(digests: readonly string[] | null): Promise<void> {
    try {
      await this.copies.removeUnneeded(() => this.neededFiles(), digests);
    } catch (error) {
      this.logger.warn({ err: error }, 'the copy of a file was not removed');
    }
  }

  /** An unwritable file must not delay further deliveries. */
  private async keepRejected(rejected: readonly RejectedReport[]): Promise<void> {
    const { file } = this.refused;
    try {
      await this.refused.keep(rejected, isoTime(Date.now()));
      this.tellRejected(rejected, { file }, 'reports refused and kept');
    } catch (error) {
      this.tellRejected(
        rejected,
        { file, err: error },
        'reports refused and lost: the file for them cannot be written',
      );
    }
  }

  /** One line per run and kind of refusal: a run may have thousands. Events hold messages and stay out of the log. */
  private tellRejected(rejected: readonly RejectedReport[], facts: LogFields, words: string): void {
    const lines = new Map<string, LogFields & { reports: number }>();
    for (const { event, code, detail } of rejected) {
      const { type, data } = JSON.parse(event) as { type: string; data: { thread_id?: string; trace_id?: string } };
      const ids = { thread_id: data.thread_id, trace_id: data.trace_id };
      const key = JSON.stringify([ids, code]);
      const line = lines.get(key) ?? { ...ids, type, code, detail, ...facts, reports: 0 };
      line.reports += 1;
      lines.set(key, line);
    }
    for (const line of lines.values()) {
      this.logger.warn(line, words);
      if (line.code === 'stale_fence') this.onStale(String(line.trace_id));
    }
  }
}

/** At most two files of this size plus one batch are kept. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Events that the API refused permanently, as JSON lines in the state directory, for people to inspect or resend. */
export class RefusedReports {
  readonly file: string;

  /** @param maxBytes size at which the file replaces the previous one */
  constructor(
    private readonly folder: string,
    private readonly maxBytes = MAX_BYTES,
  ) {
    this.file = path.join(folder, REFUSED_EVENTS_FILE);
  }

  /** Durable when it resolves. The file holds messages, so only this user may read it. @throws as `node:fs` */
  async keep(rejected: readonly RejectedReport[], nowIso: string): Promise<void> {
    const { size } = await stat(this.file).catch(() => ({ size: 0 }));
    if (size >= this.maxBytes) await rename(this.file, path.join(this.folder, OLDER_REFUSED_EVENTS_FILE));
    const handle = await open(this.file, 'a', 0o600);
    try {
      await handle.appendFile(rejected.map((report) => lineOf(report, nowIso)).join(''));
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

/** The event stays text: its numbers may exceed JavaScript's precision. */
function lineOf({ event, code, detail }: RejectedReport, refused_at: string): string {
  const about = JSON.stringify({ refused_at, code, detail });
  return `${about.slice(0, -1)},"event":${event}}\n`;
}
