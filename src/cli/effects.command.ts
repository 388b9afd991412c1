import { Option, type Command } from 'commander';
import { asTyped } from '../config/as-typed.js';
import type { ApiClient } from './api-client.js';
import { connect } from './connect.js';
import { effectsOfThread, fetchEffects, OUTCOMES, stateOf, type EffectRecord } from './effect-record.js';
import type { SettleOptions } from './effect-settling.js';
import { ageOf } from './local-time.js';
import { wholeNumber } from './option-values.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { printTable, type Terminal } from './terminal.js';

interface ListOptions {
  inDoubt?: boolean;
  state?: string;
  thread?: string;
  agent?: string;
  json?: boolean;
}

const STATES = ['in_doubt', 'started', 'completed', 'failed', 'not_done', 'decided', 'all'];
const COLUMNS = [
  ...['THREAD', 'KEY'],
  { title: 'STATE', paint: paintState },
  { title: 'AGENT', max: 20 },
  'SINCE',
  { title: 'TOOL', max: 32 },
  // Only arguments are truncated: settling needs the whole address.
  { title: 'ARGUMENTS', min: 12 },
];
const SETTLED_STATES = ['completed', 'failed', 'not_done'];

/** `waystation effects`: tool calls with side effects, and their outcomes. */
export function addEffectsCommand(program: Command, terminal: Terminal): void {
  program
    .command('effects')
    .description('list tool calls with an unknown outcome, oldest first')
    .addOption(new Option('--in-doubt', 'these; the default without --thread').conflicts('state'))
    .addOption(
      new Option('--state <state>', 'calls in this state instead; decided: settled by people, latest first').choices(
        STATES,
      ),
    )
    .option('--thread <id>', 'only calls of this thread, in every state; its id, or the beginning of it')
    .option('--agent <id>', 'only calls of this agent')
    .option('--json', 'print JSON lines, with all details')
    .action(async (options: ListOptions) => listEffects(options, terminal));
}

/** `waystation settle`: a person records the outcome of one. */
export function addSettleCommand(program: Command, terminal: Terminal): void {
  program
    .command('settle')
    .description('record the outcome of a tool call in doubt')
    .argument('[thread]', 'its id, as `waystation effects` shows it, or the beginning of it')
    .argument('[key]', 'the key of the call, or the beginning of it; needed where several are in doubt')
    .addArgument(program.createArgument('[outcome]', 'what became of it').choices(OUTCOMES.map(([name]) => name)))
    .option('--agent <id>', 'the agent, if several have this key')
    .option('--attempt <number>', 'which attempt; default: the last', wholeNumber(1))
    .option('--result <json>', 'the result of the call; the agent uses it instead of calling')
    .option('--error <json>', 'what the call failed with')
    .option('--reason <text>', 'how you know; the record keeps it')
    .option('--by <name>', 'who found out; default: the name of the user')
    .option('--json', 'print JSON')
    .action(
      async (
        thread: string | undefined,
        key: string | undefined,
        outcome: string | undefined,
        options: SettleOptions,
      ) => {
        const { settleEffect } = await import('./effect-settling.js');
        await settleEffect({ thread, key, outcome }, options, terminal);
      },
    );
}

async function listEffects(options: ListOptions, terminal: Terminal): Promise<void> {
  const found: EffectRecord[] = [];
  for await (const effect of effectsOf(connect(), options)) {
    if (options.agent !== undefined && effect.agent_id !== options.agent) continue;
    if (options.json) terminal.print(effect.json);
    else found.push(effect);
    await terminal.drained?.();
  }
  if (options.json) return;
  if (found.length === 0) return terminal.printError(asTyped(emptyHint(options)));
  const isDecided = stateWanted(options) === 'decided';
  found.sort(isDecided ? latestDecisionFirst : oldestFirst);
  await printTable(
    terminal,
    COLUMNS,
    found.map((effect) => rowOf(effect, Date.now())),
  );
}

function emptyHint(options: ListOptions): string {
  const state = stateWanted(options);
  if (state === 'in_doubt') return 'No effect is in doubt. All of them: waystation effects --state all';
  const isFiltered = state !== 'all' || options.thread !== undefined || options.agent !== undefined;
  if (isFiltered) return 'No effects match. All of them: waystation effects --state all';
  return 'No effects yet. Agents record them with a client: run.effect(...)';
}

async function* effectsOf(client: ApiClient, options: ListOptions): AsyncGenerator<EffectRecord> {
  const state = stateWanted(options);
  if (options.thread !== undefined) {
    // The list of one thread does not take `decided`.
    const isAll = state === 'all' || state === 'decided';
    for await (const effect of effectsOfThread(client, options.thread, isAll ? {} : { state }))
      if (state !== 'decided' || isDecidedByPerson(effect)) yield effect;
    return;
  }
  // The list of all threads takes a single state.
  for (const one of state === 'all' ? ['started', ...SETTLED_STATES] : [state])
    yield* fetchEffects(client, '/v1/effects', { state: one });
}

function isDecidedByPerson({ decided_by, settled_at }: EffectRecord): boolean {
  return decided_by !== null && settled_at !== null;
}

function oldestFirst(a: EffectRecord, b: EffectRecord): number {
  return Date.parse(a.started_at) - Date.parse(b.started_at);
}

function latestDecisionFirst(a: EffectRecord, b: EffectRecord): number {
  return Date.parse(b.settled_at ?? '') - Date.parse(a.settled_at ?? '');
}

function stateWanted({ inDoubt, state, thread }: ListOptions): string {
  return inDoubt ? 'in_doubt' : (state ?? (thread === undefined ? 'in_doubt' : 'all'));
}

function paintState(state: string, style: Style): string {
  if (state.endsWith('in doubt')) return style('yellow', state);
  return state === 'failed' ? style('red', state) : state;
}

function rowOf(effect: EffectRecord, nowMs: number): string[] {
  return [
    printable(effect.thread_id),
    printable(effect.key),
    stateOf(effect),
    printable(effect.agent_id),
    ageOf(effect.started_at, nowMs),
    printable(effect.tool),
    printable(effect.argsText),
  ];
}
