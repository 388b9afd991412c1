import { Injectable } from '@nestjs/common';
import type { Principal, RunOfToken } from '../../../common/principal.js';
import { EFFECT_SETTLED } from '../../../common/contract/event-types.js';
import { DomainError, type DomainErrorKind, type FieldFault } from '../../../common/domain-error.js';
import { Logger } from '../../../common/logger.js';
import { Slots } from '../../../common/slots.js';
import { IngestionConfig } from '../../../config/ingestion.config.js';
import type { TextList } from '../../../common/text-list.js';
import { ThreadRecordingService, type CancelledRun } from '../../threads/journal/thread-recording.service.js';
import type { LatestReport, ReportedEvent } from '../../threads/threads.contract.js';
import { AgentsService } from '../agents/agents.service.js';
import { EffectsService } from '../effects/effects.service.js';
import type { Heartbeat } from '../agents/heartbeat.js';
import { readLongBatch, readShortBatch } from './batch-reader.js';
import { digestInSlices } from './sliced-digests.js';
import { nearMissOf } from './event-types.js';
import type { EventReading, FaultyEvent, Remark } from './event-reader.js';

/** Bytes of a body from which it is processed in slices. */
const LARGE_BYTES = 1024 * 1024;

/** Memory of a new list element besides its text, until it is stored as a row. */
const ROW_BYTES = 250;
/** Large batches processed at a time: each may become half a million rows, all in memory. */
const LONG_AT_A_TIME = 2;

/** What is wrong with a settling itself; anything else may pass. */
const REFUSALS: readonly DomainErrorKind[] = ['conflict', 'forbidden', 'not_found', 'invalid'];

/** Who sends a batch. */
export type BatchReporter = Pick<Principal, 'scope' | 'agentIds' | 'run' | 'name' | 'sessionId'>;

interface Batch {
  body: Buffer;
  reporter: BatchReporter;
  onRead: () => void;
}

/** An event of a batch that was not stored. */
export interface RejectedEvent {
  index: number;
  /** As reported; null if there was no usable type. */
  type: string | null;
  code: string;
  detail: string;
  /** With the code `base_mismatch`: the latest checkpoint of the run; null where there is none. */
  latest?: LatestReport | null;
}

/** A stored event that its reporter probably meant differently. */
export interface EventWarning {
  index: number;
  detail: string;
}

/** Something that the reporter is to do with a run of its own. */
export interface RunControl {
  thread_id: string;
  trace_id: string;
  /** Stop the program of the run: a person has cancelled it. */
  action: 'cancel';
  /** Absent if the person did not say why. */
  reason?: string;
}

export interface IngestionResult {
  saved: number;
  rejected: RejectedEvent[];
  /** Absent if there is none. */
  warnings?: EventWarning[];
  /** Absent if there is none. */
  control?: RunControl[];
}

/** Accepts batches of runner events: checks each event by itself and stores the valid ones. */
@Injectable()
export class RunnersIngestionService {
  /** Since the process started. */
  readonly totals = { saved: 0, rejected: 0 };

  private readonly long = new Slots(LONG_AT_A_TIME);

