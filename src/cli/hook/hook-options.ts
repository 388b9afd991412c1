import { parseArgs } from 'node:util';

export const HOOK_PLATFORMS = ['claude', 'codex'] as const;

export type HookPlatform = (typeof HOOK_PLATFORMS)[number];

/** What a hook does if nobody decides in time. */
export const ON_TIMEOUT = ['ask', 'deny'] as const;

/** With the settings that `waystation hook` prints, both platforms end a hook after 600 seconds. */
const DEFAULT_TIMEOUT_SECONDS = 590;

/** Options of `waystation hook run`. */
export interface HookRun {
  platform: HookPlatform;
  agent: string | null;
  /** The chat to ask in, too; null for none. */
  chat: { channel: string; chat: string } | null;
  onTimeout: (typeof ON_TIMEOUT)[number];
  timeoutMs: number;
  /** How long to retry a server that does not answer, in milliseconds; null for the default of the event. */
  patienceMs: number | null;
}

/** Reads the arguments after `hook run`. @throws TypeError with a message for people */
export function readHookRun(args: readonly string[]): HookRun {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      agent: { type: 'string' },
      channel: { type: 'string' },
      chat: { type: 'string' },
      'on-timeout': { type: 'string', default: ON_TIMEOUT[0] },
      timeout: { type: 'string', default: String(DEFAULT_TIMEOUT_SECONDS) },
      patience: { type: 'string' },
    },
  });
  const [platform, ...others] = positionals;
  return {
    platform: others.length === 0 ? oneOf('the platform', platform, HOOK_PLATFORMS) : tooMany(others),
    agent: values.agent ?? null,
    chat: chatOf(values.channel, values.chat),
    onTimeout: oneOf('--on-timeout', values['on-timeout'], ON_TIMEOUT),
    timeoutMs: millisecondsOf('--timeout', values.timeout),
    patienceMs: values.patience === undefined ? null : millisecondsOf('--patience', values.patience),
  };
}

function chatOf(channel: string | undefined, chat: string | undefined): HookRun['chat'] {
  if (channel !== undefined && chat !== undefined) return { channel, chat };
  if (channel === chat) return null;
  throw new TypeError('--channel and --chat belong together.');
}

function oneOf<T extends string>(name: string, text: string | undefined, all: readonly T[]): T {
  const found = all.find((one) => one === text);
  if (found === undefined) throw new TypeError(`${name} must be one of ${all.join(', ')}.`);
  return found;
}

function tooMany(others: readonly string[]): never {
  throw new TypeError(`Too many arguments: ${others.join(' ')}.`);
}

function millisecondsOf(name: string, text: string): number {
  if (!/^\d{1,5}(\.\d{1,3})?$/.test(text)) throw new TypeError(`${name} must be a number of seconds.`);
  return Math.round(Number(text) * 1000);
}
