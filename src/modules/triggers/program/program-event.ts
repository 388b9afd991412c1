import type { Stamp } from '../../../client/event-stamp.js';
import { JsonScanner } from '../../../common/json-scanner.js';

/** The ids of the run that a program works on. */
export interface ProgramIds {
  thread_id: string;
  trace_id: string;
  agent_id: string;
}

export interface ProgramEvent {
  type: string;
  /** JSON text of its data, exactly as printed except for removed ids. */
  dataText: string;
  /** The same, parsed. */
  data: Record<string, unknown>;
  /** The id, number and time that the program gave. */
  stamp: Stamp;
}

const OPEN_BRACE = 0x7b;
/** Only this process sends heartbeats. */
const NOT_FOR_PROGRAMS = new Set(['heartbeat']);
/** Members that name the owner of an event. */
const IDS = ['thread_id', 'trace_id', 'agent_id', 'parent_trace_id'];

/** Reads a line of output; null if it is no event and so belongs to the answer. */
export function readProgramEvent(line: Buffer, ids: ProgramIds): ProgramEvent | null {
  const envelope = parseObject(line);
  if (envelope === null || typeof envelope.type !== 'string' || envelope.type === '') return null;
  if (!isObject(envelope.data)) return null;
  const { type } = envelope;
  const data = { ...ids, ...withoutAbsent(envelope.data) };
  return { type, dataText: dataTextOf(line, data), data, stamp: stampOf(envelope) };
}

/**
 * Decides which printed events may be sent. They go out under this process's token, which may allow more than the program's own.
 * A program may report its run, and sub-runs that it names itself as the caller of.
 */
export class ProgramEventFilter {
  /** Of the run and its known sub-runs. */
  private readonly traces: Set<unknown>;

  constructor(private readonly ids: ProgramIds) {
    this.traces = new Set([ids.trace_id]);
  }

  /** Whether the event belongs to a sub-run that no earlier event has named. */
  isNewSubRun({ data }: ProgramEvent): boolean {
    return !this.traces.has(data.trace_id) && this.isCalledHere(data);
  }

  /** The event in the form in which it may be sent; null if the program may not report it. Remembers the sub-run that it names. */
  permitted(event: ProgramEvent): ProgramEvent | null {
    const { type, data } = event;
    if (NOT_FOR_PROGRAMS.has(type) || data.thread_id !== this.ids.thread_id || typeof data.trace_id !== 'string') {
      return null;
    }
    if (data.trace_id === this.ids.trace_id)
      return data.agent_id === this.ids.agent_id ? this.withoutCaller(event) : null;
    if (!this.traces.has(data.trace_id) && !this.isCalledHere(data)) return null;
    this.traces.add(data.trace_id);
    return this.isCalledHere(data) ? event : this.withoutCaller(event);
  }

  private isCalledHere({ parent_trace_id: parent }: Record<string, unknown>): boolean {
    return this.traces.has(parent);
  }

  /** A program may not say who called its run: it could show it as a sub-run of somebody else's run. */
  private withoutCaller(event: ProgramEvent): ProgramEvent {
    const { parent_trace_id: parent, ...data } = event.data;
    return parent === undefined ? event : { ...event, data, dataText: dataTextOf(Buffer.from(wrapped(event)), data) };
  }
}

function wrapped({ dataText }: ProgramEvent): string {
  return `{"data":${dataText}}`;
}

function parseObject(line: Buffer): Record<string, unknown> | null {
  if (new JsonScanner(line).peek() !== OPEN_BRACE) return null;
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null counts as absent, as at the API, and so does an empty id. */
function withoutAbsent(data: Record<string, unknown>): Record<string, unknown> {
  const isAbsent = (name: string, value: unknown) => value === null || (value === '' && IDS.includes(name));
  return Object.fromEntries(Object.entries(data).filter(([name, value]) => !isAbsent(name, value)));
}

/**
 * Numbers beyond 2^53 would not survive parsing and printing, so members are joined as text. The ids are those of `data`, each once:
 * with duplicates, another parser could read the other one.
 */
function dataTextOf(line: Buffer, data: Record<string, unknown>): string {
  const ids = IDS.filter((name) => data[name] !== undefined);
  const heads = ids.map((name) => `${JSON.stringify(name)}:${JSON.stringify(data[name])}`);
  let members: string[] = [];
  const scanner = new JsonScanner(line);
  scanner.members((member) => {
    if (member !== 'data' || !scanner.isObject()) return void scanner.value();
    members = [];
    scanner.members((name) => {
      const [from, to] = scanner.value();
      if (!IDS.includes(name)) members.push(`${JSON.stringify(name)}:${line.toString('utf8', from, to)}`);
    });
  });
  return `{${[...heads, ...members].join(',')}}`;
}

function stampOf({ id, sequence_num, occurred_at }: Record<string, unknown>): Stamp {
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof sequence_num === 'number' ? { sequence_num } : {}),
    ...(typeof occurred_at === 'string' || typeof occurred_at === 'number' ? { occurred_at } : {}),
  };
}
