import { Option, type Command } from 'commander';
import { asTyped } from '../config/as-typed.js';
import { UsageError } from './cli-error.js';
import { connect } from './connect.js';
import { printConsoleLink } from './console-link.js';
import type { Terminal } from './terminal.js';

const PATH = '/v1/example-data';

interface DemoOptions {
  seed?: boolean;
  remove?: boolean;
  json?: boolean;
}

/** `waystation demo`: example data on a running server. */
export function addDemoCommand(program: Command, terminal: Terminal): void {
  program
    .command('demo')
    .description('add example runs to the running server, or remove them')
    .addOption(
      new Option('--seed', 'add a day of example runs in every state, with agents and channels').conflicts('remove'),
    )
    .option('--remove', 'remove them; your own threads, agents and channels stay')
    .option('--json', 'print JSON')
    .action(async ({ seed: isSeeding, remove: isRemoving, json }: DemoOptions) => {
      if (isSeeding) return seed(json, terminal);
      if (isRemoving) return remove(json, terminal);
      throw new UsageError('Choose --seed or --remove.');
    });
}

async function seed(isJson: boolean | undefined, terminal: Terminal): Promise<void> {
  const client = connect();
  const loaded = await client.send<{ added: number; existing: number }>('POST', PATH);
  if (isJson) return terminal.print(JSON.stringify(loaded));
  const { added, existing } = loaded;
  terminal.print(added > 0 ? `Added ${added} example threads.` : `All ${existing} example threads are there already.`);
  await printConsoleLink(client, {}, terminal);
  terminal.printError(asTyped('To remove the examples: waystation demo --remove'));
}

async function remove(isJson: boolean | undefined, terminal: Terminal): Promise<void> {
  const response = await connect().send<{ removed: number }>('DELETE', PATH);
  if (isJson) return terminal.print(JSON.stringify(response));
  terminal.print(response.removed > 0 ? `Removed ${response.removed} example threads.` : 'No example data to remove.');
}
