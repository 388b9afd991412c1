import fc from 'fast-check';
import type { ModelEvent } from '../support/model/model-event.js';

/** Batches for one thread, in the order in which they arrive. */
export class Scenario {
  constructor(readonly batches: ModelEvent[][]) {}

  /** What a failing test prints, with the shortest form that still tells the events apart. */
  [fc.toStringMethod](): string {
    return this.batches.map((batch) => `\n  [ ${batch.map(outlineOf).join(' | ')} ]`).join('');
  }
}

function outlineOf({
  type,
  id,
  second,
  trace,
  agent,
  parent,
  step,
  status,
  history,
  turnStart,
  tokens,
}: ModelEvent): string {
  const time = second === undefined ? '' : `@${second} `;
  const name = `${id ? `#${id} ` : ''}${time}${type} ${trace ?? 'no-trace'} (${agent}${parent ? ` under ${parent}` : ''})`;
  if (type !== 'checkpoint') return tokens === null ? name : `${name} tokens ${tokens}`;
  const size = `${history.length} messages, turn from ${turnStart}, tokens ${tokens}`;
  return `${name} step ${step ?? 'none'} ${status} ${size}`;
}

const RUNS = [
  { trace: 't1', agent: 'A', parent: null },
  { trace: 't2', agent: 'A', parent: null },
  { trace: 's1', agent: 'B', parent: 't1' },
  { trace: 's2', agent: 'C', parent: null },
] as const;

type Run = (typeof RUNS)[number];

const MESSAGES_A_TURN = 6;

/** One message as an agent might write it, with numbers and letters that careless storage would spoil. */
function message(turn: number, index: number, salt: string): string {
  const role = index % 2 === 0 ? 'user' : 'assistant';
  return `{"role":"${role}","content":"é ${turn}.${index}${salt}","n":9007199254740993${index}}`;
}

type HistoryKind = 'whole' | 'trimmed' | 'edited' | 'reminded' | 'empty';

const REMINDER = '{"role":"system","content":"Reminder"}';

function historyOf(turn: number, step: number, variant: number, kind: HistoryKind): string[] {
  if (kind === 'empty') return [];
  const before = Array.from({ length: turn * MESSAGES_A_TURN }, (_, index) => message(0, index, ''));
  const now = Array.from({ length: 2 * (step + 1) }, (_, index) =>
    message(turn, index, variant === 0 ? '' : ` v${variant}`),
  );
  const whole = [...before, ...now];
  if (kind === 'trimmed') return whole.slice(1);
  // Put before what is left, and said again at later steps.
  if (kind === 'reminded') return [REMINDER, ...whole.slice(1), ...Array.from({ length: step }, () => REMINDER)];
  return kind === 'edited' ? ['{"role":"system","content":"summary"}', ...whole.slice(2)] : whole;
}

function dataText(fields: Record<string, unknown>, history?: readonly string[]): string {
  const rest = JSON.stringify(fields).slice(1, -1);
  const messages = history ? `,"history":[${history.join(',')}],"history_meta":${metaText(history.length)}` : '';
  return `{"thread_id":"",${rest}${messages}}`;
}

/** Clients that wait for an approval send meta for messages that they do not send. */
function metaText(length: number): string {
  const entries = Array.from({ length: Math.max(length, 1) }, (_, index) => ({
    ts: `2026-01-01T00:00:${String(index % 60).padStart(2, '0')}.000Z`,
  }));
  return JSON.stringify(entries);
}

/** Real clients send an empty text where they mean no parent. */
function identityOf({ agent, parent }: Run): Record<string, unknown> {
  return { agent_id: agent, parent_trace_id: parent ?? '' };
}

const runs = fc.constantFrom(...RUNS);
/** Mostly named, sometimes left to the server. */
const isTraceless = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
const blank = { step: null, status: 'in_progress', history: [], turnStart: 0, tokens: null } as const;

