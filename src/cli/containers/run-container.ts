import type { AgentConfig } from '../../config/agent.config.js';
import { loadAgentConfig, loadContainerConfig } from '../../config/env.js';
import { asTyped } from '../../config/as-typed.js';
import type { ApiClient } from '../api-client.js';
import { CliError } from '../cli-error.js';
import { connect } from '../connect.js';
import { tryLines, triggerLines } from '../definition-lines.js';
import type { Terminal } from '../terminal.js';
import { findContainer, volumeOf, type AgentContainer } from './agent-containers.js';
import { ensureImage } from './agent-image.js';
import { checkSocket, grantToken, routeToApi } from './api-access.js';
import { readForContainer, type ContainerDefinition } from './container-definition.js';
import type { Engine, EngineName } from './engine.js';
import { chooseEngine, workingEngines } from './engine.js';
import { createSecretMount, removeSecretMount } from './secret-mount.js';
import { checkPortsAreFree, mapPorts, type PortMapping, type PortRequest } from './port-map.js';
import { runArguments, type ContainerPlan } from './run-arguments.js';
import { waitUntilHealthy } from './container-health.js';
import { removeContainer, revoke, stopContainer } from './stop-container.js';

export interface RunOptions {
  engine?: EngineName;
  replace?: boolean;
  hostPort?: PortRequest[];
  /** Prints JSON; other messages go to standard error. */
  json?: boolean;
}

/** The inputs of a start. */
interface Start {
  engine: Engine;
  config: AgentConfig;
  api: ApiClient;
  target: ContainerDefinition;
  ports: readonly PortMapping[];
  image: string;
  /** The container that it replaces. */
  before: AgentContainer | null;
  terminal: Terminal;
}

const OVER = ['exited', 'stopped', 'dead'];

/**
 * Starts the agents of a file in a container and returns when they are ready.
 * @throws DefinitionError, ConfigError or CliError, and leaves no new container behind
 */
export async function runInContainer(file: string, options: RunOptions, output: Terminal): Promise<void> {
  const note = (line: string) => output.printError(line);
  const terminal = options.json ? { ...output, print: note } : output;
  const config = loadAgentConfig();
  const target = readForContainer(file, config);
  const ports = mapPorts(target.ports, options.hostPort ?? []);
  const engine = await chooseEngine(options.engine);
  const before = await findContainer(await workingEngines(undefined), config.home, target.definition.file);
  if (before !== null && !OVER.includes(before.status) && !options.replace) throw alreadyRunningError(before, file);
  await checkPortsAreFree(ports.filter(({ host }) => !before?.ports.some((taken) => taken.host === host)));
  const api = connect();
  await api.send('GET', '/health');
  const { baseImage } = loadContainerConfig();
  const image = await ensureImage(engine, { image: target.definition.image, baseImage }, terminal);
  const plan = await launch({ engine, config, api, target, ports, image, before, terminal });
  if (options.json) output.print(JSON.stringify(runRecord(plan, engine)));
  else for (const line of summary(plan, engine)) terminal.print(line);
}

/** Changes nothing before all checks have passed. */
async function launch(start: Start): Promise<ContainerPlan> {
  const { engine, config, api, target, ports, image, before, terminal } = start;
  const name = target.containerName;
  const agents = target.definition.agents.map((agent) => agent.name);
  const { id: tokenId, token } = await grantToken(api, config, { agents, name: `container ${name}` });
  let secretMount: string | null = null;
  const hadState = (await engine.run(['volume', 'inspect', volumeOf(name)])).code === 0;
  try {
    secretMount = createSecretMount(config.home, name, token);
    const route = await routeToApi(engine, config, target.ports);
    if (route.socketFolder !== null) await checkSocket(config, token);
    if (before !== null) await stopContainer(before, { home: config.home, api: () => api, terminal });
    const plan = { config, target, image, ports, route, tokenId, secretMount };
    await engine.output(runArguments(plan));
    const { host: healthPort } = ports.find(({ container }) => container === target.mainPort)!;
    await waitUntilHealthy({ engine, home: config.home, name, healthPort });
    return plan;
  } catch (error) {
    await undo(start, { tokenId, secretMount });
    if (!hadState) await engine.run(['volume', 'rm', volumeOf(name)]);
    throw error;
  }
}

/** Removes a container that the engine created but could not start, unless it belongs to another start with the same name. */
async function undo(
  { engine, config, api, target, terminal }: Start,
  { tokenId, secretMount }: { tokenId: string | null; secretMount: string | null },
): Promise<void> {
  const { home } = config;
  if (secretMount !== null) {
    const left = await findContainer([engine], home, target.containerName).catch(() => null);
    if (left?.secretMount === secretMount) return removeContainer(left, { home, api: () => api, terminal });
    removeSecretMount(home, secretMount);
  }
  if (tokenId !== null) await revoke(tokenId, () => api, terminal);
}

function alreadyRunningError({ name }: AgentContainer, file: string): CliError {
  return new CliError(
    `The container ${name} already runs this file. Stop it with \`waystation stop ${name}\`, or replace it with \`waystation run ${file} --replace\`.`,
  );
}

/** A description of the running container, for programs. */
function runRecord({ target, image, ports, config }: ContainerPlan, engine: Engine): object {
  const { definition, containerName } = target;
  return { name: containerName, file: definition.file, engine: engine.name, image, ports, api_url: config.apiUrl };
}

/** How to reach and stop the running container, for people. */
function summary({ target, image, ports, config }: ContainerPlan, engine: Engine): string[] {
  const { definition, containerName } = target;
  const addressOf = (port: number | null) => {
    const wanted = port ?? target.mainPort;
    return `http://127.0.0.1:${ports.find(({ container }) => container === wanted)?.host ?? wanted}`;
  };
  return [
    `${containerName} runs ${definition.file}`,
    `  engine    ${engine.name}, image ${image}`,
    ...ports.map(({ host, container }) => `  port      127.0.0.1:${host} leads to ${container} in the container`),
    ...triggerLines(definition, addressOf),
    `  health    ${addressOf(target.mainPort)}/health`,
    `  reports   to ${config.apiUrl}`,
    asTyped(`  next      waystation logs ${containerName} -f; waystation stop ${containerName}`),
    ...tryLines(definition, addressOf),
  ];
}
