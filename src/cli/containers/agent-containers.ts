import path from 'node:path';
import { CliError } from '../cli-error.js';
import { isNotInstalled, type Engine } from './engine.js';
import type { PortMapping } from './port-map.js';

/** The data in a container's labels. It includes no secret. */
export const LABELS = {
  home: 'waystation.home',
  file: 'waystation.file',
  ports: 'waystation.ports',
  /** Id of the token created for it; empty if it uses the caller's token, which must not be revoked. */
  tokenId: 'waystation.token-id',
  secretMount: 'waystation.handed-over',
} as const;

/** A container created by `waystation run`. */
export interface AgentContainer {
  engine: Engine;
  name: string;
  /** Absolute path of the definition file. */
  file: string;
  ports: PortMapping[];
  /** In the engine's words: `running`, `exited`, ... */
  status: string;
  startedAt: string;
  /** How often the engine has restarted it. */
  restarts: number;
  tokenId: string | null;
  /** Folder of its mounted secrets. */
  secretMount: string;
}

interface Inspected {
  Name: string;
  RestartCount?: number;
  State: { Status: string; StartedAt: string };
  Config: { Labels: Record<string, string> };
}

/** The containers of a home directory, by name. */
export async function listContainers(engines: readonly Engine[], home: string): Promise<AgentContainer[]> {
  const lists = await Promise.all(engines.map((engine) => listOf(engine, home)));
  return lists.flat().sort((a, b) => a.name.localeCompare(b.name));
}

/** By name or definition file; null when there is none. */
export async function findContainer(
  engines: readonly Engine[],
  home: string,
  nameOrFile: string,
): Promise<AgentContainer | null> {
  const all = await listContainers(engines, home);
  const file = path.resolve(nameOrFile);
  return all.find(({ name }) => name === nameOrFile) ?? all.find((container) => container.file === file) ?? null;
}

/** @throws CliError when there is none */
export async function getContainer(
  engines: readonly Engine[],
  home: string,
  nameOrFile: string,
): Promise<AgentContainer> {
  const found = await findContainer(engines, home, nameOrFile);
  if (found !== null) return found;
  throw new CliError(`No container has the name ${nameOrFile} or runs that file. \`waystation ps\` lists them.`);
}

export function volumeOf(containerName: string): string {
  return `${containerName}-state`;
}

async function listOf(engine: Engine, home: string): Promise<AgentContainer[]> {
  const filter = ['--filter', `label=${LABELS.home}=${home}`];
  const ids = (await engine.output(['ps', '--all', '--quiet', '--no-trunc', ...filter])).split('\n').filter(Boolean);
  if (ids.length === 0) return [];
  const result = await engine.run(['container', 'inspect', ...ids]);
  // If a container disappears meanwhile, the command fails but still prints the others.
  if (isNotInstalled(result) || result.stdout.trim() === '') return [];
  return (JSON.parse(result.stdout) as Inspected[]).map((found) => toContainer(engine, found));
}

function toContainer(engine: Engine, { Name, RestartCount, State, Config }: Inspected): AgentContainer {
  const label = (name: keyof typeof LABELS) => Config.Labels[LABELS[name]] ?? '';
  return {
    engine,
    name: Name.replace(/^\//, ''),
    file: label('file'),
    ports: readPorts(label('ports')),
    status: State.Status,
    startedAt: State.StartedAt,
    restarts: RestartCount ?? 0,
    tokenId: label('tokenId') || null,
    secretMount: label('secretMount'),
  };
}

/** Host port before container port: `9300:9100`. */
export function portsText(ports: readonly PortMapping[]): string {
  return ports.map(({ host, container }) => `${host}:${container}`).join(',');
}

function readPorts(text: string): PortMapping[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split(':').map(Number))
    .map(([host = 0, container = 0]) => ({ host, container }));
}
