import { InvalidArgumentError, type Command } from 'commander';
import { loadAgentConfig } from '../config/env.js';
import { UsageError } from './cli-error.js';
import { wholeNumber } from './option-values.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

const MAX_PREVIEW = 1000;

interface AgentOptions {
  check?: boolean;
  preview?: number;
  from?: number;
  try?: string;
  header: string[];
  json?: boolean;
  verbose?: boolean;
  watch?: boolean;
  host?: string;
  port?: string;
}

/** `waystation agent`. */
export function addAgentCommand(program: Command, terminal: Terminal): void {
  program
    .command('agent')
    .description('run the agents of a definition file on this machine')
    .argument('<file>', 'definition file, YAML or JSON')
    .argument('[payload]', 'with --try: file with the body of the request; standard input if left out')
    .option('--check', 'only check the file')
    .option('--preview <count>', 'only print the next firings of each schedule', wholeNumber(1, MAX_PREVIEW))
    .option('--from <time>', 'with --preview: the firings after this time (ISO 8601) instead of now', instantOf)
    .option('--try <endpoint>', 'only print what a webhook makes of a request; start nothing')
    .option('-H, --header <header>', 'with --try: a header of the request, "Name: value"; repeat for more', collect, [])
    .option('--json', 'with --check, --preview and --try: print JSON')
    .option('--verbose', 'log what the programs write to standard error, too')
    .option('--watch', 'reload the file when it changes; runs in progress are not affected')
    .option('--host <address>', 'address to bind to (WAYSTATION_AGENT_HOST, default 127.0.0.1)')
    .option('--port <number>', 'port for webhooks without their own (WAYSTATION_AGENT_PORT, default 9100)')
    .action(async (file: string, payload: string | undefined, options: AgentOptions) =>
      run(file, payload, options, terminal),
    );
}

async function run(
  file: string,
  payload: string | undefined,
  options: AgentOptions,
  terminal: Terminal,
): Promise<void> {
  const config = loadAgentConfig({ WAYSTATION_AGENT_HOST: options.host, WAYSTATION_AGENT_PORT: options.port });
  if (payload !== undefined && options.try === undefined)
    throw new UsageError(`${payload}: only --try takes a payload.`);
  config.isVerbose = options.verbose === true;
  config.isWatching = options.watch === true;
  const { readDefinition } = await import('../modules/triggers/definition/definition-reader.js');
  const definition = readDefinition(file, { variables: config.variables, defaultPort: config.port });
  if (options.check) {
    const { missingPrograms } = await import('../modules/triggers/definition/missing-programs.js');
    const { agents, triggers } = definition;
    const warnings = [...definition.warnings, ...missingPrograms(agents, config.variables)];
    if (options.json) {
      const names = agents.map(({ name }) => name);
      return terminal.print(JSON.stringify({ file, agents: names, triggers: triggers.length, warnings }));
    }
    terminal.print(`${printable(file)} is valid. Agents: ${agents.length}, triggers: ${triggers.length}.`);
    for (const warning of warnings) terminal.printError(`Warning: ${printable(warning)}`);
    return;
  }
  if (options.preview !== undefined) {
    const { printPreview } = await import('./agent-preview.js');
    printPreview(definition, { ...options, count: options.preview }, terminal);
    return;
  }
  if (options.try !== undefined) {
    const { tryWebhook } = await import('./agent-try.js');
    const { try: endpoint, header: headers, json = false } = options;
    return tryWebhook(definition, { endpoint, payload, headers, json }, terminal);
  }
  // Loaded only now: checking a file need not wait for the framework.
  const { runAgentProcess } = await import('./agent-process.js');
  await runAgentProcess(config, definition, terminal);
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

/** As in JavaScript, a time without a zone is local and a date alone is UTC. */
function instantOf(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be a time like 2026-03-29T00:00:00Z.');
  return ms;
}
