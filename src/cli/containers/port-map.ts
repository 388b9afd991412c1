import { once } from 'node:events';
import { createServer } from 'node:net';
import { errorCode } from '../../common/error-code.js';
import { CliError } from '../cli-error.js';

/** A port of the container, and the host's port on 127.0.0.1 that leads to it. */
export interface PortMapping {
  readonly container: number;
  readonly host: number;
}

/** As in `--host-port`: `9100=9300`, or `9300` alone for a container with one port. */
export interface PortRequest {
  readonly container: number | null;
  readonly host: number;
}

/** Null for invalid text. */
export function parsePortRequest(text: string): PortRequest | null {
  const found = /^(?:(\d{1,5})=)?(\d{1,5})$/.exec(text);
  if (found === null) return null;
  const container = found[1] === undefined ? null : Number(found[1]);
  const host = Number(found[2]);
  return [container ?? 1, host].every((port) => port >= 1 && port <= 65_535) ? { container, host } : null;
}

/**
 * Maps each port of the container to one of the host: the same number unless requested otherwise.
 * @throws CliError for requests that do not fit
 */
export function mapPorts(ports: readonly number[], wishes: readonly PortRequest[]): PortMapping[] {
  const wanted = new Map<number, number>();
  for (const { container, host } of wishes) {
    const port = container ?? onlyPort(ports, host);
    if (!ports.includes(port))
      throw new CliError(`--host-port: the container has no port ${port}, only ${ports.join(', ')}.`);
    if (wanted.has(port)) throw new CliError(`--host-port: port ${port} of the container is given twice.`);
    wanted.set(port, host);
  }
  const pairs = ports.map((container) => ({ container, host: wanted.get(container) ?? container }));
  const twice = pairs.find(({ host }, at) => pairs.findIndex((other) => other.host === host) !== at);
  if (twice) throw new CliError(`Two ports of the container cannot have port ${twice.host} of this machine.`);
  return pairs;
}

/** @throws CliError that names the first port that is taken */
export async function checkPortsAreFree(pairs: readonly PortMapping[]): Promise<void> {
  for (const pair of pairs) {
    if (await isFree(pair.host)) continue;
    const other = `--host-port ${pair.container}=${pair.host < 65_000 ? pair.host + 200 : pair.host - 200}`;
    throw new CliError(
      `Something else already uses port ${pair.host} of 127.0.0.1. Stop it, or choose another port: ${other}`,
    );
  }
}

function onlyPort(ports: readonly number[], host: number): number {
  if (ports.length === 1) return ports[0]!;
  throw new CliError(
    `--host-port: name the port of the container, like ${ports[0]}=${host}; it has ${ports.join(', ')}.`,
  );
}

/** For ports that this user may not open, the engine decides; it may run as another user. */
async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return true;
  } catch (error) {
    return errorCode(error) !== 'EADDRINUSE';
  } finally {
    probe.close();
  }
}
