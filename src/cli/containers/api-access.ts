import { request } from 'node:http';
import path from 'node:path';
import type { AgentConfig } from '../../config/agent.config.js';
import { apiSocketFile } from '../../config/api-socket-file.js';
import { isLoopbackUrl } from '../../config/loopback.js';
import type { ApiClient } from '../api-client.js';
import { CliError, RefusalError } from '../cli-error.js';
import type { Engine } from './engine.js';

/** Path of the API socket's folder in the container. */
export const SOCKET_FOLDER = '/run/waystation-api';
/** This thread does not exist: a token that may report gets 404. */
const PROBE = '/v1/runners/threads/waystation-probe/latest';
const USUAL_PORT = 8000;
const MAX_TOKEN_NAME = 200;

/** How a container reaches the API. */
export interface ApiRoute {
  /** Base address within the container. */
  url: string;
  /** Value of `WAYSTATION_API_FORWARD`; null if the address is reachable itself. */
  forward: string | null;
  /** Folder of the host to mount at `SOCKET_FOLDER`; null for none. */
  socketFolder: string | null;
}

/** A token for a container. */
export interface GrantedToken {
  /** Null for the caller's own token, which must not be revoked. */
  id: string | null;
  token: string;
}

/**
 * How a container reaches the API of `config`. `takenPorts` are the ports that the agents listen on.
 * A container cannot reach the host's loopback address. The API's socket is mounted instead; if the engine runs in a virtual machine, its
 * name for the host is used.
 */
export async function routeToApi(
  engine: Engine,
  config: AgentConfig,
  takenPorts: readonly number[],
): Promise<ApiRoute> {
  if (!isLoopbackUrl(config.apiUrl)) return { url: config.apiUrl, forward: null, socketFolder: null };
  let port = USUAL_PORT;
  while (takenPorts.includes(port)) port += 1;
  const { protocol, port: apiPort } = new URL(config.apiUrl);
  if (await isInVirtualMachine(engine)) {
    const outside = engine.name === 'podman' ? 'host.containers.internal' : 'host.docker.internal';
    const forward = `tcp://${outside}:${apiPort || (protocol === 'https:' ? 443 : 80)}`;
    return { url: `${protocol}//127.0.0.1:${port}`, forward, socketFolder: null };
  }
  const file = apiSocketFile(config.home);
  const forward = `unix:${SOCKET_FOLDER}/${path.basename(file)}`;
  return { url: `http://127.0.0.1:${port}`, forward, socketFolder: path.dirname(file) };
}

/**
 * Creates a token that can only report and resume as these agents, until it is revoked. A caller that may not create tokens passes on its
 * own if that can do no more.
 * @throws CliError when the API cannot be reached or refuses
 */
export async function grantToken(
  api: ApiClient,
  { token }: AgentConfig,
  { agents, name }: { agents: readonly string[]; name: string },
): Promise<GrantedToken> {
  const body = { scope: 'runner', name: name.slice(0, MAX_TOKEN_NAME), agent_ids: agents };
  try {
    return await api.send<GrantedToken & { id: string }>('POST', '/v1/tokens', body);
  } catch (error) {
    const isRunnersOwn = error instanceof RefusalError && error.status === 403 && token !== null;
    if (!isRunnersOwn) throw error;
    await api.send('GET', PROBE).catch((refusal: unknown) => {
      if (!(refusal instanceof RefusalError) || refusal.status !== 404) throw error;
    });
    return { id: null, token };
  }
}

/**
 * Checks that the socket leads to the server that issued the token.
 * @throws CliError that says what is wrong
 */
export async function checkSocket({ home, apiUrl }: AgentConfig, token: string): Promise<void> {
  const file = apiSocketFile(home);
  const status = await statusThrough(file, token);
  if (status === null) {
    throw new CliError(
      `Containers reach the API server through ${file}, but nothing answers there. Start it again with \`waystation serve\`; its log says if it could not create the socket.`,
    );
  }
  if (status !== 401) return;
  throw new CliError(
    `${file} belongs to another server than ${apiUrl}. Change WAYSTATION_HOME or WAYSTATION_API_URL so that they match.`,
  );
}

/** Null when nothing answers. */
function statusThrough(socketPath: string, token: string): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { host: 'localhost', authorization: `Bearer ${token}` };
    const probe = request({ socketPath, path: PROBE, headers, timeout: 10_000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    probe.once('timeout', () => probe.destroy(new Error('No answer in time.')));
    probe.once('error', () => resolve(null));
    probe.end();
  });
}

/** On Linux, too, Docker Desktop runs its engine in a virtual machine. */
async function isInVirtualMachine(engine: Engine): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  if (engine.name !== 'docker') return false;
  return /docker desktop/i.test((await engine.run(['info', '--format', '{{.OperatingSystem}}'])).stdout);
}
