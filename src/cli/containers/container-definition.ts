import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { AgentConfig } from '../../config/agent.config.js';
import type { Environment } from '../../config/env-reader.js';
import type { Definition } from '../../modules/triggers/definition/definition.js';
import { readDefinition } from '../../modules/triggers/definition/definition-reader.js';
import { AgentPorts } from '../../modules/triggers/webhooks/agent-ports.js';
import { shellWord } from '../../common/shell-word.js';
import { CliError } from '../cli-error.js';

const USUAL_PORT = 9100;
/** Variables that the container sets itself. */
const OWN_VARIABLE = /^(PATH|HOME|HOSTNAME|WAYSTATION_.*)$/;
const OTHERS_READ = 0o004;
const OTHERS_ENTER = 0o005;

/** A definition file and what a container needs to run it. */
export interface ContainerDefinition {
  definition: Definition;
  /** Names of the environment variables that the file uses. */
  variables: string[];
  /** Ports that the process listens on. */
  ports: readonly number[];
  /** The port of `/invoke`, one of them. */
  mainPort: number;
  /** Depends on the file and on the home directory. */
  containerName: string;
}

/**
 * Reads a definition file as the process in the container will.
 * @throws DefinitionError with all its faults; CliError when the container could not read it
 */
export function readForContainer(file: string, config: AgentConfig): ContainerDefinition {
  const { variables, names } = observed(config.variables);
  // A random port is useless: ports are published by number.
  const defaultPort = config.port === 0 ? USUAL_PORT : config.port;
  const definition = readDefinition(file, { variables, defaultPort });
  checkReadable(definition.file);
  const ports = new AgentPorts(definition, defaultPort).wanted;
  return {
    definition,
    ports,
    variables: [...names].filter((name) => !OWN_VARIABLE.test(name)).sort(),
    mainPort: ports.includes(defaultPort) ? defaultPort : ports[0]!,
    containerName: nameFor(config.home, definition.file),
  };
}

/** The same environment, recording the names that are looked up. */
function observed(environment: Environment): { variables: Environment; names: Set<string> } {
  const names = new Set<string>();
  const variables = new Proxy(environment, {
    get(target, name) {
      if (typeof name !== 'string') return undefined;
      names.add(name);
      return target[name];
    },
  });
  return { variables, names };
}

function nameFor(home: string, file: string): string {
  const folder = path.basename(path.dirname(file)).toLowerCase();
  const word =
    folder
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 30) || 'agents';
  const digest = createHash('sha256').update(`${home}\0${file}`).digest('hex').slice(0, 8);
  return `waystation-${word}-${digest}`;
}

/** The container runs as another user, who cannot read this user's private files on Linux. */
function checkReadable(file: string): void {
  const folder = path.dirname(file);
  if (/[",\n]/.test(folder))
    throw new CliError(`${folder} cannot be mounted: engines accept no quotes or commas in paths.`);
  if (process.platform !== 'linux') return;
  const isOpen = (statSync(file).mode & OTHERS_READ) !== 0 && (statSync(folder).mode & OTHERS_ENTER) === OTHERS_ENTER;
  if (isOpen) return;
  throw new CliError(`The user of the container may not read ${file}. Allow it: chmod -R o+rX ${shellWord(folder)}`);
}
