import type { Command } from 'commander';
import { CliError, UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { findThreadId } from './ids.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

interface DeleteOptions {
  yes?: boolean;
  json?: boolean;
}

/** `waystation delete`: deletes threads with all their stored data. */
export function addDeleteCommand(program: Command, terminal: Terminal): void {
  program
    .command('delete')
    .description('delete threads with everything in them')
    .argument('<thread...>', 'their ids, or the beginnings of them')
    .option('--yes', 'without asking')
    .option('--json', 'print JSON lines')
    .action(async (prefixes: string[], options: DeleteOptions) => deleteThreads(prefixes, options, terminal));
}

async function deleteThreads(prefixes: string[], { yes, json }: DeleteOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const ids = new Set<string>();
  for (const prefix of prefixes) ids.add(await findThreadId(client, prefix));
  if (!yes) await confirmDeletion([...ids], terminal);
  for (const id of ids) {
    await client.send('DELETE', `/threads/${encodeURIComponent(id)}`);
    terminal.print(json ? JSON.stringify({ thread_id: id, status: 'deleted' }) : `deleted  ${printable(id)}`);
  }
}

async function confirmDeletion(ids: readonly string[], { keyboard, printError }: Terminal): Promise<void> {
  if (!keyboard) throw new UsageError('Nobody is here to confirm it. To delete without asking, add --yes.');
  for (const id of ids) printError(printable(id));
  const what = ids.length === 1 ? 'this thread' : `these ${ids.length} threads`;
  const isSure = await keyboard.confirm({ question: `Delete ${what}? This cannot be undone.`, isDefault: false });
  if (!isSure) throw new CliError('Nothing was deleted.');
}
