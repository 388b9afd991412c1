import { JsonScanner } from '../common/json-scanner.js';
import type { LogEntry } from '../modules/threads/logs/log-entry.js';
import { LogExtractor } from '../modules/threads/logs/log-extractor.js';
import { count, dollars } from './amounts.js';
import type { ApiClient } from './api-client.js';
import { CliError } from './cli-error.js';
import { CUT_NOTE, EntryLines } from './entry-lines.js';
import { jsonMembers } from './json-members.js';
import { listDifference } from './list-difference.js';
import { localTime } from './local-time.js';
import { printable, printableLines } from './printable.js';
import { paintStatus, styleOf } from './style.js';
import type { Terminal } from './terminal.js';
import { wrapped } from './text-width.js';

export interface ShowOptions {
  run?: string;
  step?: number;
  diff?: readonly number[];
  full?: boolean;
  json?: boolean;
}

/** A run of a thread. */
export interface RunPlace {
  client: ApiClient;
  threadId: string;
  traceId: string;
}

interface Message {
  /** Exact JSON. */
  text: string;
  entries: LogEntry[];
}

interface Step {
  /** Exact JSON. */
  json: string;
  record: StepRecord;
  messages: Message[];
}

interface StepRecord {
  trace_id: string;
  agent_id: string;
  step_index: number;
  status: string;
  model: string;
  tokens_used: number;
  run_cost_usd: number;
  budget_usd: number;
  updated_at: string;
  error: unknown;
}

interface Meta {
  ts?: unknown;
  tokens_in?: unknown;
  tokens_out?: unknown;
}

const PAGE = 200;

/** Prints the checkpoint of a step. @throws CliError when the run has no such step */
export async function showStep(place: RunPlace, step: number, options: ShowOptions, terminal: Terminal): Promise<void> {
  const { json, record, messages } = await readStep(place, step);
  if (options.json) return terminal.print(json.replaceAll(/[\r\n]+/g, ' '));
  const style = styleOf(terminal);
  terminal.print(
    `${style.bold(`Step ${step}`)} of ${printable(record.trace_id)}  ${paintStatus(printable(record.status), style)}`,
  );
  for (const line of wrapped(factsOf(record, messages).join('; '), terminal.width)) terminal.print(line);
  if (record.error !== null && record.error !== undefined)
    terminal.print(style.red(printable(JSON.stringify(record.error))));
  terminal.print('');
  const lines = new EntryLines({ width: terminal.width, style, isFull: options.full });
  for (const { entries } of messages)
    for (const line of entries.flatMap((entry) => lines.of(entry))) terminal.print(line);
  if (messages.length === 0) terminal.print('The agent reported no history with this step.');
  if (lines.cutCount > 0) terminal.complain(CUT_NOTE);
}

/** Prints what changed in the history from one step to another. @throws CliError when the run lacks one of them */
export async function showDifference(
  place: RunPlace,
  [from, to]: readonly [number, number],
  options: ShowOptions,
  terminal: Terminal,
): Promise<void> {
  const [before, after] = [await readStep(place, from), await readStep(place, to)];
  const style = styleOf(terminal);
  const changes = listDifference(before.messages, after.messages, ({ text }) => text);
  const changed = changes.filter(({ kind }) => kind !== 'same');
  if (options.json) {
    for (const { kind, item } of changed)
      terminal.print(`{"change":"${kind}","message":${item.text.replaceAll(/[\r\n]+/g, ' ')}}`);
    return;
  }
  terminal.print(`${style.bold(`Steps ${from} to ${to}`)} of ${printable(place.traceId)}: ${describe(changes)}`);
  const width = terminal.width && terminal.width - 2;
  const lines = new EntryLines({ width, style, isFull: options.full });
  for (const { kind, item } of changed) {
    const mark = kind === 'added' ? style.green('+') : style.red('-');
    for (const entry of item.entries) {
      const day = lines.newDay(entry);
      if (day !== null) terminal.print(`  ${day}`);
      for (const line of lines.entryLines(entry)) terminal.print(`${mark} ${line}`.trimEnd());
    }
  }
  if (lines.cutCount > 0) terminal.complain(CUT_NOTE);
}

function describe(changes: readonly { kind: 'same' | 'added' | 'removed' }[]): string {
  const numberOf = (wanted: string) => changes.filter(({ kind }) => kind === wanted).length;
  const same = `${count(numberOf('same'), 'message')} unchanged`;
  return `${numberOf('added')} added, ${numberOf('removed')} removed, ${same}`;
}

