import { ApiProblemError } from './api-errors.js';
import type { CallOptions, Schemas } from './api-requests.js';
import type { StatesApi } from './states-api.js';

/** Parts of a graph's step that are stored and reported together. */
export interface StepPart {
  checkpoint?: Schemas['SentStepCheckpointDto'];
  writes?: Schemas['SentStepWritesDto'];
  events?: readonly Schemas['RunnerEventDto'][];
}

interface Waiting {
  part: StepPart;
  resolve: (stored: Schemas['StoredStateDto'] | null) => void;
  reject: (error: unknown) => void;
}

/** Limit of parts per request. */
const MAX_PARTS = 100;

/**
 * Sends what graphs store and report. Each thread has one request in flight; parts that arrive meanwhile go out together in the next one,
 * in order. A step of a graph therefore costs one or two requests.
 */
export class StepQueue {
  private readonly byThread = new Map<string, Waiting[]>();

  constructor(
    private readonly states: Pick<StatesApi, 'putStep'>,
    private readonly agentId: string,
  ) {}

  /**
   * Resolves once the whole part is stored durably.
   * @returns the digests of its checkpoint; null if it has none
   * @throws ApiProblemError if the server refuses it or one of its events
   */
  send(threadId: string, part: StepPart, options: CallOptions = {}): Promise<Schemas['StoredStateDto'] | null> {
    if (Object.keys(options).length > 0) return this.sendAlone(threadId, part, options);
    return new Promise((resolve, reject) => {
      const entry = { part, resolve, reject };
      const waiting = this.byThread.get(threadId);
      if (waiting) waiting.push(entry);
      else {
        this.byThread.set(threadId, [entry]);
        // The parts of a step arrive in quick succession.
        setImmediate(() => void this.drain(threadId));
      }
    });
  }

  private async drain(threadId: string): Promise<void> {
    const waiting = this.byThread.get(threadId)!;
    while (waiting.length > 0) await this.sendSome(threadId, waiting.splice(0, countOf(waiting)));
    this.byThread.delete(threadId);
  }

  /** Never rejects: each part has its own outcome. */
  private async sendSome(threadId: string, entries: readonly Waiting[]): Promise<void> {
    try {
      const { checkpoint, events } = await this.put(
        threadId,
        entries.map(({ part }) => part),
      );
      let from = 0;
      for (const { part, resolve, reject } of entries) {
        const to = from + (part.events?.length ?? 0);
        const refusal = refusalIn(events, from, to);
        if (refusal) reject(refusal);
        else resolve(part.checkpoint ? checkpoint : null);
        from = to;
      }
    } catch (error) {
      if (entries.length === 1) return entries[0]!.reject(error);
      // One part is at fault; the others must still be stored.
      for (const entry of entries) await this.sendSome(threadId, [entry]);
    }
  }

  private async sendAlone(threadId: string, part: StepPart, options: CallOptions) {
    const { checkpoint, events } = await this.put(threadId, [part], options);
    const refusal = refusalIn(events, 0, part.events?.length ?? 0);
    if (refusal) throw refusal;
    return checkpoint;
  }

  private put(threadId: string, parts: readonly StepPart[], options: CallOptions = {}) {
    const checkpoint = parts.find((part) => part.checkpoint)?.checkpoint;
    const writes = parts.flatMap((part) => part.writes ?? []);
    const events = parts.flatMap((part) => part.events ?? []);
    const step = {
      ...(checkpoint && { checkpoint }),
      ...(writes.length > 0 && { writes }),
      ...(events.length > 0 && { events }),
    };
    return this.states.putStep(threadId, step, { agent_id: this.agentId }, options);
  }
}

/** How many of the first parts fit into one request: one checkpoint, and each task once. */
function countOf(waiting: readonly Waiting[]): number {
  const tasks = new Set<string>();
  let hasCheckpoint = false;
  for (const [at, { part }] of waiting.slice(0, MAX_PARTS).entries()) {
    const { ns, checkpoint_id, task_id } = part.writes ?? {};
    const task = part.writes && JSON.stringify([ns, checkpoint_id, task_id]);
    if ((part.checkpoint && hasCheckpoint) || (task !== undefined && tasks.has(task))) return at;
    hasCheckpoint ||= part.checkpoint !== undefined;
    if (task !== undefined) tasks.add(task);
  }
  return Math.min(waiting.length, MAX_PARTS);
}

function refusalIn(events: Schemas['IngestionResponseDto'] | null, from: number, to: number): ApiProblemError | null {
  const refused = events?.rejected.find(({ index }) => index >= from && index < to);
  if (!refused) return null;
  const { code, detail } = refused;
  return new ApiProblemError({ type: 'about:blank', title: 'Rejected', status: 207, code, detail });
}
