import type { ApiClient } from './api-client.js';
import { connect } from './connect.js';
import { effectsOfThread, fetchEffects, stateOf, type EffectRecord } from './effect-record.js';
import type { EffectsOptions } from './effect-options.js';
import { ageOf } from './local-time.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { printTable, type Terminal } from './terminal.js';

const COLUMNS = [
  ...['THREAD', 'KEY'],
  { title: 'STATE', paint: paintState },
  { title: 'AGENT', max: 20 },
  'SINCE',
  { title: 'TOOL', max: 32 },
  // Only these are cut to the screen: people need the whole address to settle.
  { title: 'ARGUMENTS', min: 12 },
];
const SETTLED_STATES = ['completed', 'failed', 'not_done'];

/** Prints effects. @throws CliError when the server refuses or is away */
export async function listEffects(options: EffectsOptions, terminal: Terminal): Promise<void> {
  const found: EffectRecord[] = [];
  for await (const effect of effectsOf(connect(), options)) {
    if (options.agent !== undefined && effect.agent_id !== options.agent) continue;
    if (options.json) terminal.print(effect.json);
    else found.push(effect);
    await terminal.drained?.();
  }
  if (options.json) return;
  if (found.length === 0) {
    const isOfDoubt = stateWanted(options) === 'in_doubt';
    return terminal.complain(isOfDoubt ? 'Nothing is in doubt.' : 'There are none.');
  }
  found.sort((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at));
  await printTable(
    terminal,
    COLUMNS,
    found.map((effect) => rowOf(effect, Date.now())),
  );
}

async function* effectsOf(client: ApiClient, options: EffectsOptions): AsyncGenerator<EffectRecord> {
  const state = stateWanted(options);
  if (options.thread !== undefined) {
    yield* effectsOfThread(client, options.thread, state === 'all' ? {} : { state });
    return;
  }
  // The list of all threads is one state's.
  for (const one of state === 'all' ? ['started', ...SETTLED_STATES] : [state])
    yield* fetchEffects(client, '/v1/effects', { state: one });
}

function stateWanted({ inDoubt, state, thread }: EffectsOptions): string {
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
