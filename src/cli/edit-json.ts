import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { CliError } from './cli-error.js';
import type { Terminal } from './terminal.js';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Lets the person change a JSON value in an editor. Invalid JSON is refused; the person may edit it again.
 * @param json exact JSON; the person sees it indented, with numbers unchanged
 * @returns the edited JSON, exact; null if nothing was changed
 * @throws CliError when the person gives up, by an empty file for example
 */
export async function editJson(json: string, editor: string, terminal: Terminal): Promise<string | null> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waystation-edit-'));
  const file = path.join(folder, 'arguments.json');
  const before = `${indentJson(json)}\n`;
  try {
    await writeFile(file, before, { mode: 0o600 });
    for (;;) {
      await runEditor(editor, file);
      const text = await readFile(file, 'utf8');
      if (text === before) return null;
      if (text.trim() === '') throw new CliError('The file was empty: nothing is decided.');
      const fault = faultOf(text);
      if (fault === null) return text.trim();
      await askAgain(fault, terminal);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function askAgain(fault: string, { keyboard, printError }: Terminal): Promise<void> {
  if (keyboard === undefined) throw new CliError(`${fault} Nothing is decided.`);
  printError(fault);
  if (!(await keyboard.confirm({ question: 'Edit it again?', isDefault: true })))
    throw new CliError('Nothing is decided.');
}

function faultOf(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    const isFit = typeof value === 'string' || (typeof value === 'object' && value !== null);
    return isFit ? null : 'Arguments are a JSON object, a list or a text.';
  } catch (error) {
    return `That is no JSON: ${(error as Error).message.replace(/\.?$/, '.')}`;
  }
}

/** EDITOR may contain arguments, so a shell runs it, as in git. */
async function runEditor(editor: string, file: string): Promise<void> {
  const isWindows = process.platform === 'win32';
  const child = isWindows
    ? spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
    : spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new CliError(`The editor (${editor}) ended with ${code ?? 'a signal'}: nothing is decided.`);
}

/** JSON with two spaces a level and every value as it was written: JSON.stringify would round large numbers. */
export function indentJson(json: string): string {
  let [text, level] = ['', 0];
  const tokens = json.match(TOKEN) ?? [];
  tokens.forEach((token, index) => {
    const isEmpty = '{['.includes(token) && '}]'.includes(tokens[index + 1] ?? '');
    const closesEmpty = '}]'.includes(token) && '{['.includes(tokens[index - 1] ?? ' ');
    if ('}]'.includes(token) && !closesEmpty) text += lineAt((level -= 1));
    text += token;
    if (token === ':') text += ' ';
    if (token === ',') text += lineAt(level);
    if ('{['.includes(token) && !isEmpty) text += lineAt((level += 1));
  });
  return text;
}

function lineAt(level: number): string {
  return `\n${'  '.repeat(level)}`;
}
