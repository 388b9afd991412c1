import type { Command } from 'commander';
import { open } from 'node:fs/promises';
import { errorCode } from '../common/error-code.js';
import { byteSize, count } from './amounts.js';
import { asTyped } from '../config/as-typed.js';
import { CliError, isRefusal, UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { findThreadId } from './ids.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

/** Milliseconds before progress is shown, and between updates. */
const PROGRESS_MS = 1000;
const LAST_LINE = '{"end":';

interface ImportedThread {
  thread_id: string;
  runs: number;
  checkpoints: number;
  messages: number;
}

/** `waystation export` and `waystation import`: one thread as JSON lines. */
export function addTransferCommands(program: Command, terminal: Terminal): void {
  program
    .command('export')
    .description('print a whole thread as JSON lines, for `import`')
    .argument('<thread>', 'its id, or the beginning of it')
    .action(async (idPrefix: string) => exportThread(idPrefix, terminal));
  program
    .command('import')
    .description('store a thread from `export`, as a whole or not at all')
    .argument('[file]', 'the file; - or nothing for standard input', '-')
    .option('--as <id>', 'another id for the thread')
    .option('--json', 'print JSON')
    .action(async (file: string, options: { as?: string; json?: boolean }) => importThread(file, options, terminal));
}

/** Prints the export of a thread. @throws CliError when it is incomplete */
async function exportThread(idPrefix: string, terminal: Terminal): Promise<void> {
  const client = connect();
  const threadId = await findThreadId(client, idPrefix);
  const progress = new Progress(terminal, 'exported');
  let last = '';
  try {
    const bytes = progress.counted(client.stream(`/v1/threads/${encodeURIComponent(threadId)}/export`));
    for await (const line of linesOf(bytes)) {
      terminal.print((last = line));
      await terminal.drained?.();
    }
  } finally {
    progress.end();
  }
  if (!last.startsWith(LAST_LINE)) throw new CliError('The export is not complete; try again.');
  terminal.printError(`exported  ${printable(threadId)}  ${progress.size}`);
}

/** Stores a thread from a file, or from standard input for `-`. @throws CliError */
async function importThread(
  file: string,
  { as, json }: { as?: string; json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const client = connect();
  const source = await openSource(file);
  const progress = new Progress(terminal, 'sent');
  const query = as === undefined ? '' : `?as=${encodeURIComponent(as)}`;
  try {
    const body = progress.counted(source);
    const response = await client.upload(`/v1/threads/import${query}`, body, 'application/x-ndjson').catch(withFlags);
    progress.end();
    if (json) return terminal.print(response);
    const { thread_id, runs, checkpoints, messages } = JSON.parse(response) as ImportedThread;
    const counts = [count(runs, 'run'), count(checkpoints, 'checkpoint'), count(messages, 'message')].join(', ');
    terminal.print(`imported  ${printable(thread_id)}  ${counts}`);
  } finally {
    progress.end();
  }
}

/** The server names query parameters; the user knows them as options. */
function withFlags(error: unknown): never {
  if (isRefusal(error, 400)) throw new CliError((error as Error).message.replace('(400): as:', '(400): --as'));
  if (!isRefusal(error, 409)) throw error;
  const remedy = 'Import it under another id with --as ID, or delete that one first: waystation delete ID';
  throw new CliError(asTyped(`There is a thread with this id already. ${remedy}`));
}

async function openSource(file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file !== '-') {
    const handle = await open(file).catch((error: unknown) => {
      throw new UsageError(`${file} cannot be read (${errorCode(error) ?? 'unknown error'}).`);
    });
    return handle.createReadStream();
  }
  if (process.stdin.isTTY) throw new UsageError('Name a file from `waystation export`, or pipe one in.');
  return process.stdin;
}

/** Shows the progress of a long transfer on a terminal. */
class Progress {
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly terminal: Terminal,
    private readonly verb: string,
  ) {
    if (terminal.progress) this.timer = setInterval(() => terminal.progress?.(`${verb} ${this.size}`), PROGRESS_MS);
  }

  get size(): string {
    return byteSize(this.bytes);
  }

  async *counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }

  end(): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.terminal.progress?.('');
  }
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let parts: string[] = [];
  for await (const chunk of bytes) {
    const [first = '', ...further] = decoder.decode(chunk, { stream: true }).split('\n');
    parts.push(first);
    for (const part of further) {
      yield parts.join('');
      parts = [part];
    }
  }
  const rest = parts.join('') + decoder.decode();
  if (rest !== '') yield rest;
}
