import type { LogEntry } from '../modules/threads/logs/log-entry.js';
import { LogExtractor } from '../modules/threads/logs/log-extractor.js';
import { count, dollars } from './amounts.js';
import { collected, type ApiClient } from './api-client.js';
import { CliError } from './cli-error.js';
import { TRUNCATION_NOTE, EntryFormatter } from './entry-formatter.js';
import { membersOf, singleLine } from './json-members.js';
import { listDifference } from './list-difference.js';
import { localTime } from './local-time.js';
import { printable, printableLines } from './printable.js';
import { paintStatus, styleOf } from './style.js';
import type { Terminal } from './terminal.js';
import { wrapLines } from './text-width.js';

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

/** Prints the checkpoint of a step. @throws CliError when the run has no such step */
export async function showStep(place: RunPlace, step: number, options: ShowOptions, terminal: Terminal): Promise<void> {
  const { json, record, messages } = await readStep(place, step);
  if (options.json) return terminal.print(singleLine(json));
  const style = styleOf(terminal);
  terminal.print(
    `${style('bold', `Step ${step}`)} of ${printable(record.trace_id)}  ${paintStatus(printable(record.status), style)}`,
  );
  for (const line of wrapLines(factsOf(record, messages).join('; '), terminal.width)) terminal.print(line);
  if (record.error !== null && record.error !== undefined)
    terminal.print(style('red', printable(JSON.stringify(record.error))));
  terminal.print('');
  const lines = new EntryFormatter({ width: terminal.width, style, isFull: options.full });
  for (const { entries } of messages)
    for (const line of entries.flatMap((entry) => lines.of(entry))) terminal.print(line);
  if (messages.length === 0) terminal.print('The agent reported no history with this step.');
  if (lines.truncatedCount > 0) terminal.printError(TRUNCATION_NOTE);
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
    for (const { kind, item } of changed) terminal.print(`{"change":"${kind}","message":${singleLine(item.text)}}`);
    return;
  }
  terminal.print(`${style('bold', `Steps ${from} to ${to}`)} of ${printable(place.traceId)}: ${describe(changes)}`);
  const width = terminal.width && terminal.width - 2;
  const lines = new EntryFormatter({ width, style, isFull: options.full });
  for (const { kind, item } of changed) {
    const mark = kind === 'added' ? style('green', '+') : style('red', '-');
    for (const entry of item.entries) {
      const day = lines.newDay(entry);
      if (day !== null) terminal.print(`  ${day}`);
      for (const line of lines.entryLines(entry)) terminal.print(`${mark} ${line}`.trimEnd());
    }
  }
  if (lines.truncatedCount > 0) terminal.printError(TRUNCATION_NOTE);
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

/** Finds the step among the steps' outlines, because a checkpoint comes with its whole history. Of several attempts the last counts. */
async function readStep({ client, threadId, traceId: trace_id }: RunPlace, step: number): Promise<Step> {
  const path = `/threads/${encodeURIComponent(threadId)}`;
  const known: number[] = [];
  let [before, found]: [string | undefined, { cursor?: string } | null] = [undefined, null];
  for await (const text of client.items(`${path}/steps`, { trace_id })) {
    const { step_index, cursor } = JSON.parse(text) as { step_index: number; cursor: string };
    known.push(step_index);
    if (step_index === step) found = { cursor: before };
    before = cursor;
  }
  if (found === null) throw new CliError(`Run ${printable(trace_id)} has no step ${step}; it has ${rangeOf(known)}.`);
  const [checkpoint] = await collected(
    client.items(`${path}/checkpoints`, { trace_id, history: 'full', cursor: found.cursor }, 1),
  );
  if (checkpoint === undefined) throw new CliError('The thread changed meanwhile; try again.');
  return parseStep(checkpoint);
}

function parseStep(json: string): Step {
  const record = JSON.parse(json) as StepRecord;
  const members = membersOf(json, ['history', 'history_meta']);
  const [history, metas] = ['history', 'history_meta'].map((list) => members.filter(({ name }) => name === list));
  const extractor = new LogExtractor();
  const messages = history!.map(({ text }, index) => {
    const source = { ...record, ...metaOf(metas![index]?.text) };
    return { text, entries: extractor.extract(text, source) };
  });
  return { json, record, messages };
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

function rangeOf(steps: readonly number[]): string {
  if (steps.length === 0) return 'none';
  const first = steps.reduce((one, other) => Math.min(one, other));
  const last = steps.reduce((one, other) => Math.max(one, other));
  return first === last ? `only step ${first}` : `steps ${first} to ${last}`;
}
