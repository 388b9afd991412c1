import { Injectable } from '@nestjs/common';
import type { Principal, RunOfToken } from '../../../common/principal.js';
import { EFFECT_SETTLED } from '../../../common/contract/event-types.js';
import { DomainError, type DomainErrorKind } from '../../../common/domain-error.js';
import { Logger } from '../../../common/logger.js';
import { Slots } from '../../../common/slots.js';
import { IngestionConfig } from '../../../config/ingestion.config.js';
import type { TextList } from '../../../common/text-list.js';
import {
  ThreadRecordingService,
  type CancelledRun,
  type WorkBeside,
} from '../../threads/journal/thread-recording.service.js';
import type { LatestReport, ReportedEvent } from '../../threads/threads.contract.js';
import { AgentsService } from '../agents/agents.service.js';
import { EffectsService } from '../../effects/effects.service.js';
import type { Heartbeat } from '../agents/heartbeat.js';
import { readLongBatch, readShortBatch } from './batch-reader.js';
import { digestInSlices } from './sliced-digests.js';
import type { EventReading, FaultyEvent, ThreadlessEvent } from './event-reader.js';
import { warningsOf, withHint, type EventWarning } from './event-warnings.js';

/** Size from which a body is processed in slices. */
const LARGE_BYTES = 1024 * 1024;

/** Memory of a new list element besides its text, until it is stored. */
const ROW_BYTES = 250;
/** Large batches processed at a time: each may become half a million rows in memory. */
const LONG_AT_A_TIME = 2;

const FAULTY = 'invalid_event';

/** Errors of a settlement itself; the rest of the batch may pass. */
const REFUSALS: readonly DomainErrorKind[] = ['conflict', 'forbidden', 'not_found', 'invalid'];

export type BatchReporter = Pick<Principal, 'scope' | 'agentIds' | 'run' | 'name' | 'sessionId'>;

interface Batch {
  body: Buffer;
  reporter: BatchReporter;
  onRead: () => void;
  /** Stored with the events, or not at all. */
  beside: WorkBeside | null;
}

export interface RejectedEvent {
  index: number;
  /** As reported; null without a usable type. */
  type: string | null;
  code: string;
  detail: string;
  /** With the code `base_mismatch`: the run's latest checkpoint; null if there is none. */
  latest?: LatestReport | null;
}

/** A rejected event with its error. */
interface Refusal {
  index: number;
  type: string | null;
  error: DomainError;
  /** Further members of the response. */
  extensions?: Record<string, unknown>;
}

interface Taken extends Omit<IngestionResult, 'rejected'> {
  refusals: readonly Refusal[];
}

/** What the reporter must do with one of its runs. */
export interface RunControl {
  thread_id: string;
  trace_id: string;
  /** Stop the run's program: a person has cancelled it. */
  action: 'cancel';
  /** Absent if not given. */
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
   * @param onRead called once the queue counts the body's bytes, if they are still needed
   * @throws DomainError `invalid` if the envelope is malformed or no event could be saved, `too_large` for too many events, `unavailable`
   * if the queue is full or the storage is away
   */
  async ingest(body: Buffer, reporter: BatchReporter, onRead: () => void): Promise<IngestionResult> {
    const { saved, refusals, ...rest } = await this.readAndTake({ body, reporter, onRead, beside: null });
    if (refusals.length > 0 && saved === 0) throw nothingSaved(refusals);
    return { saved, rejected: refusals.map(toRejected), ...rest };
  }

  /**
   * The same for a batch that is stored together with other data: both in one transaction, or neither.
   * @throws DomainError as `ingest`, except if no event could be saved; and what `beside` throws
   */
  async ingestBeside(
    body: Buffer,
    reporter: BatchReporter,
    onRead: () => void,
    beside: WorkBeside | null,
  ): Promise<IngestionResult> {
    const { refusals, ...rest } = await this.readAndTake({ body, reporter, onRead, beside });
    return { ...rest, rejected: refusals.map(toRejected) };
  }

  /**
   * The same for a batch that the server creates.
   * @returns the reasons of refused events, in order
   * @throws DomainError as `ingest`, except if no event could be saved
   */
  async refusalsOf(body: Buffer, reporter: BatchReporter): Promise<readonly DomainError[]> {
    const { refusals } = await this.readAndTake({ body, reporter, onRead: () => undefined, beside: null });
    return refusals.map(({ error }) => error);
  }

  private async readAndTake(batch: Batch): Promise<Taken> {
    const known = (threadId: string, traceId: string | null) => this.recording.knownLists(threadId, traceId);
    const options = { maxEvents: this.config.maxEventsPerBatch, known };
    const readings = readShortBatch(batch.body, options);
    if (readings !== null) return this.take(readings, batch);
    return this.long.run(async () => this.take(await readLongBatch(batch.body, options), batch));
  }