function factsOf(record: StepRecord, messages: readonly Message[]): string[] {
  const budget = record.budget_usd > 0 ? ` of ${dollars(record.budget_usd)}` : '';
  return [
    printable(record.agent_id),
    ...(record.model === '' ? [] : [printable(record.model)]),
    localTime(record.updated_at),
    count(messages.length, 'message'),
    count(record.tokens_used, 'token'),
    `${dollars(record.run_cost_usd)}${budget}`,
  ];
}

/** Reads only the outlines of the other steps: each would come with its whole history. Of several attempts the last counts. */
async function readStep(place: RunPlace, step: number): Promise<Step> {
  const known = new Set<number>();
  let address: { cursor: string | null; index: number } | null = null;
  for (let cursor: string | null = null, isLast = false; !isLast;) {
    let index = 0;
    let next: string | null = null;
    for await (const { name, text } of pageOf(place, { cursor, limit: PAGE, history: 'none' })) {
      if (name === 'next_cursor') next = JSON.parse(text) as string | null;
      if (name !== 'items') continue;
      const { step_index } = JSON.parse(text) as { step_index: number };
      known.add(step_index);
      if (step_index === step) address = { cursor, index };
      index += 1;
    }
    cursor = next;
    isLast = next === null;
  }
  if (address === null)
    throw new CliError(`Run ${printable(place.traceId)} has no step ${step}; it has ${rangeOf(known)}.`);
  return parseStep(await stepAt(place, address.cursor, address.index));
}

/** The cursor after the step before it leads to it. */
async function stepAt(place: RunPlace, pageCursor: string | null, index: number): Promise<string> {
  let cursor = pageCursor;
  if (index > 0) {
    for await (const { name, text } of pageOf(place, { cursor: pageCursor, limit: index, history: 'none' })) {
      if (name === 'next_cursor') cursor = JSON.parse(text) as string | null;
    }
  }
  for await (const { name, text } of pageOf(place, { cursor, limit: 1, history: 'full' }))
    if (name === 'items') return text;
  throw new CliError('The thread changed meanwhile; try again.');
}

function pageOf(
  { client, threadId, traceId }: RunPlace,
  { cursor, limit, history }: { cursor: string | null; limit: number; history: string },
) {
  const search = new URLSearchParams({ trace_id: traceId, history, limit: String(limit) });
  if (cursor !== null) search.set('cursor', cursor);
  return jsonMembers(client.stream(`/threads/${encodeURIComponent(threadId)}/checkpoints?${search}`), ['items']);
}

function parseStep(json: string): Step {
  const record = JSON.parse(json) as StepRecord;
  const [history, metas] = listsOf(json);
  const extractor = new LogExtractor();
  const messages = history.map((text, index) => {
    const source = { ...record, ...metaOf(metas[index]) };
    return { text, entries: extractor.extract(text, source) };
  });
  return { json, record, messages };
}

function listsOf(json: string): [history: string[], metas: string[]] {
  const scanner = new JsonScanner(Buffer.from(json));
  const lists = { history: [] as string[], history_meta: [] as string[] };
  const valueText = () => {
    const [from, to] = scanner.value();
    return scanner.bytes.toString('utf8', from, to);
  };
  scanner.members((name) => {
    if (name === 'history' || name === 'history_meta') scanner.elements(() => lists[name].push(valueText()));
    else scanner.value();
  });
  return [lists.history, lists.history_meta];
}

function metaOf(text: string | undefined): {
  ts: string;
  tokens_in?: number;
  tokens_out?: number;
  is_ts_estimated: boolean;
} {
  const meta = JSON.parse(text ?? '{}') as Meta | null;
  const ts = typeof meta?.ts === 'string' ? meta.ts : '';
  return {
    ts: printableLines(ts),
    is_ts_estimated: ts === '',
    ...(typeof meta?.tokens_in === 'number' ? { tokens_in: meta.tokens_in } : {}),
    ...(typeof meta?.tokens_out === 'number' ? { tokens_out: meta.tokens_out } : {}),
  };
}

function rangeOf(steps: ReadonlySet<number>): string {
  if (steps.size === 0) return 'none';
  const [first, last] = [Math.min(...steps), Math.max(...steps)];
  return first === last ? `only step ${first}` : `steps ${first} to ${last}`;
}