const starts = runs.map(({ trace, agent, parent }): ModelEvent => ({
  ...{ ...blank, type: 'thread_started', trace, agent, parent },
  data: dataText({ trace_id: trace, agent_id: agent, parent_trace_id: parent, model: 'm' }),
}));

interface CheckpointSeed {
  run: Run;
  traceless: boolean;
  step: number | null;
  turn: number;
  variant: number;
  kind: HistoryKind;
  status: string;
}

function checkpointOf({ run, traceless, step, turn, variant, kind, status }: CheckpointSeed): ModelEvent {
  const trace = traceless ? null : run.trace;
  const history = historyOf(turn, step ?? 0, variant, kind);
  const turnStart = turn * MESSAGES_A_TURN;
  const tokens = 100 * turn + 10 * (step ?? 0) + variant;
  const fields = {
    trace_id: trace ?? '',
    ...{ ...identityOf(run), status, tokens_used: tokens },
    ...(step === null ? {} : { step_index: step }),
    turn_start_history_len: turnStart,
  };
  const { agent, parent } = run;
  return {
    type: 'checkpoint',
    data: dataText(fields, history),
    trace,
    agent,
    parent,
    step,
    status,
    history,
    turnStart,
    tokens,
  };
}

const checkpoints = fc
  .record({
    run: runs,
    traceless: isTraceless,
    step: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 12 }),
    turn: fc.constantFrom(0, 0, 0, 1),
    variant: fc.constantFrom(0, 0, 0, 1, 2),
    kind: fc.constantFrom<HistoryKind>('whole', 'whole', 'whole', 'trimmed', 'edited', 'reminded', 'empty'),
    status: fc.constantFrom('in_progress', 'in_progress', 'in_progress', 'waiting_for_approval'),
  })
  .map(checkpointOf);

const ends = fc
  .record({
    run: runs,
    traceless: isTraceless,
    type: fc.constantFrom(
      'thread_completed' as const,
      'thread_completed' as const,
      'thread_error' as const,
      'thread_budget_exceeded' as const,
      'thread_idle' as const,
    ),
    tokens: fc.constantFrom(null, 500, 600),
  })
  .map(({ run, traceless, type, tokens }): ModelEvent => {
    const trace = traceless ? null : run.trace;
    const fields = { ...(trace === null ? {} : { trace_id: trace }), tokens_used: tokens, ...identityOf(run) };
    return { ...blank, type, data: dataText(fields), trace, agent: run.agent, parent: run.parent, tokens };
  });

const notes = fc
  .record({ run: runs, type: fc.constantFrom('budget_warning' as const, 'tool_installed' as const) })
  .map(({ run: { trace, agent, parent }, type }): ModelEvent => ({
    ...{ ...blank, type, trace, agent, parent },
    data: dataText({ trace_id: trace }),
  }));

const events = fc.oneof(
  { arbitrary: checkpoints, weight: 10 },
  { arbitrary: starts, weight: 3 },
  { arbitrary: ends, weight: 2 },
  { arbitrary: notes, weight: 1 },
);

/** Mostly from clients that tell no time. */
const timedEvents = fc
  .record({ event: events, second: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 2, nil: undefined }) })
  .map(({ event, second }): ModelEvent => (second === undefined ? event : { ...event, second }));

/** Anything in any order. */
const chaos = fc.array(fc.array(fc.oneof(events, events, timedEvents), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 12,
});

/** An honest client: a start, steps that grow, an end, over some turns on the same trace. */
interface Life {
  run: Run;
  turns: number;
  steps: number;
  /** Each turn begins with a start of its own, else only the first. */
  startsAgain: boolean;
  /** Steps of a turn go on behind those of the one before, else they begin at 0 again. */
  countsOn: boolean;
  /** Every turn ends with the same words. */
  endsAlike: boolean;
  /** How it reports the conversation. */
  kind: HistoryKind;
}

