import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { noResponse } from '../../../client/outage-notice.js';
import type { QueuedRun } from '../../../common/contract/queued-run.js';
import { objectOf } from '../../../common/json-fields.js';
import { Logger } from '../../../common/logger.js';
import { parsedJson } from '../../../common/parsed-json.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { RunSettings } from '../run-settings.js';
import { OwnBeats, type OwnBeat } from './own-beats.js';
import { RunQueue } from './run-queue.js';

const BEAT_MS = 15_000;
/** While runs wait: if a person cancels one, the next may take its place. */
const QUEUED_MS = 2_000;
/** While the API is away: after its start it should soon know where the agents are. */
const AWAY_MS = 5_000;
const PART = 'heartbeats';
/** Until this process listens and knows its address. */
const NOT_YET_MS = 200;
/** After a change of the queue, so that the API hears once of many. */
const CHANGE_MS = 100;
const CHANGES_APART_MS = 1_000;

/**
 * Tells the API each agent's address, triggers and queue: at start, every 15 seconds, and more often while runs wait. Never logs any of it:
 * it carries a secret.
 */
@Injectable()
export class HeartbeatService implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private changeTimer?: NodeJS.Timeout;
  private isStopped = false;
  /** Refusals of the last heartbeat. */
  private noted: ReadonlySet<string> = new Set();
  private isBeating = false;
  private dueAtMs = Infinity;
  private lastAtMs = -Infinity;
  /** The queue as last sent, in JSON, accepted or not: the next regular heartbeat repeats it. */
  private toldQueue = '';

  constructor(
    private readonly api: ProcessApi,
    private readonly beats: OwnBeats,
    private readonly queue: RunQueue,
    private readonly settings: RunSettings,
    private readonly reporter: Reporter,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.next(0);
    this.queue.onChange = () => this.soon();
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    clearTimeout(this.changeTimer);
  }

  private next(delayMs: number): void {
    if (this.isStopped) return;
    clearTimeout(this.timer);
    this.dueAtMs = performance.now() + delayMs;
    this.timer = setTimeout(() => void this.beatAndGoOn(), delayMs);
  }

  /** The queue has changed. A heartbeat in flight checks that itself. */
  private soon(): void {
    if (this.isBeating || this.isStopped || this.changeTimer !== undefined) return;
    const nowMs = performance.now();
    const delayMs = Math.max(CHANGE_MS, this.lastAtMs + CHANGES_APART_MS - nowMs);
    if (nowMs + delayMs < this.dueAtMs) this.changeTimer = setTimeout(() => this.tellChange(), delayMs);
  }

  /** Does nothing if the queue is again as sent: most runs start as soon as they are accepted. */
  private tellChange(): void {
    this.changeTimer = undefined;
    if (this.hasChanged()) void this.beatAndGoOn();
  }

  private hasChanged(): boolean {
    return this.toldQueue !== JSON.stringify(this.beats.queued());
  }

  private async beatAndGoOn(): Promise<void> {
    clearTimeout(this.timer);
    clearTimeout(this.changeTimer);
    this.changeTimer = undefined;
    this.isBeating = true;
    this.lastAtMs = performance.now();
    const nextMs = await this.beat();
    this.isBeating = false;
    this.next(nextMs);
    if (nextMs !== AWAY_MS && this.hasChanged()) this.soon();
  }

  /** Returns when the next one is due, which also makes up for a failed one. */
  private async beat(): Promise<number> {
    const beats = this.beats.now();
    if (beats === null) return NOT_YET_MS;
    const events = beats.map((data) => ({ type: 'heartbeat', data }));
    const queued = beats.flatMap(({ queued_runs }) => queued_runs);
    const { outage } = this.reporter;
    const url = this.settings.api.current;
    const answered = outage.expectResponse(PART, url);
    try {
      const { status, text } = await this.api.send('/v1/runners/events', {
        method: 'POST',
        body: JSON.stringify({ events }),
      });
      outage.end(PART);
      this.note(status, text, beats);
      this.toldQueue = JSON.stringify(queued);
      this.heed(text, queued);
      return queued.length > 0 ? QUEUED_MS : BEAT_MS;
    } catch (error) {
      if (!this.isStopped) outage.begin(PART, noResponse(url, error));
      return AWAY_MS;
    } finally {
      answered();
    }
  }

  /** @param told the queued runs in the heartbeat */
  private heed(response: string, told: readonly QueuedRun[]): void {
    const control = objectOf(parsedJson(response))?.control;
    if (!Array.isArray(control)) return;
    for (const order of control) {
      const { thread_id, trace_id, action } = objectOf(order) ?? {};
      const run = told.find((one) => one.trace_id === trace_id && one.thread_id === thread_id);
      if (run !== undefined && action === 'cancel') this.queue.cancel(run);
    }
  }

  /** Logs each refusal once: until it is resolved, chats, the console and the API cannot start the agents. */
  private note(status: number, text: string, beats: readonly OwnBeat[]): void {
    const refused = status === 200 ? new Map<string, string[]>() : refusals(status, text, beats);
    for (const [detail, agents] of refused)
      if (!this.noted.has(detail)) this.logger.warn({ agents, detail }, 'heartbeats refused');
    this.noted = new Set(refused.keys());
  }
}

/** The agents whose heartbeats were refused, by reason: all of them if the server refused the whole request. */
function refusals(status: number, text: string, beats: readonly OwnBeat[]): Map<string, string[]> {
  const response = objectOf(parsedJson(text));
  if (!Array.isArray(response?.rejected)) {
    const detail = typeof response?.detail === 'string' ? response.detail : `status ${status}`;
    return new Map([[detail, beats.map(({ agent_id }) => agent_id)]]);
  }
  const found = new Map<string, string[]>();
  for (const one of response.rejected) {
    const { index, detail } = objectOf(one) ?? {};
    const agents = found.get(String(detail)) ?? [];
    found.set(String(detail), [...agents, beats[Number(index)]?.agent_id ?? '']);
  }
  return found;
}
