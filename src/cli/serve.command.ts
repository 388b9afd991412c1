import type { Command } from 'commander';
import { loadConfigWith } from '../config/env.js';
import type { Terminal } from './terminal.js';

/** `waystation serve`. */
export function addServeCommand(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('start the API server; Ctrl+C stops it, a second one at once')
    .option('--host <address>', 'address to bind to (WAYSTATION_HOST, default 127.0.0.1)')
    .option('--port <number>', 'TCP port, 0 for any (WAYSTATION_PORT, default 8000)')
    .option('--json', 'print where it listens as one line of JSON')
    .action(async ({ host, port, json }: { host?: string; port?: string; json?: boolean }) => {
      const config = loadConfigWith({ WAYSTATION_HOST: host, WAYSTATION_PORT: port });
      // Loaded only now: other commands need not wait for the framework.
      const { serve } = await import('./serve.js');
      await serve(config, terminal, { isJson: json === true });
    });
}