const lives = fc
  .record({
    run: runs,
    turns: fc.integer({ min: 1, max: 3 }),
    steps: fc.integer({ min: 1, max: 3 }),
    startsAgain: fc.boolean(),
    countsOn: fc.boolean(),
    endsAlike: fc.boolean(),
    kind: fc.constantFrom<HistoryKind>('whole', 'whole', 'trimmed', 'reminded'),
  })
  .map(honestLife);

function honestLife({ run, turns, steps, startsAgain, countsOn, endsAlike, kind }: Life): ModelEvent[] {
  const { trace, agent, parent } = run;
  const start: ModelEvent = {
    ...{ ...blank, type: 'thread_started', trace, agent, parent },
    data: dataText({ trace_id: trace, ...identityOf(run) }),
  };
  return Array.from({ length: turns }, (_, turn) => turn).flatMap((turn) => {
    const numbers = Array.from({ length: steps }, (_, step) => step + (countsOn ? turn * steps : 0));
    const seeds = numbers.map((step) => ({ run, traceless: false, step, turn, variant: 0 }));
    const reports = seeds.map((seed) => checkpointOf({ ...seed, kind, status: 'in_progress' }));
    const tokens = endsAlike ? null : 700 + turn;
    const fields = { trace_id: trace, tokens_used: tokens, ...identityOf(run) };
    const end: ModelEvent = { ...start, type: 'thread_completed', tokens, data: dataText(fields) };
    return [...(startsAgain || turn === 0 ? [start] : []), ...reports, end];
  });
}

interface Noise {
  lives: ModelEvent[][];
  order: number[];
  sizes: number[];
  repeats: number[];
  /** Whether the clients give their events ids. */
  areNumbered: boolean;
  /** Whether they tell when each occurred. */
  areTimed: boolean;
  /** Events that arrive so many batches later than those beside them. */
  delays: { at: number; by: number }[];
}

/** Several honest clients at once on a bad network: interleaved, cut into batches, batches sent again later. */
const noisy = fc
  .record({
    lives: fc.array(lives, { minLength: 1, maxLength: 3 }),
    order: fc.array(fc.nat(2), { minLength: 40, maxLength: 40 }),
    sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 40, maxLength: 40 }),
    repeats: fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }),
    areNumbered: fc.boolean(),
    areTimed: fc.boolean(),
    delays: fc.array(fc.record({ at: fc.nat(30), by: fc.integer({ min: 1, max: 4 }) }), { maxLength: 3 }),
  })
  .map(unreliably);

function unreliably({ lives: clients, order, sizes, repeats, areNumbered, areTimed, delays }: Noise): ModelEvent[][] {
  const left = clients.map((events) => [...events]);
  const line: ModelEvent[] = [];
  for (let turn = 0; left.some((events) => events.length > 0); turn++) {
    const open = left.filter((events) => events.length > 0);
    const next = open[(order[turn % order.length] ?? 0) % open.length]?.shift();
    const id = areNumbered ? { id: `event-${line.length}` } : {};
    const second = areTimed ? { second: line.length } : {};
    if (next) line.push({ ...next, ...id, ...second });
  }
  const batches: ModelEvent[][] = [];
  for (let index = 0; line.length > 0; index++) {
    batches.push(line.splice(0, sizes[index % sizes.length]));
    const back = repeats[index % repeats.length] ?? 0;
    const again = back > 0 ? batches[batches.length - back] : undefined;
    if (again) batches.push(again);
  }
  for (const { at, by } of delays) delay(batches, at, by);
  return batches;
}

/** Takes one event out of its batch and sends it alone, later. */
function delay(batches: ModelEvent[][], at: number, by: number): void {
  const batch = batches[at % batches.length]!;
  const event = batch.at(-1);
  if (!event || batch.length < 2) return;
  batches[at % batches.length] = batch.slice(0, -1);
  batches.splice((at % batches.length) + by, 0, [event]);
}

export const scenarios: fc.Arbitrary<Scenario> = fc.oneof(chaos, noisy).map((batches) => new Scenario(batches));
