import path from 'node:path';
import type { AgentConfig } from '../../config/agent.config.js';
import { LABELS, portsText, volumeOf } from './agent-containers.js';
import { SOCKET_FOLDER, type ApiRoute } from './api-access.js';
import type { ContainerDefinition } from './container-definition.js';
import { SECRETS_FOLDER, secretsFolder, TOKEN_FILE } from './secret-mount.js';
import type { PortMapping } from './port-map.js';

const AGENT_FOLDER = '/agent';
const STATE_FOLDER = '/var/lib/waystation';
const USER = '10001:10001';
/** Added to the time for finishing: stopping programs (10 s), closing the storage (8 s), and the engine's own work. */
const STOPPING_SECONDS = 20;

export interface ContainerPlan {
  config: AgentConfig;
  target: ContainerDefinition;
  image: string;
  ports: readonly PortMapping[];
  route: ApiRoute;
  tokenId: string | null;
  /** Folder made by `createSecretMount`. */
  secretMount: string;
}

/**
 * Arguments that start the container, for either engine. They contain no secret: the token is in a file, and the engine reads the values
 * of the named variables from its own environment.
 */
export function runArguments(plan: ContainerPlan): string[] {
  const { target, image, ports, config } = plan;
  const stopSeconds = Math.ceil(config.shutdownTimeoutMs / 1000) + STOPPING_SECONDS;
  return [
    ...['run', '--detach', '--pull', 'never', '--name', target.containerName, '--user', USER],
    ...['--restart', 'unless-stopped', '--stop-timeout', String(stopSeconds)],
    // Agents need no system privileges. SELinux labels would hide the user's mounted files from the container.
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--security-opt', 'label=disable'],
    ...ports.flatMap(({ host, container }) => ['--publish', `127.0.0.1:${host}:${container}/tcp`]),
    ...(ports.some(({ container }) => container < 1024) ? ['--sysctl', 'net.ipv4.ip_unprivileged_port_start=0'] : []),
    ...labels(plan),
    ...mounts(plan),
    ...Object.entries(settings(plan)).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...target.variables.flatMap((name) => ['--env', name]),
    ...[image, 'agent', `${AGENT_FOLDER}/${path.basename(target.definition.file)}`],
  ];
}

function labels({ config, target, ports, tokenId, secretMount }: ContainerPlan): string[] {
  const values: Record<keyof typeof LABELS, string> = {
    home: config.home,
    file: target.definition.file,
    ports: portsText(ports),
    tokenId: tokenId ?? '',
    secretMount,
  };
  return Object.entries(values).flatMap(([key, value]) => [
    '--label',
    `${LABELS[key as keyof typeof LABELS]}=${value}`,
  ]);
}

function mounts({ target, route, secretMount }: ContainerPlan): string[] {
  const folders = [
    [path.dirname(target.definition.file), AGENT_FOLDER],
    [secretsFolder(secretMount), SECRETS_FOLDER],
    ...(route.socketFolder === null ? [] : [[route.socketFolder, SOCKET_FOLDER]]),
  ];
  return [
    ...folders.flatMap(([source, at]) => ['--mount', `type=bind,source=${source},target=${at},readonly`]),
    ...['--mount', `type=volume,source=${volumeOf(target.containerName)},target=${STATE_FOLDER}`],
  ];
}

function settings({ config, target, ports, route }: ContainerPlan): Record<string, string> {
  const main = ports.find(({ container }) => container === target.mainPort)!;
  return {
    WAYSTATION_API_URL: route.url,
    ...(route.forward === null ? {} : { WAYSTATION_API_FORWARD: route.forward }),
    WAYSTATION_TOKEN_FILE: TOKEN_FILE,
    WAYSTATION_AGENT_HOST: '0.0.0.0',
    WAYSTATION_AGENT_PORT: String(target.mainPort),
    WAYSTATION_AGENT_URL: config.publicUrl ?? `http://127.0.0.1:${main.host}`,
    WAYSTATION_OUTSIDE_PORTS: ports.map(({ container, host }) => `${container}=${host}`).join(','),
    WAYSTATION_OUTSIDE_API_URL: config.apiUrl,
    WAYSTATION_ALLOWED_HOSTS: config.allowedHosts.join(','),
    WAYSTATION_SHUTDOWN_TIMEOUT_MS: String(config.shutdownTimeoutMs),
    WAYSTATION_RUN_LEASE_SECONDS: String(config.leaseTtlSeconds),
    WAYSTATION_LOG_LEVEL: config.log.level,
  };
}