  constructor(
    private readonly recording: ThreadRecordingService,
    private readonly effects: EffectsService,
    private readonly agents: AgentsService,
    private readonly config: IngestionConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * @param body the batch as JSON
   * @param reporter which agents, and which run, the reporter may speak for
   * @param onRead called as soon as the bytes of the body count in the queue, if they are still needed
   * @throws DomainError `invalid` when the envelope is malformed or none of its events could be saved, `too_large` when there
   *   are too many of them, `unavailable` when the queue is full or the storage away
   */
  async ingest(body: Buffer, reporter: BatchReporter, onRead: () => void): Promise<IngestionResult> {
    const known = (threadId: string, traceId: string | null) => this.recording.knownLists(threadId, traceId);
    const options = { maxEvents: this.config.maxEventsPerBatch, known };
    const readings = readShortBatch(body, options);
    if (readings !== null) return this.take(readings, { body, reporter, onRead });
    return this.long.run(async () => {
      return this.take(await readLongBatch(body, options), { body, reporter, onRead });
    });
  }

  private async take(readings: readonly EventReading[], batch: Batch): Promise<IngestionResult> {
    const { body, reporter, onRead } = batch;
    if (body.length > LARGE_BYTES) await digestInSlices(eventsOf(readings));
    const faults = new Map<number, readonly FieldFault[]>();
    for (const reading of readings) if ('faults' in reading) faults.set(reading.index, reading.faults);
    const rejected = readings.filter((reading) => 'faults' in reading).map(toRejected);
    const recording = this.record(readings, body.length, reporter);
    onRead();
    const { refused, control: ofEvents } = await recording;
    this.logRemarks(readings);
    const refusedSettlings = await this.settle(readings, reporter);
    const heard = await this.hear(readings, reporter);
    const control = [...ofEvents, ...heard.control];
    const all = [...rejected, ...refused, ...refusedSettlings, ...heard.refused].sort((a, b) => a.index - b.index);
    this.totals.saved += readings.length - all.length;
    this.totals.rejected += all.length;
    if (all.length > 0) this.logger.info({ rejected: all.length, first: all[0]!.detail }, 'events rejected');
    if (readings.length > 0 && all.length === readings.length) throw nothingSaved(all, faults);
    const warnings = warningsOf(readings);
    return {
      saved: readings.length - all.length,
      rejected: all,
      ...(warnings.length > 0 && { warnings }),
      ...(control.length > 0 && { control }),
    };
  }

  private async record(
    readings: readonly EventReading[],
    bytes: number,
    { agentIds: allowedAgents, run: ownRun }: BatchReporter,
  ): Promise<{ refused: RejectedEvent[]; control: RunControl[] }> {
    const taken: { index: number; event: ReportedEvent }[] = [];
    for (const reading of readings) if ('event' in reading) taken.push(reading);
    if (taken.length === 0) return { refused: [], control: [] };
    if (ownRun !== null) nameRun(taken, ownRun);
    const { refused, cancelled } = await this.recording.record(
      taken.map(({ event }) => event),
      { bytes: bytes + ROW_BYTES * newElementsIn(taken), allowedAgents, ownRun },
    );
    for (const { event } of taken) if (event.type === 'budget_warning') this.warn(event.threadId, event);
    return {
      refused: refused.map(({ position, error }) => {
        const { index, event } = taken[position]!;
        return { index, type: event.type, code: error.code, detail: error.message, ...error.extensions };
      }),
      control: cancelled.map(toControl),
    };
  }

  /** One after the other; those that are known already change nothing, so that a batch may come again. */
  private async settle(readings: readonly EventReading[], reporter: BatchReporter): Promise<RejectedEvent[]> {
    const refused: RejectedEvent[] = [];
    for (const reading of readings) {
      if (!('settled' in reading)) continue;
      const { index, settled } = reading;
      try {
        await this.effects.settle(settled.address, settled.settling, reporter);
      } catch (error) {
        if (!(error instanceof DomainError) || !REFUSALS.includes(error.kind)) throw error;
        refused.push({ index, type: EFFECT_SETTLED, code: error.code, detail: error.message });
      }
    }
    return refused;
  }

  /** Never logs or returns anything of a heartbeat: it carries a secret. */
  private async hear(
    readings: readonly EventReading[],
    { agentIds }: BatchReporter,
  ): Promise<{ refused: RejectedEvent[]; control: RunControl[] }> {
    const heard: { index: number; heartbeat: Heartbeat }[] = [];
    for (const reading of readings) if ('heartbeat' in reading) heard.push(reading);
    if (heard.length === 0) return { refused: [], control: [] };
    const { refusals, cancelled } = await this.agents.beat(
      heard.map(({ heartbeat }) => heartbeat),
      agentIds,
    );
    const refused = refusals.flatMap((error, at) =>
      error === null ? [] : [{ index: heard[at]!.index, type: 'heartbeat', code: error.code, detail: error.message }],
    );
    return { refused, control: cancelled.map(toControl) };
  }

  private logRemarks(readings: readonly EventReading[]): void {
    for (const reading of readings) {
      if (!('remark' in reading)) continue;
      const { type, traceId, fields } = reading.remark;
      if (type === 'budget_warning') this.warn(null, reading.remark);
      else this.logger.info({ type, trace_id: traceId, agent_id: fields.agent_id }, 'event without a thread');
    }
  }

  private warn(threadId: string | null, { traceId, fields }: Pick<Remark, 'traceId' | 'fields'>): void {
    const { run_cost_usd, budget_usd } = fields;
    this.logger.warn({ thread_id: threadId, trace_id: traceId, run_cost_usd, budget_usd }, 'budget warning');
  }
}

/** An event without a trace means the run of the token, unless the batch has already named a run of the thread. */
function nameRun(taken: readonly { event: ReportedEvent }[], { threadId, traceId }: RunOfToken): void {
  for (const { event } of taken) {
    if (event.threadId !== threadId) continue;
    if (event.traceId !== null) return;
    event.traceId = traceId;
  }
}

function newElementsIn(taken: readonly { event: ReportedEvent }[]): number {
  const newIn = ({ count, beginning }: TextList) => count - (beginning?.count ?? 0);
  return taken.reduce((sum, { event }) => sum + newIn(event.history) + newIn(event.historyMeta), 0);
}

function* eventsOf(readings: readonly EventReading[]): Generator<ReportedEvent> {
  for (const reading of readings) if ('event' in reading) yield reading.event;
}

function warningsOf(readings: readonly EventReading[]): EventWarning[] {
  return readings.flatMap((reading) => {
    const type = 'event' in reading ? reading.event.type : 'remark' in reading ? reading.remark.type : '';
    const meant = nearMissOf(type);
    if (meant === null) return [];
    return [{ index: reading.index, detail: `type: ${type} is unknown and was only stored; did you mean ${meant}?` }];
  });
}

function toControl({ threadId, traceId, reason }: CancelledRun): RunControl {
  return { thread_id: threadId, trace_id: traceId, action: 'cancel', ...(reason !== null && { reason }) };
}

function toRejected(reading: FaultyEvent): RejectedEvent {
  const detail = reading.faults.map(({ path, detail }) => `${path}: ${detail}`).join('; ');
  return { index: reading.index, type: reading.type, code: 'invalid_event', detail };
}

function nothingSaved(
  rejected: readonly RejectedEvent[],
  faults: ReadonlyMap<number, readonly FieldFault[]>,
): DomainError {
  const errors = rejected.flatMap(({ index, code, detail }) => {
    const fields = faults.get(index) ?? [{ path: code === 'stale_fence' ? 'fence' : 'data', detail }];
    return fields.map((fault) => ({ path: `events[${index}].${fault.path}`, detail: fault.detail }));
  });
  const [first] = errors;
  return new DomainError('invalid', 'no_event_saved', `No event could be saved. ${first!.path}: ${first!.detail}`, {
    errors,
    extensions: { rejected },
  });
}