  private async take(readings: readonly EventReading[], batch: Batch): Promise<Taken> {
    const { body, reporter, onRead } = batch;
    if (body.length > LARGE_BYTES) await digestInSlices(eventsOf(readings));
    const faulty = readings.filter((reading) => 'faults' in reading).map(faultyEvent);
    const recording = this.record(readings, batch);
    onRead();
    const { refused, control: ofEvents } = await recording;
    this.logRemarks(readings);
    const refusedSettlings = await this.settle(readings, reporter);
    const heard = await this.hear(readings, reporter);
    const control = [...ofEvents, ...heard.control];
    const all = [...faulty, ...refused, ...refusedSettlings, ...heard.refused].sort((a, b) => a.index - b.index);
    this.totals.saved += readings.length - all.length;
    this.totals.rejected += all.length;
    if (all.length > 0) this.logger.info({ rejected: all.length, first: all[0]!.error.message }, 'events rejected');
    const warnings = warningsOf(readings);
    return {
      saved: readings.length - all.length,
      refusals: all,
      ...(warnings.length > 0 && { warnings }),
      ...(control.length > 0 && { control }),
    };
  }

  private async record(
    readings: readonly EventReading[],
    { body, reporter: { agentIds: allowedAgents, run: ownRun }, beside }: Batch,
  ): Promise<{ refused: Refusal[]; control: RunControl[] }> {
    const taken: { index: number; event: ReportedEvent }[] = [];
    for (const reading of readings) if ('event' in reading) taken.push(reading);
    if (taken.length === 0 && beside === null) return { refused: [], control: [] };
    if (ownRun !== null) nameRun(taken, ownRun);
    const { refused, cancelled } = await this.recording.record(
      taken.map(({ event }) => event),
      { bytes: body.length + ROW_BYTES * newElementsIn(taken), allowedAgents, ownRun, beside },
    );
    for (const { event } of taken) if (event.type === 'budget_warning') this.warn(event.threadId, event);
    return {
      refused: refused.map(({ position, error }) => {
        const { index, event } = taken[position]!;
        return { index, type: event.type, error: withHint(error, event), extensions: error.extensions };
      }),
      control: cancelled.map(toControl),
    };
  }

  /** One after the other. Known ones change nothing, so a batch may be repeated. */
  private async settle(readings: readonly EventReading[], reporter: BatchReporter): Promise<Refusal[]> {
    const refused: Refusal[] = [];
    for (const reading of readings) {
      if (!('settled' in reading)) continue;
      const { index, settled } = reading;
      try {
        await this.effects.settle(settled.address, settled.settling, reporter);
      } catch (error) {
        if (!(error instanceof DomainError) || !REFUSALS.includes(error.kind)) throw error;
        refused.push({ index, type: EFFECT_SETTLED, error });
      }
    }
    return refused;
  }

  /** Never logs or returns anything of a heartbeat: it carries a secret. */
  private async hear(
    readings: readonly EventReading[],
    { agentIds }: BatchReporter,
  ): Promise<{ refused: Refusal[]; control: RunControl[] }> {
    const heard: { index: number; heartbeat: Heartbeat }[] = [];
    for (const reading of readings) if ('heartbeat' in reading) heard.push(reading);
    if (heard.length === 0) return { refused: [], control: [] };
    const { refusals, cancelled } = await this.agents.recordHeartbeats(
      heard.map(({ heartbeat }) => heartbeat),
      agentIds,
    );
    const refused = refusals.flatMap((error, at) =>
      error === null ? [] : [{ index: heard[at]!.index, type: 'heartbeat', error }],
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

  private warn(threadId: string | null, { traceId, fields }: Pick<ThreadlessEvent, 'traceId' | 'fields'>): void {
    const { run_cost_usd, budget_usd } = fields;
    this.logger.warn({ thread_id: threadId, trace_id: traceId, run_cost_usd, budget_usd }, 'budget warning');
  }
}

/** An event without a trace means the token's run, unless the batch has already named a run of the thread. */
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

function toControl({ threadId, traceId, reason }: CancelledRun): RunControl {
  return { thread_id: threadId, trace_id: traceId, action: 'cancel', ...(reason !== null && { reason }) };
}

function faultyEvent({ index, type, faults }: FaultyEvent): Refusal {
  const message = faults.map(({ path, detail }) => `${path}: ${detail}`).join('; ');
  return { index, type, error: new DomainError('invalid', FAULTY, message, { errors: [...faults] }) };
}

function toRejected({ index, type, error, extensions }: Refusal): RejectedEvent {
  return { index, type, code: error.code, detail: error.message, ...extensions };
}

function nothingSaved(refusals: readonly Refusal[]): DomainError {
  const errors = refusals.flatMap(({ index, error }) => {
    const { code, message } = error;
    const fields =
      code === FAULTY ? error.errors : [{ path: code === 'stale_fence' ? 'fence' : 'data', detail: message }];
    return fields.map((fault) => ({ path: `events[${index}].${fault.path}`, detail: fault.detail }));
  });
  const [first] = errors;
  return new DomainError('invalid', 'no_event_saved', `No event could be saved. ${first!.path}: ${first!.detail}`, {
    errors,
    extensions: { rejected: refusals.map(toRejected) },
  });
}
