import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PACKAGE_ROOT } from '../../common/package-root.js';

/** Written by `npm run examples:record`, copied by the build. */
const FILE = path.join(PACKAGE_ROOT, 'dist', 'example-data.jsonl.gz');
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

type Members = Record<string, unknown>;

/** A recorded thread: its rows as in an export, the thread's own first. */
export interface ExampleThread {
  threadId: string;
  /** Trace of its first run, which only recorded threads have. */
  traceId: string;
  rows: { table: string; members: Members }[];
}

/** The recorded threads, with times shifted so that the recorded day ends at `nowMs`. */
export async function exampleThreads(nowMs: number): Promise<ExampleThread[]> {
  const text = (await promisify(gunzip)(await readFile(FILE))).toString();
  const [header, ...lines] = text.trimEnd().split('\n');
  const { recorded_at_ms: recordedAtMs } = JSON.parse(header!) as { recorded_at_ms: number };
  const threads: ExampleThread[] = [];
  for (const line of lines) {
    const [[table, members]] = Object.entries(JSON.parse(line) as Record<string, Members>) as [[string, Members]];
    if (table === 'thread') threads.push(threadOf(String(members.id)));
    threads.at(-1)!.rows.push({ table, members: moved(table, members, nowMs - recordedAtMs) });
  }
  return threads;
}

function threadOf(threadId: string): ExampleThread {
  return { threadId, traceId: `example:${threadId}`, rows: [] };
}

function moved(table: string, members: Members, byMs: number): Members {
  // Messages have digests, so they stay unchanged; their times are in the metadata, which has none.
  if (table === 'message' && members.list === 0) return members;
  const later = (time: string) => new Date(Date.parse(time) + byMs).toISOString();
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (typeof value === 'number' && name.endsWith('_at')) return [name, value + byMs];
      return [name, typeof value === 'string' ? value.replace(ISO_TIME, later) : value];
    }),
  );
}
