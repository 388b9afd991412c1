import type { Command } from 'commander';
import { loadContainerConfig } from '../config/env.js';
import { connect } from './connect.js';
import { CliError } from './cli-error.js';
import { getContainer, listContainers, type AgentContainer } from './containers/agent-containers.js';
import type { EngineName } from './containers/engine.js';
import { workingEngines } from './containers/engine.js';
import { stopContainer } from './containers/stop-container.js';
import { engineOption } from './run.command.js';
import { localTime } from './local-time.js';
import { asTyped } from '../config/as-typed.js';
import { wholeNumber } from './option-values.js';
import { printTable, type Terminal } from './terminal.js';
import { printable } from './printable.js';

interface LogsOptions {
  engine?: EngineName;
  follow?: boolean;
  tail?: number;
}

interface StopCommandOptions {
  engine?: EngineName;
  removeState?: boolean;
  json?: boolean;
}

/** `waystation ps | logs | stop`: containers that `waystation run` has created for this user. */
export function addContainerCommands(program: Command, terminal: Terminal): void {
  program
    .command('ps')
    .description('list the containers that run agents')
    .addOption(engineOption())
    .option('--json', 'print JSON lines')
    .action(async (options: { engine?: EngineName; json?: boolean }) => listAll(options, terminal));
  program
    .command('logs')
    .description('print the log of a container')
    .argument('<container>', 'its name, or its definition file')
    .addOption(engineOption())
    .option('-f, --follow', 'follow the log until Ctrl-C')
    .option('--tail <lines>', 'only the last lines', wholeNumber(0))
    .action(showLogs);
  program
    .command('stop')
    .description('stop a container after its runs, and revoke its token')
    .argument('<container>', 'its name, or its definition file')
    .addOption(engineOption())
    .option('--remove-state', 'also remove its state: runs to resume, undelivered reports, schedules')
    .option('--json', 'print JSON')
    .action(async (container: string, options: StopCommandOptions) => stop(container, options, terminal));
}

async function listAll({ engine, json }: { engine?: EngineName; json?: boolean }, terminal: Terminal): Promise<void> {
  const containers = await listContainers(await workingEngines(engine), loadContainerConfig().home);
  if (json) return containers.forEach((container) => terminal.print(JSON.stringify(recordOf(container))));
  if (containers.length === 0)
    return terminal.printError(asTyped('No container runs agents. `waystation run FILE` starts one.'));
  const rows = containers.map(({ name, status, ports, startedAt, file }) => [
    name,
    status,
    ports.map(({ host, container }) => (host === container ? String(host) : `${host}=>${container}`)).join(' '),
    localTime(startedAt),
    printable(file),
  ]);
  await printTable(terminal, ['NAME', 'STATUS', 'PORTS', 'STARTED', 'FILE'], rows);
}

function recordOf({ engine, name, file, status, ports, startedAt, restarts }: AgentContainer): object {
  return { name, file, status, engine: engine.name, ports, started_at: startedAt, restarts };
}

async function showLogs(nameOrFile: string, { engine, follow, tail }: LogsOptions): Promise<void> {
  const container = await getContainer(await workingEngines(engine), loadContainerConfig().home, nameOrFile);
  const flags = [...(follow ? ['--follow'] : []), ...(tail === undefined ? [] : ['--tail', String(tail)])];
  const code = await container.engine.runVisibly(['logs', ...flags, container.name]);
  if (code !== 0) throw new CliError(`${container.engine.name} could not show the log of ${container.name}.`);
}

async function stop(
  nameOrFile: string,
  { engine, removeState, json }: StopCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const { home } = loadContainerConfig();
  const container = await getContainer(await workingEngines(engine), home, nameOrFile);
  await stopContainer(container, { home, api: connect, terminal, isStateRemoved: removeState === true });
  terminal.print(json ? JSON.stringify({ name: container.name, status: 'stopped' }) : `stopped  ${container.name}`);
}
