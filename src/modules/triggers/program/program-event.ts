import type { Stamp } from '../../../client/event-stamp.js';
import { JsonScanner } from '../../../common/json-scanner.js';

/** The ids of the run that a program works on. */
export interface ProgramIds {
  thread_id: string;
  trace_id: string;
  agent_id: string;
}

/** A runner event that a program printed. */
export interface ProgramEvent {
  type: string;
  /** JSON text of its data, exactly as printed but for the ids that were left out. */
  dataText: string;
  /** The same, parsed. */
  data: Record<string, unknown>;
  /** What the program gave of id, number and time. */
  stamp: Stamp;
}

const OPEN_BRACE = 0x7b;
/** What a heartbeat says is for this process to say. */
const NOT_FOR_PROGRAMS = new Set(['heartbeat']);

/** Reads a line of output; null for one that is no event, and so belongs to the answer. */
export function readProgramEvent(line: Buffer, ids: ProgramIds): ProgramEvent | null {
  const envelope = parseObject(line);
  if (envelope === null || typeof envelope.type !== 'string' || envelope.type === '') return null;
  if (!isObject(envelope.data)) return null;
  const { type, data } = envelope;
  return {
    type,
    dataText: completed(line, data, ids),
    data: { ...ids, ...withoutNulls(data) },
    stamp: stampOf(envelope),
  };
}

/** Whether a program may say this: it speaks for its own agent, and for what works for this very run. */
export function isProgramsOwn({ type, data }: ProgramEvent, ids: ProgramIds): boolean {
  if (NOT_FOR_PROGRAMS.has(type)) return false;
  if (data.agent_id === ids.agent_id) return true;
  return data.parent_trace_id === ids.trace_id && data.thread_id === ids.thread_id && data.trace_id !== ids.trace_id;
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

/** Null counts as absent, as at the API. */
function withoutNulls(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

/** Numbers beyond 2^53 would not survive being parsed and printed, so the members are put together as text. */
function completed(line: Buffer, data: Record<string, unknown>, ids: ProgramIds): string {
  const missing = Object.entries(ids).filter(([name]) => data[name] === undefined || data[name] === null);
  const members = missing.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const added = new Set(missing.map(([name]) => name));
  const scanner = new JsonScanner(line);
  scanner.members((member) => {
    if (member !== 'data' || !scanner.isObject()) return void scanner.value();
    scanner.members((name) => {
      const [from, to] = scanner.value();
      if (!added.has(name)) members.push(`${JSON.stringify(name)}:${line.toString('utf8', from, to)}`);
    });
  });
  return `{${members.join(',')}}`;
}

function stampOf({ id, sequence_num, occurred_at }: Record<string, unknown>): Stamp {
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof sequence_num === 'number' ? { sequence_num } : {}),
    ...(typeof occurred_at === 'string' ? { occurred_at } : {}),
  };
}
