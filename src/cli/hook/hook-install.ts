import {
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../common/error-code.js';
import { makeFolder } from '../../common/make-folder.js';
import { CliError, UsageError } from '../cli-error.js';
import { indentJson } from '../edit-json.js';
import { listDifference } from '../list-difference.js';
import { printable } from '../printable.js';
import { styleOf } from '../style.js';
import type { Terminal } from '../terminal.js';
import type { HookPlatform } from './hook-options.js';
import { hookSettings, noteAfterwards, userSettingsFile, type HookSettings } from './hook-settings.js';

interface InstallOptions {
  file?: string;
  yes?: boolean;
}

type Json = Record<string, unknown>;

/** Unchanged lines shown around changed ones. */
const CONTEXT = 2;

/**
 * Adds the hooks to the settings of a coding agent after showing a person the difference. A copy of the old file stays beside it.
 * @throws CliError for a file that cannot be changed without loss; it stays unchanged
 */
export async function installHook(
  platform: HookPlatform,
  args: readonly string[],
  { file: given, yes }: InstallOptions,
  terminal: Terminal,
): Promise<void> {
  const file = given === undefined ? userSettingsFile(platform) : path.resolve(given);
  const before = readSettings(file, platform);
  const settings = parsedSettings(before, file, platform);
  const { merged, kept } = mergedSettings(settings, hookSettings(platform, args), platform);
  const after = `${JSON.stringify(merged, null, indentOf(before))}\n`;
  for (const words of kept) terminal.printError(words);
  if (after.trim() === before.trim() || JSON.stringify(merged) === JSON.stringify(settings))
    return terminal.print(`${printable(file)} has these hooks already.`);
  printDifference(before, after, terminal);
  if (!yes) await confirmWrite(file, terminal);
  const backup = write(file, after);
  terminal.print(`Changed ${printable(file)}`);
  if (backup !== null) terminal.print(`  before  ${printable(backup)}`);
  terminal.printError(noteAfterwards(platform));
}

function readSettings(file: string, platform: HookPlatform): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw unchangeable(file, `it cannot be read (${errorCode(error) ?? 'unknown error'})`, platform);
  }
}

/** Accepts only a file that would be rewritten unchanged: comments, repeated names and long numbers would be lost. */
function parsedSettings(text: string, file: string, platform: HookPlatform): Json {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unchangeable(file, 'it is not plain JSON; it may have comments', platform);
  }
  if (!isObject(value)) throw unchangeable(file, 'it is not a JSON object', platform);
  if (indentJson(JSON.stringify(value)) !== indentJson(text))
    throw unchangeable(file, 'rewriting would change other values in it', platform);
  const fault = shapeFault(value);
  if (fault !== null) throw unchangeable(file, fault, platform);
  return value;
}

/** The existing value that the hooks would overwrite. */
function shapeFault({ hooks, permissions }: Json): string | null {
  if (permissions !== undefined && !isObject(permissions)) return '"permissions" is not an object';
  if (hooks === undefined) return null;
  if (!isObject(hooks)) return '"hooks" is not an object';
  return Object.values(hooks).every(Array.isArray) ? null : '"hooks" has values that are not lists';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unchangeable(file: string, reason: string, platform: HookPlatform): CliError {
  const remedy = `Add the settings yourself: waystation hook ${platform} prints them.`;
  return new CliError(`${printable(file)} was not changed: ${reason}. ${remedy}`);
}

/** Existing entries keep their place and value; an earlier hook of ours is replaced. */
function mergedSettings(settings: Json, { beside, hooks }: HookSettings, platform: HookPlatform) {
  const merged: Json = { ...settings };
  const kept: string[] = [];
  for (const [name, wanted] of Object.entries(beside)) {
    const present = objectAt(merged, name);
    merged[name] = { ...wanted, ...present };
    for (const [key, value] of Object.entries(wanted)) {
      if (present[key] !== undefined && present[key] !== value)
        kept.push(
          `Your "${key}": ${JSON.stringify(present[key])} stays. With ${JSON.stringify(value)}, you are always asked.`,
        );
    }
  }
  const events = { ...objectAt(merged, 'hooks') };
  for (const [event, ours] of Object.entries(hooks)) {
    const others = (Array.isArray(events[event]) ? (events[event] as unknown[]) : []).filter(
      (one) => !isOurs(one, platform),
    );
    events[event] = [...others, ...ours];
  }
  merged.hooks = events;
  return { merged, kept };
}

function objectAt(settings: Json, name: string): Json {
  const value = settings[name];
  return isObject(value) ? value : {};
}

/** Whether the group has a single command as this program writes it. */
function isOurs(group: unknown, platform: HookPlatform): boolean {
  const { hooks } = (group ?? {}) as { hooks?: unknown };
  if (!Array.isArray(hooks) || hooks.length !== 1) return false;
  const { command } = (hooks[0] ?? {}) as { command?: unknown };
  return typeof command === 'string' && new RegExp(`(waystation|cli\\.js)\\S* hook run ${platform}( |$)`).test(command);
}

function indentOf(text: string): string | number {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? 2;
}

function printDifference(before: string, after: string, terminal: Terminal): void {
  const style = styleOf(terminal);
  const lines = (text: string) => (text.trim() === '' ? [] : text.trimEnd().split('\n'));
  const changes = listDifference(lines(before), lines(after), (line) => line);
  const isNear = (at: number) =>
    changes.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same');
  for (const [at, { kind, item }] of changes.entries()) {
    if (!isNear(at)) continue;
    const line = printable(item);
    if (kind === 'same') terminal.print(`  ${line}`);
    else terminal.print(kind === 'added' ? style('green', `+ ${line}`) : style('red', `- ${line}`));
  }
}

async function confirmWrite(file: string, { keyboard, printError }: Terminal): Promise<void> {
  if (!keyboard) throw new UsageError('Nobody is here to confirm it. To write without asking, add --yes.');
  printError(printable(file));
  if (!(await keyboard.confirm({ question: 'Write this?', isDefault: false })))
    throw new CliError('Nothing was changed.');
}

/** Replaces the file atomically, also behind a link. @returns the copy of the old file; null if there was none */
function write(file: string, text: string): string | null {
  makeFolder(path.dirname(file), 0o700);
  if (!existsSync(file)) {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    const missing = isLink ? path.resolve(path.dirname(file), readlinkSync(file)) : file;
    makeFolder(path.dirname(missing), 0o700);
    writeFileSync(missing, text, { mode: 0o600, flag: 'wx' });
    return null;
  }
  const target = realpathSync(file);
  const stamp = new Date().toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
  const backup = `${target}.${stamp}.backup`;
  copyFileSync(target, backup);
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text, { mode: statSync(target).mode });
  renameSync(fresh, target);
  return backup;
}
