import type { Command } from 'commander';
import { apiSecretFile, loadApiSecret } from '../config/api-secret.js';
import { loadConfig } from '../config/env.js';
import { createHome } from './create-home.js';
import type { Terminal } from './terminal.js';

/** `waystation secret`. */
export function addSecretCommand(program: Command, terminal: Terminal): void {
  program
    .command('secret')
    .description('print the machine secret, and create it if it is missing')
    .option('--path', 'print the path of its file instead')
    .option('--json', 'print JSON')
    .action(({ path, json }: { path?: boolean; json?: boolean }) => {
      const config = loadConfig();
      if (!path) createHome(config.server.home);
      const [name, value] = path ? ['path', apiSecretFile(config)] : ['secret', loadApiSecret(config).value];
      terminal.print(json ? JSON.stringify({ [name]: value }) : value);
    });
}
