import { collected, type ApiClient } from './api-client.js';
import { CliError, UsageError } from './cli-error.js';
import { connect } from './connect.js';
import {
  effectsInDoubt,
  effectsOfThread,
  effectsPath,
  OUTCOMES,
  readEffect,
  stateOf,
  type EffectRecord,
} from './effect-record.js';
import { findByPrefix } from './ids.js';
import { ageOf } from './local-time.js';
import { printable } from './printable.js';
import { styleOf } from './style.js';
import type { Terminal } from './terminal.js';
import { wrapLines } from './text-width.js';
import { userName } from './user-name.js';

export interface SettleOptions {
  agent?: string;
  attempt?: number;
  result?: string;
  error?: string;
  reason?: string;
  by?: string;
  json?: boolean;
}

/** How a person named an effect, and its outcome. */
export interface Settling {
  thread?: string;
  key?: string;
  outcome?: string;
}

const DETAIL_INDENT = 8;

/** Settles the effect at the address, or the one that the person chooses. @throws CliError when there is none, or nothing is settled */
export async function settleEffect(settling: Settling, options: SettleOptions, terminal: Terminal): Promise<void> {
  for (const name of ['result', 'error'] as const) checkJson(name, options[name]);
  const client = connect();
  const effect = await chooseEffect(client, settling, options, terminal);
  const outcome = settling.outcome ?? (await chooseOutcome(effect, terminal));
  const settled = await settle(client, effect, outcome, options);
  if (options.json) return terminal.print(settled.json);
  const words = [settled.thread_id, settled.key, settled.tool, settled.argsText].map(printable);
  terminal.print([styleOf(terminal)('green', stateOf(settled)), ...words].join('  '));
}

async function chooseEffect(
  client: ApiClient,
  { thread, key }: Settling,
  { agent }: SettleOptions,
  terminal: Terminal,
): Promise<EffectRecord> {
  const all = await collected(thread === undefined ? effectsInDoubt(client) : effectsOfThread(client, thread));
  const found = all.filter(({ agent_id }) => agent === undefined || agent_id === agent);
  const meant = key === undefined ? found.filter(({ in_doubt }) => in_doubt) : await withKey(found, key);
  if (meant.length === 0) throw new CliError('Nothing is in doubt.');
  if (meant.length === 1 && thread !== undefined) return meant[0]!;
  return pickEffect(meant, terminal);
}

/** The effects with this key, or the only key with this prefix; several agents may use the same key. */
async function withKey(effects: readonly EffectRecord[], prefix: string): Promise<EffectRecord[]> {
  const { key } = await findByPrefix(prefix, { noun: 'key', items: effects, idOf: (one) => one.key });
  return effects.filter((one) => one.key === key);
}

async function pickEffect(effects: readonly EffectRecord[], terminal: Terminal): Promise<EffectRecord> {
  if (terminal.keyboard === undefined) {
    const hints = effects.map(({ thread_id, key, agent_id, tool }) =>
      ['', thread_id, key, `--agent ${agent_id}`, tool].map(printable).join('  '),
    );
    throw new UsageError(`Say which, with a thread, a key and what became of it:\n${hints.join('\n')}`);
  }
  const columns = (terminal.width ?? 80) - DETAIL_INDENT;
  const choices = effects.map((effect): [string, ...string[]] => {
    const { key, agent_id, started_at, thread_id, tool, argsText } = effect;
    const line = `${printable(key)}  ${printable(agent_id)}, ${ageOf(started_at, Date.now())} ago, ${printable(thread_id)}`;
    return [line, ...wrapLines(`${printable(tool)}(${printable(argsText)})`, columns)];
  });
  const question = 'Of which tool call do you know what became of it?';
  return effects[await terminal.keyboard.pick({ question, choices })]!;
}

async function chooseOutcome({ tool, argsText }: EffectRecord, { keyboard, printError }: Terminal): Promise<string> {
  if (keyboard === undefined)
    throw new UsageError(`Say what became of it: ${OUTCOMES.map(([name]) => name).join(', ')}.`);
  printError(`${printable(tool)}(${printable(argsText)})`);
  const choices = OUTCOMES.map(([name, meaning]): [string] => [`${name.replace('_', ' ').padEnd(10)} ${meaning}`]);
  const index = await keyboard.pick({ question: 'What became of it?', choices });
  return OUTCOMES[index]![0];
}

/** Names the attempt that the person saw, so that the server refuses if another has begun since. */
async function settle(
  client: ApiClient,
  { thread_id, key, agent_id, attempt }: EffectRecord,
  outcome: string,
  { result, error, reason, by, attempt: meant = attempt }: SettleOptions,
): Promise<EffectRecord> {
  const path = `${effectsPath(thread_id)}/${encodeURIComponent(key)}?${new URLSearchParams({ agent_id })}`;
  const start = JSON.stringify({ attempt: meant, outcome, reason, decided_by: by ?? userName() });
  // Values stay as the person wrote them: a parser could round their numbers.
  const texts = Object.entries({ result, error }).filter(([, text]) => text !== undefined);
  const members = texts.map(([name, text]) => `,"${name}":${text}`).join('');
  return readEffect(await client.sendForText('PUT', path, `${start.slice(0, -1)}${members}}`));
}

function checkJson(name: string, text: string | undefined): void {
  if (text === undefined) return;
  try {
    JSON.parse(text);
  } catch {
    throw new UsageError(`--${name} must be JSON; a text needs double quotes within single ones: '"sent"'.`);
  }
}
