import type { ApiClient } from './api-client.js';
import { ageOf } from './approvals.command.js';
import { connect } from './connect.js';
import { effectsOfThread, fetchEffects, stateOf, type EffectRecord } from './effect-record.js';
import type { EffectsOptions } from './effect-options.js';
import { printable } from './printable.js';
import { styleOf } from './style.js';
import { fittingTable, table, type Terminal } from './terminal.js';
import { cut, textWidth } from './text-width.js';

const HEADING = ['THREAD', 'KEY', 'STATE', 'AGENT', 'SINCE', 'TOOL', 'ARGUMENTS'];
const STATE_COLUMN = 2;
const SETTLED_STATES = ['completed', 'failed', 'not_done'];
const AGENT_WIDTH = 20;
const TOOL_WIDTH = 32;
const MIN_ARGUMENTS_WIDTH = 12;

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
  terminal.print(effectTable(found, terminal));
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

/** Cuts only arguments to the width of the screen: people need the whole address to settle. */
function effectTable(effects: readonly EffectRecord[], { width, isColoured }: Terminal): string {
  const rows = effects.map((effect) => rowOf(effect, Date.now()));
  const others = HEADING.slice(0, -1).map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column]!)].map(textWidth)),
  );
  const left = (width ?? Infinity) - others.reduce((sum, one) => sum + one + 2, 0);
  if (left < MIN_ARGUMENTS_WIDTH) return fittingTable(HEADING, rows, { width, isColoured });
  const { yellow, red } = styleOf({ isColoured });
  const paint = (cell: string, column: number) => {
    if (column !== STATE_COLUMN) return cell;
    return cell.replace('in doubt', yellow).replace(/^failed/, red);
  };
  return table(
    HEADING,
    rows.map((row) => [...row.slice(0, -1), cut(row.at(-1)!, left)]),
    { isColoured, paint },
  );
}

function rowOf(effect: EffectRecord, nowMs: number): string[] {
  return [
    printable(effect.thread_id),
    printable(effect.key),
    stateOf(effect),
    cut(printable(effect.agent_id), AGENT_WIDTH),
    ageOf(effect.started_at, nowMs),
    cut(printable(effect.tool), TOOL_WIDTH),
    printable(effect.argsText),
  ];
}
